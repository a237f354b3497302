import { type GateFacts, gateFacts } from '../../agent/gate.ts'
import { offered } from '../../agent/offered.ts'
import type { Actor } from '../../base/actor.ts'
import { config } from '../../base/config.ts'
import { VisibleError } from '../../base/error.ts'
import { nonce as nonceOf } from '../../base/safety/fence.ts'
import type { Capabilities } from '../../cms/capabilities.ts'
import type { Ports } from '../../ports.ts'
import type { Settings } from '../../stage/settings/schema.ts'
import { resolve } from '../../stage/settings/settings.ts'
import type { Tool } from '../../tool/tool.ts'
import { type AccessToken, scopes } from '../../user/access-token/schema.ts'
import * as Token from '../../user/access-token/token.ts'
import * as Session from '../../user/session/session.ts'

/** The entry of a program: an access token, or a session that a connected CMS began for its user. */
export type Pass = Pick<AccessToken, 'id' | 'scope'> &
  Partial<Pick<AccessToken, 'name' | 'clientHash'>> & { isSession?: true }

/** A program that works for a user, with the user and their rights as read at this request. */
export type Program = {
  actor: Actor
  token: Pass
  settings: Settings
  capabilities: Capabilities
  /** Undefined where the chat is not configured for the user. */
  facts: GateFacts | undefined
}

/**
 * Reads the owner of an access token, or of the token of a session in a connected CMS, as the CMS knows them now. Throws `session.missing`
 * without one, and `session.expired` where it is not good, or its owner is no user any more.
 */
export async function ownerOf(
  { cms }: Pick<Ports, 'cms'>,
  given: string | undefined,
  now: number,
): Promise<{ actor: Actor; token: Pass }> {
  if (given === undefined) throw new VisibleError('session.missing')
  const found = (await Token.find(given, now)) ?? (await ofSession(given, now))
  const actor = found && (await cms.user(found.uid))
  if (!actor) throw new VisibleError('session.expired')
  return { actor, token: found.token }
}

/** A session whose token a connected CMS has: a program of the CMS may do no more over the tools than over every other route. */
async function ofSession(given: string, now: number): Promise<{ uid: number; token: Pass } | undefined> {
  const session = await Session.find(given, now)
  if (!session?.isElsewhere) return undefined
  return { uid: session.uid, token: { id: session.sid, scope: scopes.join(' '), isSession: true } }
}

/** The program with the present rights of its owner, who may use the chat. */
export async function programOf(
  { cms }: Pick<Ports, 'cms'>,
  { actor, token }: Pick<Program, 'actor' | 'token'>,
  settings: Settings,
): Promise<Program> {
  const capabilities = await cms.capabilities()
  const { resolved } = resolve(settings, actor)
  const facts = resolved && gateFacts(actor, settings, resolved, capabilities)
  const trustZone = settings.accessTokens?.trustZone
  return {
    actor,
    token,
    settings,
    capabilities,
    // The results go to the program, and to no provider of the stage; it leaves out the parts that it cannot show.
    facts: facts && trustZone && { ...facts, trustZone, modelSees: true },
  }
}

/** Tools of turns alone: the consumer has the right to read the figures of the stage, and the sandbox for documents. */
const ofTurns = new Set(['get_system_status', 'read_file'])

/** Questions are for the person in the chat. */
const leftOut = (tool: Tool) => 'question' in tool || ofTurns.has(tool.name)

/** The tools that the program has: those of the chat's own that the gate gives the user. */
export function toolsOf({ facts, token }: Pick<Program, 'facts' | 'token'>): Tool[] {
  const mayPropose = token.scope.split(' ').includes('propose')
  return facts ? offered(facts).filter((tool) => !leftOut(tool) && (mayPropose || !tool.writes)) : []
}

/** The fence around the results of tools for a program: the same for all requests with what lets it in. */
export const nonce = ({ token }: Program) => nonceOf(config().secret, `access token ${token.id}`)
