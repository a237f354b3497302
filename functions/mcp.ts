import * as z from 'zod'
import { mayChat } from '../core/access.ts'
import { take } from '../core/access-token/throttle.ts'
import type { ReadFile } from '../core/cms/media.ts'
import { VisibleError } from '../core/error.ts'
import { type Ports, wire } from '../core/ports.ts'
import { config } from '../core/stage/config.ts'
import { address } from './address.ts'
import { http } from './http.ts'
import { refusal } from './refusal.ts'
import { credentials, lang } from './request.ts'
import { failure } from './response.ts'
import { type Answer, type PublicVisit, route } from './route.ts'

/** A message of JSON-RPC 2.0; what else it may say, the protocol decides. */
const Message = z.looseObject({ jsonrpc: z.literal('2.0') })
type Message = z.infer<typeof Message>

/** `POST /ai-chat/mcp`: the chat's own tools for a program that a user has given an access token. */
export const routes = {
  'POST /ai-chat/mcp': route({
    access: 'token',
    input: Message,
    about: {
      summary: 'The tools of the chat over the Model Context Protocol (Streamable HTTP, without sessions).',
      description:
        'For a program with an access token of a user (`Authorization: Bearer`). A tool that reads runs at once; one that writes makes a proposal, which waits for the user in a conversation of theirs. Where the settings have no `accessTokens`, there is nothing at this address.',
      answers: {
        200: { description: 'The answer of JSON-RPC.', schema: z.looseObject({}) },
        202: { description: 'A notification was taken.' },
      },
      errors: ['route.notFound', 'token.throttled'],
      example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    },
    run: async (visit, message) => {
      try {
        return await served(visit, message)
      } catch (error) {
        if (!(error instanceof VisibleError) || error.kind !== 'unauthenticated') throw error
        const answer = await failure(error, visit.requestId, lang(visit.event))
        return { ...answer, headers: { ...answer.headers, 'www-authenticate': 'Bearer' } }
      }
    },
  }),
}

/** The gateway waits 29 seconds for an answer; a call that reads much ends before, in milliseconds. */
const longestReadMs = 15_000

async function served(visit: PublicVisit, message: Message): Promise<Answer> {
  const { settings, live, event, now } = visit
  if (!settings.accessTokens) throw new VisibleError('route.notFound')
  const given = credentials(event)
  // What a request costs before its token is known is one read.
  const { ownerOf, programOf } = await import('../core/program/program.ts')
  const owner = await ownerOf(live, given?.isBearer ? given.token : undefined, now)
  const { uid } = owner.actor
  const ip = address(event)
  if (!mayChat(owner.actor, settings)) {
    const act = { uid, refusal: 'access.denied', operation: event.routeKey, ip, source: 'web' } as const
    await refusal(act, settings.retainAuditDays, now)
    throw new VisibleError('access.denied')
  }
  await take(uid, owner.token, 'minute', now)
  const [program, { serve }] = await Promise.all([
    programOf(live, owner, settings),
    import('../core/program/serve.ts'),
  ])
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

/** The request as the SDK takes it, without what it has no use for. */
function requestOf(headers: Record<string, string | undefined>): Request {
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value !== undefined && /^(?:accept|content-type|mcp-[a-z-]+)$/.test(name) ? [[name, value]] : [],
  )
  return new Request(new URL('/ai-chat/mcp', config().origin), { method: 'POST', headers: kept, body: '{}' })
}

const readFile: ReadFile = async (...given) => (await import('../core/file/site.ts')).siteFile(...given)
let wired: Ports | undefined

/** The function behind the tools for programs, which get the pictures of the site as well. */
export const handler = http(routes, () => {
  wired ??= wire(readFile)
  return wired
})
