import * as z from 'zod'
import { config } from '../core/base/config.ts'
import { VisibleError } from '../core/base/error.ts'
import { objectOf } from '../core/base/lazy-schema.ts'
import { ErrorAnswer } from '../core/chat/request.ts'
import { mayChat } from '../core/stage/settings/group.ts'
import type { Settings } from '../core/stage/settings/schema.ts'
import { hasOAuth, scopes } from '../core/user/access-token/schema.ts'
import { takeCall } from '../core/user/access-token/token.ts'
import { http } from './http/http.ts'
import { portsWithFiles } from './http/ports-with-files.ts'
import { address, credentials, json } from './http/request.ts'
import { failure, refusal } from './http/response.ts'
import { type Answer, type Event, openRoute, type PublicVisit } from './http/route.ts'
import { mcpMetadataPath, mcpPath } from './http/routes.ts'

/** A message of JSON-RPC 2.0; the protocol defines its other members. */
const RpcMessage = z.looseObject({ jsonrpc: z.literal('2.0') })
type RpcMessage = z.infer<typeof RpcMessage>
const Identified = z.object({ id: z.union([z.string(), z.number()]) })

/** A refusal as an error of JSON-RPC 2.0. `data` has the error body of the other routes without the sentence. */
export const Refusal = objectOf(() => ({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
  error: z.object({
    code: z.number(),
    message: z.string(),
    data: ErrorAnswer.unwrap().shape.error.omit({ message: true }),
  }),
}))

/**
 * Codes of JSON-RPC 2.0: for a body that is no JSON, for an invalid message, and the first code that a server may
 * define.
 */
const rpcCodes = { unreadable: -32_700, invalid: -32_600, refused: -32_000 }

/** Serves the chat's tools to programs with an access token, or with the session of a connected CMS. */
export const routes = {
  'POST /ai-chat/mcp': openRoute({
    input: RpcMessage,
    summary: 'The tools of the chat over the Model Context Protocol (Streamable HTTP, without sessions).',
    description:
      'For a program with an access token of a user, or the token that a connected CMS got for a statement about the user (`Authorization: Bearer`). A tool that reads runs at once; one that writes makes a proposal, which waits for the user in a conversation of theirs. Where the settings have no `accessTokens`, there is nothing at this address.',
    answers: {
      200: { description: 'The answer of JSON-RPC.', schema: z.looseObject({}) },
      202: { description: 'A notification was taken.' },
    },
    errors: ['route.notFound', 'token.throttled', 'origin.notAllowed'],
    refusal: Refusal,
    example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    run: served,
    refuse: answerRefusal,
  }),
}

/** Time after which a call that reads much ends, in milliseconds; the gateway waits 29 seconds for an answer. */
const longestReadMs = 15_000

/**
 * Returns a refusal with the HTTP status of other routes for the error, and the id of the JSON-RPC request. Adds
 * `Retry-After` if a retry can succeed.
 */
async function answerRefusal(
  error: VisibleError,
  { event, requestId, lang, settings }: PublicVisit,
): Promise<Answer> {
  const answer = await failure(error, requestId, lang)
  const { message, ...data } = answer.body.error
  const wrong = error.cause instanceof SyntaxError ? rpcCodes.unreadable : rpcCodes.invalid
  const code = error.kind === 'invalid' ? wrong : rpcCodes.refused
  const id = idOf(event)
  const body: z.infer<typeof Refusal> = { jsonrpc: '2.0', id, error: { code, message, data } }
  const challenge = error.kind === 'unauthenticated' && {
    'www-authenticate': challengeOf(settings, error.code === 'session.expired'),
  }
  return { ...answer, body, headers: { ...answer.headers, ...challenge } }
}

/** Returns the challenge of a 401. It has the address of the metadata if programs can get a token (RFC 9728, 5.1). */
function challengeOf(settings: Settings, wasGiven: boolean): string {
  if (!hasOAuth(settings)) return 'Bearer'
  const fault = wasGiven ? 'error="invalid_token", ' : ''
  return `Bearer ${fault}resource_metadata="${config().origin}${mcpMetadataPath}", scope="${scopes.join(' ')}"`
}

/** Returns the id of a message; null if it cannot be read (JSON-RPC 2.0, section 5). */
function idOf(event: Event): string | number | null {
  try {
    return Identified.parse(json(event)).id
  } catch {
    return null
  }
}

async function served(visit: PublicVisit, message: RpcMessage): Promise<Answer> {
  const { settings, live, event, now } = visit
  if (!settings.accessTokens) throw new VisibleError('route.notFound')
  const given = credentials(event)
  // Looks up the owner of the token first, so that a request with an unknown token costs only one read.
  const { ownerOf, programOf } = await import('../core/chat/mcp-server/program.ts')
  const owner = await ownerOf(live, given?.isBearer ? given.token : undefined, now)
  const { uid } = owner.actor
  if (owner.token.clientHash && !hasOAuth(settings)) throw new VisibleError('session.expired')
  const ip = address(event)
  if (!mayChat(owner.actor, settings)) {
    const act = { uid, refusal: 'access.denied', operation: event.routeKey, ip, source: 'web' } as const
    await refusal(act, settings.retainAuditDays, now)
    throw new VisibleError('access.denied')
  }
  await takeCall(uid, owner.token, 'minute', now)
  const [program, { answerPlainly }] = await Promise.all([
    programOf(live, owner, settings),
    import('../core/chat/mcp-server/plain.ts'),
  ])
  const plain = await answerPlainly(program, event.headers, message)
  if (plain) return plain
  // Imports the package of the protocol only here, because it takes longer to load than all other code.
  const { serve } = await import('../core/chat/mcp-server/serve.ts')
  const { signal } = new AbortController()
  const hasTime = () => live.clock.now() - now < longestReadMs
  const at = { cms: live.cms, now, signal, ip, hasTime }
  const response = await serve(program, requestOf(event.headers), message, at)
  const text = await response.text()
  return {
    status: response.status,
    ...(text !== '' && { body: text }),
    headers: Object.fromEntries(
      [...response.headers].filter(([name]) => name === 'content-type' || name === 'mcp-session-id'),
    ),
  }
}

/** Converts the request for the SDK, with only the headers that the SDK uses. */
function requestOf(headers: Record<string, string | undefined>): Request {
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value !== undefined && /^(?:accept|content-type|mcp-[a-z-]+)$/.test(name) ? [[name, value]] : [],
  )
  return new Request(new URL(mcpPath, config().origin), { method: 'POST', headers: kept, body: '{}' })
}

/** The function for the tools of programs, which may also get the pictures of the site. */
export const handler = http(routes, portsWithFiles)
