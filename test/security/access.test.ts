import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as Token from '../../core/user/access-token/token.ts'
import * as Exchanged from '../../core/user/session/exchanged.ts'
import * as Ticket from '../../core/user/session/exchanged.ts'
import * as Session from '../../core/user/session/session.ts'
import type { Route } from '../../functions/http/routes.ts'
import { seedPictures } from '../../infra/local/seed/content.ts'
import type { Call } from '../support/call.ts'
import {
  codeOf,
  definitions,
  named,
  type Refusal,
  type RpcRefusal,
  rightRequest,
  type Service,
  startService,
} from './service.ts'

/** Who may call which route: every row of these tables comes from the card, so that no route can be forgotten. */

let service: Service
let foreign: { conversationId: string; fileUid: number }

beforeAll(async () => {
  service = await startService()
  const admin = await service.bench.login('admin')
  const { conversation } = await admin.send('A secret of the administrator')
  const data = new FormData()
  data.set('file', new Blob(['Private notes'], { type: 'text/plain' }), 'notes.txt')
  const { body } = await admin.ask<{ fileUid: number }>('/ai-chat/file-upload', { form: data })
  await seedPictures()
  foreign = { conversationId: conversation.id, fileUid: body.fileUid }
})
afterAll(() => service.bench.stop())

const guarded = named.filter(({ route }) => !['public', 'token', 'client'].includes(route.access))
const ofAdministrators = named.filter(({ route }) => route.access === 'administrator')
const ofChat = named.filter(({ route }) => route.access === 'chat')
const changing = guarded.filter(({ route }) => route.method === 'POST')

/** A right request, sent as `who` says. */
async function refusal(route: Route, who: Call): Promise<[status: number, code: string | undefined]> {
  const { status, body } = await service.ask<Partial<Refusal | RpcRefusal> | undefined>(route, {
    ...rightRequest(route, foreign),
    ...who,
  })
  return [status, body?.error && codeOf(body.error)]
}

async function cookie(
  uid: number,
  agoMs = 0,
): Promise<{ cookies: string[]; headers: Record<string, string> }> {
  const { token, csrfToken } = await service.session(uid, agoMs)
  return { cookies: [`be_session=${token}`], headers: { 'x-csrf-token': csrfToken } }
}

const ofPrograms = named.filter(({ route }) => route.access === 'token')
const offered = { accessTokens: { trustZone: 'internal' as const } }

/** A program with an access token of a user; `forged` changes the token. */
async function bearer(uid: number, forged = (token: string) => token): Promise<Call> {
  const { token } = await Token.create({ uid }, { name: 'Program', days: 7 }, service.bench.clock.now())
  return { headers: { authorization: `Bearer ${forged(token)}`, ...asProgram } }
}

/** A program sends no origin, and takes what the protocol demands. */
const asProgram = { origin: undefined as never, accept: 'application/json, text/event-stream' }

describe.each(ofPrograms)('$name', ({ route }) => {
  const lastOf = (token: string) => (token.endsWith('A') ? 'B' : 'A')

  test.each<[string, () => Promise<Call> | Call]>([
    ['no token', () => ({ headers: asProgram })],
    ['the session of a browser', async () => ({ cookies: (await cookie(2)).cookies, headers: asProgram })],
    [
      'the token of the session of a browser, as a Bearer too',
      async () => ({
        headers: { ...asProgram, authorization: `Bearer ${(await service.session(2)).token}` },
      }),
    ],
    ['a token with another end', () => bearer(2, (token) => token.slice(0, -1) + lastOf(token))],
    ['a token with the name of another user', () => bearer(2, (token) => token.replace('_2_', '_1_'))],
    ['a token of a user who is gone', () => bearer(999)],
    ['credentials of another scheme', () => ({ headers: { ...asProgram, authorization: 'Basic YTpi' } })],
  ])('is closed to %s', async (_, who) => {
    const { status, headers } = await service.ask(route, {
      ...rightRequest(route, foreign),
      ...(await who()),
    })
    expect([status, headers['www-authenticate']]).toEqual([
      401,
      expect.stringMatching(/^Bearer .*resource_metadata=/),
    ])
  })

  test('is open to the session that a connected CMS began for a user, as a Bearer alone, and until it ends there', async () => {
    const now = service.bench.clock.now()
    const { token = '' } =
      (await Exchanged.start(2, Exchanged.storedName('of the CMS'), Exchanged.embeddedMs, now, true)) ?? {}
    const asBearer = { headers: { ...asProgram, authorization: `Bearer ${token}` } }
    expect(await refusal(route, asBearer)).toEqual([200, undefined])
    expect(await refusal(route, { headers: asProgram, cookies: [`be_session=${token}`] })).toEqual([
      401,
      'session.missing',
    ])
    await Exchanged.end(2, 'of the CMS', now)
    expect(await refusal(route, asBearer)).toEqual([401, 'session.expired'])
    const ticket = await Ticket.enter(await Ticket.issue({ uid: 2, sid: '' }, now), now)
    const confirmed = { headers: { ...asProgram, authorization: `Bearer ${ticket?.token}` } }
    expect(await refusal(route, confirmed)).toEqual([401, 'session.expired'])
  })

  test('is closed to a token after its end, and after it was revoked', async () => {
    const uid = 2
    const [ended, revoked] = [await bearer(uid), await bearer(uid)]
    const id = revoked.headers?.authorization?.split('_')[2] ?? ''
    expect(await refusal(route, revoked)).toEqual([200, undefined])
    await Token.revoke({ uid: 1 }, id)
    expect(await refusal(route, revoked)).toEqual([200, undefined])
    await Token.revoke({ uid }, id)
    expect(await refusal(route, revoked)).toEqual([401, 'session.expired'])
    await service.bench.clock.pass(7 * 86_400_000)
    expect(await refusal(route, ended)).toEqual([401, 'session.expired'])
  })

  test('is closed to a user who has lost the chat, and to pages of other sites', async () => {
    expect(await refusal(route, await bearer(4))).toEqual([403, 'access.denied'])
    const who = await bearer(2)
    expect(await refusal(route, { headers: { ...who.headers, origin: 'https://evil.example' } })).toEqual([
      403,
      'origin.notAllowed',
    ])
  })

  test('is not there while the stage offers no access tokens', async () => {
    const who = await bearer(2)
    await service.bench.configure({ accessTokens: null })
    const refused = await refusal(route, who)
    await service.bench.configure(offered)
    expect(refused).toEqual([404, 'route.notFound'])
  })
})

test('every route of the card has an answer, and every answer is on the card', () => {
  expect(Object.keys(definitions).toSorted()).toEqual(named.map(({ name }) => name).toSorted())
  for (const { name, route } of named) {
    const definition = definitions[name]
    expect(definition?.isOpen, name).toBe(['public', 'token', 'client'].includes(route.access))
    // Programs get refusals in the form of their protocol.
    const isForPrograms = route.access === 'token' || route.access === 'client'
    expect(definition?.isOpen && definition.refuse !== undefined, name).toBe(
      definition?.isOpen && isForPrograms,
    )
  }
})

describe.each(guarded)('$name is closed', ({ route }) => {
  test.each<[string, () => Promise<Call> | Call, string]>([
    ['without a session', () => ({}), 'session.missing'],
    ['to an empty cookie', () => ({ cookies: ['be_session='] }), 'session.missing'],
    ['to a cookie of another name', () => ({ cookies: ['be_typo_user=1'] }), 'session.missing'],
    ['to a session that was not used for two hours', () => cookie(2, Session.idleMs), 'session.expired'],
    ['to a session of twelve hours', () => cookie(1, Session.absoluteMs), 'session.expired'],
    ['to a token of our own making', forged, 'session.expired'],
    ['to a token without a signature', unsigned, 'session.expired'],
    ['to a session that has ended', ended, 'session.expired'],
    ['to a wrong Bearer token beside a right cookie', misled, 'session.expired'],
    ['to credentials of another scheme', withCredentials('Basic YTpi'), 'session.missing'],
    ['to Bearer without a token', withCredentials('Bearer '), 'session.missing'],
    ['to Bearer with two words', withCredentials('Bearer a b'), 'session.missing'],
  ])('%s', async (_, who, code) => {
    expect(await refusal(route, await who())).toEqual([401, code])
  })
})

/** Other credentials beside a right cookie, which counts no more. */
function withCredentials(authorization: string): () => Promise<Call> {
  return async () => {
    const { cookies, headers } = await cookie(2)
    return { cookies, headers: { ...headers, authorization } }
  }
}

async function forged(): Promise<Call> {
  const token = await new SignJWT({ sid: randomBytes(16).toString('hex') })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('1')
    .sign(randomBytes(32))
  return { cookies: [`be_session=${token}`] }
}

async function unsigned(): Promise<Call> {
  const { token } = await service.session(1)
  const [, claims] = token.split('.')
  const header = Buffer.from('{"alg":"none"}').toString('base64url')
  return { cookies: [`be_session=${header}.${claims}.`] }
}

async function ended(): Promise<Call> {
  const { token, csrfToken } = await service.session(2)
  const headers = { 'x-csrf-token': csrfToken }
  await service.ask(logout, { cookies: [`be_session=${token}`], headers })
  return { cookies: [`be_session=${token}`], headers }
}

async function misled(): Promise<Call> {
  const { cookies, headers } = await cookie(2)
  return { cookies, headers: { ...headers, authorization: 'Bearer nonsense' } }
}

const logout: Route = {
  method: 'POST',
  path: '/backend/logout',
  function: 'backend',
  access: 'session',
}

describe.each(changing)('$name', ({ route }) => {
  test('needs the CSRF token of its session', async () => {
    const { cookies, headers } = await cookie(2)
    const another = await service.session(2)
    const tokens = ['', 'x', another.csrfToken, headers['x-csrf-token']?.slice(1) ?? '']
    for (const token of tokens) {
      const who = { cookies, headers: { 'x-csrf-token': token } }
      expect(await refusal(route, who)).toEqual([403, 'csrf.invalid'])
    }
  })

  test.each(['https://evil.example', 'null', `${'http://127.0.0.1:3000'}.evil.example`, 'http://127.0.0.1'])(
    'is closed to a page of %s, with cookie and with Bearer',
    async (origin) => {
      const { token } = await service.session(2)
      const { cookies, headers } = await cookie(2)
      expect(await refusal(route, { cookies, headers: { ...headers, origin } })).toEqual([
        403,
        'csrf.invalid',
      ])
      expect(await refusal(route, { headers: { authorization: `Bearer ${token}`, origin } })).toEqual([
        403,
        'csrf.invalid',
      ])
    },
  )
})

describe.each(guarded)('$name', ({ route }) => {
  test('takes a Bearer token, without CSRF token and Origin', async () => {
    const { token } = await service.session(2)
    const headers = { authorization: `Bearer ${token}`, origin: undefined as never }
    const [status, code] = await refusal(route, { headers })
    expect(status).not.toBe(500)
    expect(['session.missing', 'session.expired', 'csrf.invalid', 'access.denied']).not.toContain(code)
  })

  test('asks a connected CMS for the user afresh before it changes something', async () => {
    const { live, site } = service.bench
    const ages: (number | undefined)[] = []
    const { userRow, ...connected } = site.cms
    expect(userRow).toBeDefined()
    live.cms = {
      ...connected,
      user: (uid, maxAgeMs) => {
        ages.push(maxAgeMs)
        return site.cms.user(uid)
      },
    }
    await refusal(route, await cookie(2))
    live.cms = site.cms
    expect(ages[0]).toBe(route.method === 'GET' ? 30_000 : 0)
  })

  test('tells another site nothing by CORS', async () => {
    const { cookies, headers } = await cookie(2)
    const answer = await service.ask(route, {
      ...rightRequest(route, foreign),
      cookies,
      headers: { ...headers, origin: 'https://evil.example' },
    })
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  test('is answered with the headers of every answer', async () => {
    const answer = await service.ask(route, { ...rightRequest(route, foreign), ...(await cookie(2)) })
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/.{8,}/),
    })
  })
})

describe.each(ofAdministrators)('$name', ({ route }) => {
  test.each([2, 3, 4])('is closed to user %i, who is no administrator', async (uid) => {
    expect(await refusal(route, await cookie(uid))).toEqual([403, 'administrator.only'])
  })

  test('is open to an administrator', async () => {
    expect(await refusal(route, await cookie(1))).toEqual([200, undefined])
  })
})

describe.each(ofChat)('$name', ({ route }) => {
  test('is closed to who is in no allowed group', async () => {
    expect(await refusal(route, await cookie(4))).toEqual([403, 'access.denied'])
  })

  test('knows nothing of what belongs to another user', async () => {
    const { body, query } = rightRequest(route, foreign)
    const names = JSON.stringify(body ?? query ?? {})
    const code = names.includes(foreign.conversationId)
      ? 'conversation.notFound'
      : names.includes(String(foreign.fileUid)) && names.includes('fileUid')
        ? 'file.notFound'
        : namesServer(route)
          ? 'connection.notFound'
          : undefined
    const [status, told] = await refusal(route, await cookie(2))
    if (code) expect([status, told]).toEqual([404, code])
    else expect(status).toBeLessThan(300)
  })
})

/** A server that the user may not connect is one that does not exist; what is not connected can be disconnected. */
const namesServer = ({ path }: Route) => /\/connections\/(begin|token)$/.test(path)

test("a user's file cannot be sent by another one", async () => {
  const route = named.find(({ name }) => name === 'POST /ai-chat/conversations/send')?.route as Route
  const body = { content: 'Whose is this?', fileUid: foreign.fileUid }
  const { status, body: told } = await service.ask(route, { body, ...(await cookie(2)) })
  expect([status, told.error.code]).toEqual([404, 'file.notFound'])
})

test('an administrator has no way into the conversation of another user', async () => {
  const editor = await service.bench.login('editor')
  const { conversation } = await editor.send('Only mine')
  const admin = await service.bench.login('admin')
  const answer = await admin.get<Refusal>('/conversations/messages', { conversationId: conversation.id })
  expect([answer.status, answer.body.error.code]).toEqual([404, 'conversation.notFound'])
})

test.each(named)('$name is another address with another method, and no other address', async ({ route }) => {
  const { path } = rightRequest(route, foreign)
  const wrong = { ...route, method: 'PUT' as never }
  expect((await service.ask(wrong, { path: path ?? route.path })).status).toBe(405)
  expect((await service.ask(route, { path: `${path}/and/no/such/thing` })).status).toBe(404)
})
