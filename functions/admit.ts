import { mayChat } from '../core/access.ts'
import type { Actor } from '../core/actor.ts'
import { config } from '../core/config.ts'
import { VisibleError } from '../core/error.ts'
import type { Ports } from '../core/ports.ts'
import * as Session from '../core/session/session.ts'
import * as Token from '../core/session/token.ts'
import type { Settings } from '../core/settings/schema.ts'
import * as Configured from '../core/settings/settings.ts'
import * as Table from '../core/table.ts'
import { failure, result } from './answer.ts'
import * as Request from './request.ts'
import type { Answer, Definition, Event, Result } from './route.ts'

/** A request that may go on: `run` answers it, `finish` makes of the answer what API Gateway sends. */
type Admitted = { run(): Promise<Answer>; finish(answer: Answer): Result }

type Attempt<T> = { value: T } | { error: unknown }

/**
 * Checks a request in the order of the contract: session, CSRF, group, body. The input is read before the session,
 * because it names the items that are read along; what is wrong with it is told only after the other checks.
 */
export async function admit(
  definition: Definition,
  params: Record<string, string>,
  event: Event,
  live: Ports,
): Promise<Admitted> {
  const now = live.clock.now()
  const requestId = event.requestContext.requestId
  const isMultipart = definition.access !== 'public' && isForm(definition, event)
  const input = attempt(() => Request.input(definition.input, event, params, isMultipart))
  const settings = await Configured.load(now)
  const given = Request.credentials(event)
  const isEmbeddable = definition.access === 'public' && definition.isEmbeddable === true
  const cors = corsHeaders(event, settings)
  const finish = (answer: Answer) => result({ ...answer, headers: { ...cors, ...answer.headers } })

  if (definition.access === 'public') {
    checkOrigin(event, settings, { isBearer: given?.isBearer ?? false, isEmbeddable })
    const visit = { live, now, requestId, settings, event, lang: Request.lang(event) }
    return { finish, run: () => definition.run(visit, value(input)) }
  }

  if (!given) throw new VisibleError('session.missing')
  const name = await Token.verify(given.token)
  if (!name) throw new VisibleError('session.expired')
  const idempotency = attempt(() => Request.idempotencyKey(event))
  const keys =
    'value' in input && 'value' in idempotency
      ? (definition.reads?.({ uid: name.uid, idempotencyKey: idempotency.value }, input.value) ?? [])
      : []
  const { session, actor, rows } = await read(live, name, given.token, keys, now)

  const run = async (): Promise<Answer> => {
    checkOrigin(event, settings, { isBearer: given.isBearer, isEmbeddable })
    if (event.requestContext.http.method !== 'GET' && !given.isBearer) checkCsrf(event, name.sid)
    if (definition.access === 'chat' && !mayChat(actor, settings)) throw new VisibleError('access.denied')
    if (!definition.isPoll) await Session.touch(session, now)
    return definition.run(
      { actor, session, settings, live, now, requestId, rows, idempotencyKey: value(idempotency), event },
      value(input),
    )
  }
  // From here on the reader is known, and errors are told in their language.
  const told = async (): Promise<Answer> => {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof VisibleError)) throw error
      const { statusCode, body, headers } = failure(error, requestId, actor.lang)
      return {
        status: statusCode ?? 500,
        body: JSON.parse(body ?? '{}'),
        headers: (headers ?? {}) as Record<string, string>,
      }
    }
  }
  return { finish, run: told }
}

/** Session, user and whatever the route needs, in one request where the user's row is a DynamoDB item. */
async function read(
  live: Ports,
  name: Token.SessionName,
  token: string,
  keys: Table.Key[],
  now: number,
): Promise<{ session: Session.Session; actor: Actor; rows: (Table.Row | undefined)[] }> {
  const { userRow } = live.cms
  const user = userRow ? [{ table: userRow.table, key: userRow.key(name.uid), consistent: false }] : []
  const table = config().table
  const [sessionRow, ...others] = await Table.batch([
    Session.entry(name),
    ...keys.map((key) => ({ table, key })),
    ...user,
  ])
  const session = Session.check(sessionRow, token, now)
  if (!session) throw new VisibleError('session.expired')
  const actor = userRow ? userRow.decode(others.at(-1), now) : await live.cms.user(name.uid)
  if (!actor) throw new VisibleError('session.expired')
  return { session, actor, rows: others.slice(0, keys.length) }
}

function checkCsrf(event: Event, sid: string): void {
  if (Token.same(event.headers['x-csrf-token'] ?? '', Token.csrf(sid))) return
  throw new VisibleError('csrf.invalid')
}

/** Unsafe methods need an Origin of the stage; it may be absent with Bearer, or be one that may embed the chat. */
function checkOrigin(
  event: Event,
  settings: Settings,
  { isBearer, isEmbeddable }: { isBearer: boolean; isEmbeddable: boolean },
): void {
  if (event.requestContext.http.method === 'GET') return
  const { origin } = event.headers
  if (origin === undefined && isBearer) return
  if (origin === config().origin) return
  if ((isBearer || isEmbeddable) && origin && settings.embedOrigins.includes(origin)) return
  throw new VisibleError('csrf.invalid')
}

/** What lets a foreign backend that embeds the chat read the answer; nobody else gets CORS headers. */
export function corsHeaders(event: Event, settings: Settings): Record<string, string> {
  const { origin } = event.headers
  if (!origin || !settings.embedOrigins.includes(origin)) return {}
  return { 'access-control-allow-origin': origin, vary: 'origin' }
}

function isForm(definition: Definition, event: Event): boolean {
  if (definition.access === 'public' || !definition.isMultipart) return false
  return /^multipart\/form-data/i.test(event.headers['content-type'] ?? '')
}

function attempt<T>(act: () => T): Attempt<T> {
  try {
    return { value: act() }
  } catch (error) {
    return { error }
  }
}

function value<T>(attempted: Attempt<T>): T {
  if ('error' in attempted) throw attempted.error
  return attempted.value
}
