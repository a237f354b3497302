import * as z from 'zod'
import { config } from '../../core/base/config.ts'
import { VisibleError } from '../../core/base/error.ts'
import { type Metric, metrics } from '../../core/base/metric/name.ts'
import { mayChat } from '../../core/stage/settings/group.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import * as Audit from '../../core/user/audit.ts'
import { demoUsers } from '../../core/user/session/demo-users.ts'
import { endExchanged, exchange } from '../../core/user/session/exchange.ts'
import { embeddedMs } from '../../core/user/session/exchanged.ts'
import { login, type Started } from '../../core/user/session/login.ts'
import {
  BearerAnswer,
  Credentials,
  DemoUsersAnswer,
  Exchange,
  SessionAnswer,
} from '../../core/user/session/schema.ts'
import * as Session from '../../core/user/session/session.ts'
import * as Token from '../../core/user/session/token.ts'
import { address } from '../http/request.ts'
import { refusal as auditRefusal } from '../http/response.ts'
import { type Answer, openRoute, type PublicVisit, route } from '../http/route.ts'
import { setSession } from '../http/visitor.ts'

const Nothing = z.strictObject({})

/** Routes that begin, show and end a session. */
export const sessionRoutes = {
  'POST /backend/login': openRoute({
    input: Credentials,
    summary: 'Logs in with a password.',
    answers: {
      200: {
        description: 'Who is logged in, and the CSRF token.',
        schema: SessionAnswer,
        headers: ['Set-Cookie'],
      },
    },
    errors: ['login.failed', 'login.throttled'],
    example: { username: 'editor', password: 'demo' },
    run: async ({ live, now, settings, event }, credentials) => {
      // A connected CMS does not share its passwords; its users log in by exchange.
      if (!live.reference) throw new VisibleError('login.failed')
      const { authenticate } = live.reference
      const begin = () => login(authenticate, credentials, address(event), live.clock)
      const started = await audited({ settings, event, now }, begin)
      return { body: answer(started, settings), cookies: [setSession(started.token)] }
    },
  }),
  'POST /backend/exchange': openRoute({
    isEmbeddable: true,
    input: Exchange,
    summary: 'Exchanges a token that a connected CMS signed for a session.',
    description:
      'A JWT (HS256) with `iss`, `aud`, `sub` (uid), `jti` (used once) and `exp` at most 60 s ahead, plus two minutes for clocks that differ. A page of another origin gets `token`, to be sent as `Authorization: Bearer`.',
    answers: {
      200: {
        description: 'As login; from another origin with `token` in place of the cookie.',
        schema: BearerAnswer.partial({ token: true, lastsSeconds: true }),
      },
    },
    errors: ['login.failed', 'login.clock'],
    example: { token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIyIn0.c2lnbmF0dXJl' },
    run: async ({ live, now, settings, event }, { token }): Promise<Answer> => {
      const isEmbedded = event.headers.origin !== config().origin
      const begin = () => exchange(live.cms, settings.exchange, token, now, isEmbedded)
      const started = await audited({ settings, event, now }, begin)
      const body = answer(started, settings)
      // A page of another site gets no strict cookie, so it gets the token, which it keeps in memory.
      if (isEmbedded) return { body: { ...body, token: started.token, lastsSeconds: embeddedMs / 1000 } }
      return { body, cookies: [setSession(started.token)] }
    },
  }),
  'POST /backend/exchange/end': openRoute({
    isSigned: true,
    input: Exchange,
    summary: 'Ends the sessions that began by exchange in one session of the CMS.',
    description:
      'Sent by the server of the CMS at logout: a token as for the exchange, with `sid` (the session of the CMS; absent: all sessions of the user) and `use` = `end`.',
    answers: { 204: { description: 'Ended, also where there was no session.' } },
    errors: ['login.failed', 'login.clock'],
    example: { token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIyIn0.c2lnbmF0dXJl' },
    run: async (visit, { token }) => {
      const ending = endExchanged(visit.settings.exchange, token, visit.now)
      const uid = await ending.catch((error) => refused(visit, error, { operation: visit.event.routeKey }))
      if (uid !== undefined) await auditEnd(visit, uid)
      return { status: 204 }
    },
  }),
  'GET /backend/session': route({
    input: Nothing,
    summary: 'Who is logged in.',
    answers: { 200: { description: 'The session.', schema: SessionAnswer } },
    run: async ({ actor, session, settings }) => ({
      body: answer({ user: actor, csrfToken: Token.csrf(session.sid) }, settings),
    }),
  }),
  'POST /backend/logout': route({
    input: Nothing,
    summary: 'Ends the session at once, on every path.',
    answers: { 204: { description: 'Ended.', headers: ['Set-Cookie'] } },
    run: async ({ session, ...visit }) => {
      await Session.end(session)
      await auditEnd(visit, session.uid)
      return { status: 204, cookies: [setSession('', 0)] }
    },
  }),
  'GET /backend/demo-users': openRoute({
    input: Nothing,
    summary: 'Lists the users that the login page of a local stage offers with one click.',
    answers: { 200: { description: 'The users.', schema: DemoUsersAnswer } },
    run: async ({ lang, live }) => {
      const isElsewhere = live.reference === undefined
      const users = config().isLocal && !isElsewhere ? demoUsers(lang) : []
      return { body: { users, isElsewhere } satisfies DemoUsersAnswer }
    },
  }),
}

type Arrival = Pick<PublicVisit, 'settings' | 'event' | 'now'>

/** Audits the end of the sessions of a user. */
const auditEnd = ({ settings, event, now }: Arrival, uid: number) =>
  Audit.note({ act: 'logoff', uid, ip: address(event), source: 'web' }, settings.retainAuditDays, now)

/** Begins a session and audits it. If the audit cannot be stored, the caller gets no session. */
async function audited(arrival: Arrival, begin: () => Promise<Started>): Promise<Started> {
  const { settings, event, now } = arrival
  const started = await begin().catch((error) => refused(arrival, error, { act: 'logon' }))
  const from = { ip: address(event), source: 'web' } as const
  await Audit.note({ ...from, act: 'logon', uid: started.user.uid }, settings.retainAuditDays, now)
  await countSession(metrics.sessionsStarted)
  return started
}

/** Audits the refusal of a password or statement, and rejects with the error. */
async function refused(
  { settings, event, now }: Arrival,
  error: unknown,
  of: { act: 'logon' } | { operation: string },
): Promise<never> {
  if (error instanceof VisibleError && ['unauthenticated', 'limit'].includes(error.kind)) {
    const { code: refusal, cause } = error
    const why = { refusal, ...(typeof cause === 'string' && { reason: cause }) }
    const from = { ip: address(event), source: 'web', uid: undefined } as const
    await auditRefusal({ ...from, ...of, ...why }, settings.retainAuditDays, now)
    if ('act' in of) await countSession(metrics.sessionsRefused, { code: refusal })
  }
  throw error
}

// Imports the module only here, because most requests begin no session.
const countSession = async (metric: Metric, kind?: { code: string }) =>
  (await import('../../core/base/metric/metric.ts')).count(metric, 1, kind)

function answer({ user, csrfToken }: Pick<Started, 'user' | 'csrfToken'>, settings: Settings): SessionAnswer {
  return { user, csrfToken, mayChat: mayChat(user, settings) }
}
