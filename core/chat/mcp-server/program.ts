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

/** The credential of a program: an access token, or a session that a connected CMS began for its user. */
type Pass = Pick<AccessToken, 'id' | 'scope'> &
  Partial<Pick<AccessToken, 'name' | 'clientHash'>> & { isSession?: true }

/** A program that works for a user, with the user's rights as read in this request. */
export type Program = {
  actor: Actor
  token: Pass
  settings: Settings
  capabilities: Capabilities
  /** Returns undefined if the chat is not configured for the user. */
  facts: GateFacts | undefined
}

/**
 * Returns the user of an access token or of a connected CMS's session token, as the CMS knows them now. Rejects with
 * `session.missing` without a token, and with `session.expired` for an invalid token or a user who no longer exists.
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

/**
 * Returns the session whose token a connected CMS holds. The session gives a program every scope, because the CMS may
 * already use all other routes with it.
 */
async function ofSession(given: string, now: number): Promise<{ uid: number; token: Pass } | undefined> {
  const session = await Session.find(given, now)
  if (!session?.isElsewhere) return undefined
  return { uid: session.uid, token: { id: session.sid, scope: scopes.join(' '), isSession: true } }
}

/** Returns the program with the present rights of its user, who must be allowed to use the chat. */
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
    // The results go to the program, not to a provider of the stage. The program ignores pictures that it cannot show.
    facts: facts && trustZone && { ...facts, trustZone, modelSees: true },
  }
}

/** Tools only for turns: only the consumer may read the figures of the stage and has the sandbox for documents. */
const ofTurns = new Set(['get_system_status', 'read_file'])

/** True for a tool that no program gets: a question needs the person in the chat, and some tools run only in turns. */
const leftOut = (tool: Tool) => 'question' in tool || ofTurns.has(tool.name)

/** Returns the program's tools: the chat's own tools that the gate allows for the user. */
export function toolsOf({ facts, token }: Pick<Program, 'facts' | 'token'>): Tool[] {
  const mayPropose = token.scope.split(' ').includes('propose')
  return facts ? offered(facts).filter((tool) => !leftOut(tool) && (mayPropose || !tool.writes)) : []
}

/** Returns the nonce of the fence around tool results; the same for all requests with the same token or session. */
export const nonce = ({ token }: Program) => nonceOf(config().secret, `access token ${token.id}`)
