import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { config } from '../../core/base/config.ts'
import type {
  LogAnswer,
  PageAnswer,
  PagesAnswer,
  RecordAnswer,
  RecordsAnswer,
  TablesAnswer,
} from '../../core/cms/schema.ts'
import { apply } from '../../core/stage/settings/settings.ts'
import type { BearerAnswer, DemoUsersAnswer, SessionAnswer } from '../../core/user/session/schema.ts'
import { handler } from '../../functions/backend.ts'
import { seed } from '../../infra/local/seed/seed.ts'
import { type Answered, type Call, call } from '../support/call.ts'
import { settings } from '../support/settings.ts'

const exchangeKey = 'an exchange key of at least 32 bytes'
const foreign = 'https://cms.example'
process.env.AI_CHAT_SECRET_CMS = exchangeKey

beforeAll(async () => {
  await seed({ table: config().cmsTable as string }, Date.now())
  await apply(
    settings({
      allowedGroups: [1, 2],
      embedOrigins: [foreign],
      exchange: { issuer: 'cms', audience: 'chat', key: 'cms' },
    }),
  )
})

type Failure = { error: { code: string; message: string; fields?: Record<string, string> } }

describe('a session', () => {
  test('begins with the right password, in a cookie that scripts and other sites do not reach', async () => {
    const { status, body, cookies } = await logIn('editor')

    expect(status).toBe(200)
    expect(body).toEqual({
      user: { uid: 2, username: 'editor', name: 'Edgar Holm', isAdmin: false, groups: [1], lang: 'en' },
      csrfToken: expect.stringMatching(/^aicc_[0-9a-f]{64}$/),
      mayChat: true,
    })
    expect(cookies).toEqual([
      expect.stringMatching(/^be_session=[^;]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/),
    ])
  })

  test('does not begin with a wrong one', async () => {
    const answer = await call<Failure>(handler, '/backend/login', {
      body: { username: 'editor', password: 'wrong' },
    })

    expect(answer).toMatchObject({ status: 401, cookies: [], body: { error: { code: 'login.failed' } } })
  })

  test('is shown to the user who has it', async () => {
    const { cookies, body } = await logIn('guest')

    expect(await call(handler, '/backend/session', { cookies })).toMatchObject({
      status: 200,
      body: { ...body, mayChat: false },
    })
  })

  test('is missing without a token, and expired with one that is not valid', async () => {
    const missing = await call<Failure>(handler, '/backend/session')
    const empty = await call<Failure>(handler, '/backend/session', { cookies: ['be_session='] })
    const forged = await call<Failure>(handler, '/backend/session', { cookies: ['be_session=forged'] })

    expect([missing, empty, forged].map(codeOf)).toEqual([
      '401 session.missing',
      '401 session.missing',
      '401 session.expired',
    ])
  })

  test('ends with logout, which needs no body but the CSRF token', async () => {
    const { cookies, body } = await logIn('editor')

    const refused = await call<Failure>(handler, '/backend/logout', { method: 'POST', cookies })
    const ended = await call(handler, '/backend/logout', {
      method: 'POST',
      cookies,
      headers: { 'x-csrf-token': body.csrfToken },
    })

    expect(codeOf(refused)).toBe('403 csrf.invalid')
    expect(ended).toMatchObject({ status: 204, cookies: [expect.stringMatching(/^be_session=; Max-Age=0;/)] })
    expect(codeOf(await call<Failure>(handler, '/backend/session', { cookies }))).toBe('401 session.expired')
  })

  test('is refused to ten wrong guesses from one address, whatever address they claim', async () => {
    const from = '198.51.100.9'
    const guess = (password: string, headers = {}) =>
      call<Failure>(handler, '/backend/login', { body: { username: 'autorin', password }, from, headers })

    for (let n = 0; n < 10; n++)
      await guess('wrong', { 'x-ai-chat-viewer': `192.0.2.${n}`, 'x-ai-chat-router': 'guessed' })

    expect(codeOf(await guess('demo'))).toBe('429 login.throttled')
  })

  test('begins by exchange: a cookie for the own site, a token for another', async () => {
    const own = await call<SessionAnswer>(handler, '/backend/exchange', { body: { token: await token() } })
    const other = await call<BearerAnswer>(handler, '/backend/exchange', {
      body: { token: await token() },
      headers: { origin: foreign },
    })
    const bearer = { headers: { authorization: `Bearer ${other.body.token}` } }

    expect([own.status, own.cookies.length, 'token' in own.body]).toEqual([200, 1, false])
    expect(other).toMatchObject({ status: 200, cookies: [], body: { user: { uid: 2 } } })
    expect(other.headers['access-control-allow-origin']).toBe(foreign)
    expect((await call(handler, '/backend/session', bearer)).status).toBe(200)
  })

  test('does not begin by exchange from an origin that may not embed the chat', async () => {
    const answer = await call<Failure>(handler, '/backend/exchange', {
      body: { token: await token() },
      headers: { origin: 'https://elsewhere.example' },
    })

    expect(codeOf(answer)).toBe('403 csrf.invalid')
  })

  test('neither begins by password nor ends from an origin that embeds the chat, whose pages send no cookie', async () => {
    const { cookies, body } = await logIn('editor')
    const credentials = { username: 'editor', password: 'demo' }
    const login = await call<Failure>(handler, '/backend/login', {
      body: credentials,
      headers: { origin: foreign },
    })
    const logout = await call<Failure>(handler, '/backend/logout', {
      method: 'POST',
      cookies,
      headers: { origin: foreign, 'x-csrf-token': body.csrfToken },
    })

    expect([login, logout].map(codeOf)).toEqual(['403 csrf.invalid', '403 csrf.invalid'])
  })

  test.each([
    ['de-DE', 'Administrator, darf alles'],
    ['fr-CA', 'Administrateur, peut tout faire'],
  ])(
    'is offered with one click on the local stage, in the language %s of the browser',
    async (tag, about) => {
      const { body } = await call<DemoUsersAnswer>(handler, '/backend/demo-users', {
        headers: { 'accept-language': tag },
      })

      expect(body.users.map(({ username }) => username)).toEqual([
        'admin',
        'editor',
        'redakteurin',
        'autorin',
        'guest',
      ])
      expect(body.users[0]?.about).toBe(about)
    },
  )
})

describe('the modules', () => {
  test('show the tree as the user may see it', async () => {
    const forEditor = await as<PagesAnswer>('editor', '/backend/pages')
    const forAdmin = await as<PagesAnswer>('admin', '/backend/pages')

    expect(uids(forEditor.body.pages)).toEqual(expect.arrayContaining([1, 2, 3, 4, 5, 6, 7]))
    expect(uids(forEditor.body.pages)).not.toContain(11)
    expect(uids(forAdmin.body.pages)).toEqual(expect.arrayContaining([10, 11]))
  })

  test('show a page with its content', async () => {
    const { body } = await as<PageAnswer>('editor', '/backend/pages/3')

    expect(body.page).toMatchObject({ uid: 3, title: 'Aurora lamp', mayEdit: true })
    expect(body.content.map(({ title }) => title)).toContain('Aurora lamp')
  })

  test.each([
    '/backend/pages/11',
    '/backend/pages/999',
    '/backend/records/be_users',
    '/backend/records/pages/11',
  ])('say of %s that it is not there, whether it is or not', async (path) => {
    expect(codeOf(await as<Failure>('editor', path))).toBe('404 record.notFound')
  })

  test('show no page whose id the query names again, and know no address without an id', async () => {
    const twice = await as<Failure>('editor', '/backend/pages/1?uid=2')
    const none = await as<Failure>('editor', '/backend/pages/')

    expect(twice.body.error).toMatchObject({ code: 'request.invalid', fields: { uid: 'given in the path' } })
    expect(none.status).toBe(404)
  })

  test('show the tables and their records by page', async () => {
    const { body: tables } = await as<TablesAnswer>('editor', '/backend/records')
    const { body } = await as<RecordsAnswer>('editor', '/backend/records/content?page=3&limit=1')

    expect(tables.tables.map(({ name }) => name)).toEqual(['pages', 'content', 'news', 'media'])
    expect(body).toMatchObject({ table: { name: 'content' }, records: [{ pid: 3 }] })
    expect(body.records).toHaveLength(1)
  })

  test.each(['?limit=0', '?limit=101', '?limit=two', '?page=-1', '?sort=title', '?offset=-1'])(
    'refuse the query %s',
    async (query) => {
      expect(codeOf(await as<Failure>('editor', `/backend/records/content${query}`))).toBe(
        '400 request.invalid',
      )
    },
  )

  test('show the log to administrators alone', async () => {
    const forAdmin = await as<LogAnswer>('admin', '/backend/log?level=error&limit=500')
    const forEditor = await as<LogAnswer>('editor', '/backend/log')

    expect(new Set(forAdmin.body.entries.map(({ level }) => level))).toEqual(new Set(['error', 'critical']))
    expect(forEditor.body).toEqual({ entries: [] })
  })
})

test('a record is made on a page, hidden', async () => {
  const made = await edit<RecordAnswer>('editor', 'content', {
    pid: 3,
    fields: { type: 'text', header: 'New' },
  })
  const refused = await edit<Failure>('autorin', 'content', { pid: 3, fields: { type: 'text' } })

  expect(made).toMatchObject({ status: 201, body: { record: { title: 'New', pid: 3, hidden: true } } })
  expect(codeOf(refused)).toBe('403 record.notAllowed')
})

describe('an edit', () => {
  test('changes the record, and has an entry in its history', async () => {
    const before = await as<RecordAnswer>('editor', '/backend/records/pages/6')

    const { status, body } = await edit<RecordAnswer>('editor', 'pages/6', {
      version: before.body.record.version,
      fields: { title: 'Contact us' },
    })

    expect(status).toBe(200)
    expect(body.record.title).toBe('Contact us')
    expect(body.history[0]).toMatchObject({
      user: 'editor',
      action: 'modify',
      changes: [expect.objectContaining({ field: 'title', before: 'Contact', after: 'Contact us' })],
      correlationId: null,
    })
  })

  test('of an earlier version is refused', async () => {
    const { body } = await as<RecordAnswer>('editor', '/backend/records/pages/5')
    const version = body.record.version
    await edit('editor', 'pages/5', { version, fields: { title: 'About Northlight' } })

    const late = await edit<Failure>('admin', 'pages/5', { version, fields: { title: 'Mine' } })

    expect(codeOf(late)).toBe('409 record.changed')
  })

  test('with a bad value names the field', async () => {
    const { body } = await as<RecordAnswer>('editor', '/backend/records/pages/2')

    const answer = await edit<Failure>('editor', 'pages/2', {
      version: body.record.version,
      fields: { title: '' },
    })

    expect(codeOf(answer)).toBe('400 request.invalid')
    expect(answer.body.error.fields).toEqual({ title: expect.any(String) })
  })

  test('without the right is refused in the language of the user', async () => {
    const { body } = await as<RecordAnswer>('autorin', '/backend/records/pages/2')

    const answer = await edit<Failure>('autorin', 'pages/2', {
      version: body.record.version,
      fields: { title: 'Meins' },
    })

    expect(codeOf(answer)).toBe('403 record.notAllowed')
    expect(answer.body.error.message).toBe('Sie dürfen diesen Datensatz nicht ändern.')
  })
})

test('an unknown address is 404 and a wrong method 405, before any session is asked for', async () => {
  const unknown = await call<Failure>(handler, '/backend/nothing')
  const wrong = await call<Failure>(handler, '/backend/pages', { method: 'DELETE' })

  expect([unknown, wrong].map(codeOf)).toEqual(['404 route.notFound', '405 method.notAllowed'])
})

const sessions = new Map<string, Promise<Answered<SessionAnswer>>>()

function logIn(username: string): Promise<Answered<SessionAnswer>> {
  return call<SessionAnswer>(handler, '/backend/login', {
    body: { username, password: 'demo' },
    from: randomUUID(),
  })
}

async function as<T>(username: string, path: string, options: Call = {}): Promise<Answered<T>> {
  const session = sessions.get(username) ?? logIn(username)
  sessions.set(username, session)
  const { cookies, body } = await session
  return call<T>(handler, path, { cookies, headers: { 'x-csrf-token': body.csrfToken }, ...options })
}

function edit<T>(username: string, record: string, body: unknown): Promise<Answered<T>> {
  return as<T>(username, `/backend/records/${record}`, { body })
}

function token(): Promise<string> {
  return new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('cms')
    .setAudience('chat')
    .setSubject('2')
    .setExpirationTime('30s')
    .sign(new TextEncoder().encode(exchangeKey))
}

const codeOf = ({ status, body }: Answered<Failure>) => `${status} ${body.error.code}`
const uids = (pages: { uid: unknown }[]) => pages.map(({ uid }) => uid)
