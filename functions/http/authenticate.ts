import type { Actor } from '../../core/base/actor.ts'
import * as Table from '../../core/base/aws/table.ts'
import { config } from '../../core/base/config.ts'
import { VisibleError } from '../../core/base/error.ts'
import { loadLanguage } from '../../core/base/language.ts'
import type { Ports } from '../../core/ports.ts'
import { mayChat } from '../../core/stage/settings/group.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import * as Configured from '../../core/stage/settings/settings.ts'
import * as Session from '../../core/user/session/session.ts'
import * as Token from '../../core/user/session/token.ts'
import * as Request from './request.ts'
import { failure, refusal } from './response.ts'
import type { Answer, Definition, Event, OpenDefinition, PublicVisit, UserDefinition } from './route.ts'
import type { Access } from './routes.ts'

/** The route of a request: its access and definition, and the parameters of its path. */
export type Found = { access: Access; definition: Definition; params: Record<string, string> }

/** A request before its session is checked. */
type Arrival = Omit<PublicVisit, 'lang'> & Pick<Found, 'access' | 'params'>

type Attempt<T> = { value: T; error?: never } | { value?: never; error: unknown }

/**
 * Checks a request in the order of the contract (session, CSRF, group, body), runs its route, and returns the answer.
 */
export async function admit({ definition, ...found }: Found, event: Event, live: Ports): Promise<Answer> {
  const now = live.clock.now()
  const settings = await Configured.load(now)
  const arrival = { live, now, requestId: event.requestContext.requestId, settings, event, ...found }
  const answer = definition.isOpen
    ? await admitAnybody(definition, arrival)
    : await admitUser(definition, arrival)
  return { ...answer, headers: { ...corsHeaders(event, settings), ...answer.headers } }
}

async function admitAnybody(definition: OpenDefinition, { params, ...visit }: Arrival): Promise<Answer> {
  const { event, settings } = visit
  const { refuse, isEmbeddable = false, isSigned = false, isForm = false } = definition
  const isProgram = refuse !== undefined
  const isBearer = isProgram || (Request.credentials(event)?.isBearer ?? false)
  const known = { ...visit, lang: Request.lang(event) }
  try {
    if (!isSigned) checkOrigin(event, settings, { isBearer, isEmbeddable, isProgram })
    const input = Request.input(definition.input, event, params, isForm ? 'form' : 'json')
    return await definition.run(known, input)
  } catch (error) {
    if (!(error instanceof VisibleError) || !refuse) throw error
    return refuse(error, known)
  }
}

async function admitUser(definition: UserDefinition, { access, params, ...visit }: Arrival): Promise<Answer> {
  const { live, now, requestId, settings, event } = visit
  const given = Request.credentials(event)
  if (!given) throw new VisibleError('session.missing')
  const isRead = event.requestContext.http.method === 'GET'
  const name = Token.verify(given.token)
  if (!name) throw new VisibleError('session.expired')
  // The idempotency key and the input say which items are read together with the session, so both are parsed first.
  // Their mistakes are reported only after the other checks.
  const isForm = definition.isMultipart === true && Request.isForm(event)
  const asked = attemptReading(() => {
    const idempotencyKey = Request.idempotencyKey(event)
    return { idempotencyKey, input: Request.input(definition.input, event, params, isForm ? 'file' : 'json') }
  })
  const { idempotencyKey, input } = asked.value ?? {}
  const keys = asked.value ? definition.reads?.({ uid: name.uid, idempotencyKey, now }, input) : []
  const { session, actor, rows } = await read(live, name, given.token, keys ?? [], now, isRead ? keptMs : 0)
  try {
    checkOrigin(event, settings, { isBearer: given.isBearer, isEmbeddable: false, isProgram: false })
    if (!isRead && !given.isBearer) checkCsrf(event, name.sid)
    if (access === 'chat' && !mayChat(actor, settings)) throw new VisibleError('access.denied')
    if (access === 'administrator' && !actor.isAdmin) throw new VisibleError('administrator.only')
    if (!definition.isPoll) await Session.touch(session, now)
    if (!asked.value) throw asked.error
    return await definition.run({ ...visit, actor, session, rows, idempotencyKey }, input)
  } catch (error) {
    if (!(error instanceof VisibleError)) throw error
    if (error.kind === 'forbidden') {
      const act = { uid: actor.uid, refusal: error.code, operation: event.routeKey, source: 'web' } as const
      await refusal({ ...act, ip: Request.address(event) }, settings.retainAuditDays, now)
    }
    // The user is known here, so the sentence is in their language.
    return failure(error, requestId, actor.lang)
  }
}

/**
 * Maximum age of a connected CMS's answer about a user who only reads, in milliseconds. Each request that changes
 * something, each turn and each tool call asks the CMS again.
 */
const keptMs = 30_000

/**
 * Reads the session, the user, and the items that the route needs. If the user's row is a DynamoDB item, one request
 * reads all of them.
 */
async function read(
  live: Ports,
  name: Token.SessionName,
  token: string,
  keys: Table.Key[],
  now: number,
  maxAgeMs: number,
): Promise<{ session: Session.Session; actor: Actor; rows: (Table.Row | undefined)[] }> {
  const { userRow } = live.cms
  const user = userRow ? [{ table: userRow.table, key: userRow.key(name.uid), consistent: false }] : []
  const [sessionRow, ...others] = await Table.batch([
    { key: Session.key(name) },
    ...keys.map((key) => ({ key })),
    ...user,
  ])
  const session = Session.check(sessionRow, token, now)
  if (!session) throw new VisibleError('session.expired')
  const actor = userRow ? userRow.decode(others.at(-1), now) : await live.cms.user(name.uid, maxAgeMs)
  if (!actor) throw new VisibleError('session.expired')
  await loadLanguage(actor.lang)
  return { session, actor, rows: others.slice(0, keys.length) }
}

function checkCsrf(event: Event, sid: string): void {
  if (Token.isCsrf(event.headers['x-csrf-token'] ?? '', sid)) return
  throw new VisibleError('csrf.invalid')
}

/**
 * Checks that an unsafe method has the Origin of the stage. With Bearer, the Origin may be absent. With Bearer or on an
 * embeddable route, it may also be an origin that may embed the chat.
 */
function checkOrigin(
  event: Event,
  settings: Settings,
  { isBearer, isEmbeddable, isProgram }: { isBearer: boolean; isEmbeddable: boolean; isProgram: boolean },
): void {
  if (event.requestContext.http.method === 'GET') return
  const { origin } = event.headers
  if (origin === undefined && isBearer) return
  if (origin === config().origin) return
  if ((isBearer || isEmbeddable) && origin && settings.embedOrigins.includes(origin)) return
  throw new VisibleError(isProgram ? 'origin.notAllowed' : 'csrf.invalid')
}

/**
 * Returns the CORS headers that let a backend of another origin, which embeds the chat, read the answer. Other origins
 * get no such headers.
 */
function corsHeaders(event: Event, settings: Settings): Record<string, string> {
  const { origin } = event.headers
  if (!origin || !settings.embedOrigins.includes(origin)) return {}
  return { 'access-control-allow-origin': origin, vary: 'origin' }
}

function attemptReading<T>(act: () => T): Attempt<T> {
  try {
    return { value: act() }
  } catch (error) {
    return { error }
  }
}
