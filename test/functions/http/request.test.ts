import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codes } from '../../../core/base/error.ts'
import { authenticate } from '../../../core/cms/reference/login.ts'
import { add, save } from '../../../core/cms/reference/put.ts'
import { http } from '../../../functions/http/http.ts'
import type { Event, Handler } from '../../../functions/http/route.ts'
import { routes as card, type Route } from '../../../functions/http/routes.ts'
import { definitions, rightRequest } from '../../security/service.ts'
import { type Answered, type Call, call } from '../../support/call.ts'
import { type Bench, startBench, type User } from '../../support/live.ts'
import { storedWith } from '../../support/seeded.ts'

/**
 * What every route of the card says to a request that is not right, and in which order it looks. Who may call a route at
 * all is in test/security/access.test.ts.
 */

let bench: Bench
let handler: Handler
let mine: string
let theirs: string
let editor: User
let admin: User

beforeAll(async () => {
  bench = await startBench()
  const table = bench.site.table
  const reference = {
    authenticate: (...given: [string, string, number]) => authenticate(table, ...given),
    save: (...given: Parameters<typeof save> extends [string, ...infer R] ? R : never) =>
      save(table, ...given),
    add: (...given: Parameters<typeof add> extends [string, ...infer R] ? R : never) => add(table, ...given),
  }
  handler = http(definitions, () => ({ ...bench.live, reference }))
  editor = await bench.login('editor')
  admin = await bench.login('admin')
  const autorin = await bench.login('autorin')
  theirs = (await autorin.send('Mine alone')).conversation.id
  bench.api.always({ text: 'Answer.' })
  await bench.settle()
})
afterAll(() => bench.stop())

/** A request of the route that its schema lets through. */
function request(route: Route, conversationId: string) {
  const { path = route.path, query, body } = rightRequest(route, { conversationId, fileUid: 1 })
  return { path, query: { ...query } as Record<string, string>, body: body as object | undefined }
}

function address(path: string, query: Record<string, string>): string {
  const search = new URLSearchParams(query)
  return search.size > 0 ? `${path}?${search}` : path
}

type Failure = { error: { code: string; fields?: Record<string, string> } }

function ask(route: Route, options: Call & { conversationId?: string } = {}): Promise<Answered<Failure>> {
  const { conversationId = mine, ...more } = options
  const { path, query, body } = request(route, conversationId)
  return call<Failure>(handler, address(path, query), {
    method: route.method,
    ...(body && { body }),
    ...more,
  })
}

/** Checks that an answer is the error of the contract and nothing more; answers status and code. */
function refusal(answer: Answered<Failure>): [number, string] {
  const { status, headers } = answer
  const body = errorOf(answer)
  expect(body).toEqual({
    error: {
      code: expect.any(String),
      message: expect.stringMatching(/^[\p{L}\p{N}\p{P}\p{S} ]{10,}$/u),
      requestId: headers['x-request-id'],
      ...('retryAfterMs' in body.error && { retryAfterMs: expect.any(Number) }),
      ...('fields' in body.error && { fields: expect.any(Object) }),
    },
  })
  expect(Object.keys(codes)).toContain(body.error.code)
  expect(headers['cache-control']).toBe('no-store')
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  return [status, body.error.code]
}

/** The error of an answer; what programs get is an error of JSON-RPC around it. */
function errorOf({ body }: Answered<Failure>): Failure {
  if (!('jsonrpc' in body)) return body
  const { code, message, data } = body.error as unknown as {
    code: number
    message: string
    data: Failure['error']
  }
  expect(body).toEqual({ jsonrpc: '2.0', id: expect.toSatisfy(isId), error: { code, message, data } })
  expect([-32_700, -32_600, -32_000]).toContain(code)
  return { error: { ...data, message } } as Failure
}

const isId = (id: unknown) => id === null || typeof id === 'number'

const as = (user: User, more: Record<string, string> = {}) => ({
  cookies: [`be_session=${user.token}`],
  headers: { 'x-csrf-token': user.csrfToken, ...more },
})

// Clients of OAuth hear refusals in its own form: `routes/oauth.test.ts`.
const guarded = card.filter(({ access }) => access !== 'public' && access !== 'client')
const named = (routes: Route[]) => routes.map((route) => [`${route.method} ${route.path}`, route] as const)
const changing = guarded.filter(({ access, method }) => method === 'POST' && access !== 'token')
const chat = card.filter(({ access }) => access === 'chat')
const ofOne = chat.filter((route) => JSON.stringify(request(route, 'id-of-one')).includes('id-of-one'))

const open = card.filter(({ access, method }) => access === 'public' && method === 'POST')

test.each(named(open))(
  '%s, without a session, names a few of thousands of unknown fields',
  async (_, route) => {
    const { body } = request(route, '')
    const unknown = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [`${at}${'x'.repeat(200)}`, 1]),
    )

    const answer = await ask(route, { body: { ...body, ...unknown } })

    expect(refusal(answer)).toEqual([400, 'request.invalid'])
    expect(JSON.stringify(answer.body).length).toBeLessThan(10_000)
  },
)

test('a session is looked for before the body', async () => {
  const answer = await ask(changing[0] as Route, { body: { surprise: 1 } })

  expect(refusal(answer)).toEqual([401, 'session.missing'])
})

test('a wrong field inside another is named after both', async () => {
  const body = { conversationId: mine, content: 'Hello', viewContext: { pageId: 3, extra: 1 } }

  const answer = await call<Failure>(handler, '/ai-chat/conversations/send', {
    method: 'POST',
    body,
    ...as(editor),
  })

  expect(answer.body.error).toMatchObject({
    code: 'request.invalid',
    fields: { 'viewContext.module': expect.any(String), 'viewContext.extra': expect.any(String) },
  })
})

test('nineteen routes are about one conversation', () => {
  expect(ofOne).toHaveLength(19)
})

test.each([
  ['is no JSON', '{"jsonrpc":', -32_700],
  ['is no object', '[]', -32_600],
  ['is no message', '{"jsonrpc":"1.0","id":1}', -32_600],
])('a program whose body %s gets the code of JSON-RPC for it', async (_, body, code) => {
  const route = card.find(({ access }) => access === 'token') as Route

  const answer = await raw(route, body, 'application/json')

  expect([answer.status, (answer.body.error as { code: unknown }).code]).toEqual([400, code])
})

describe.each(named(guarded))('%s', (_, route) => {
  beforeAll(async () => {
    mine = (await storedWith(['Question', 'Answer'])).id
  })

  test('without a session, from a page of another site', async () => {
    const answer = await ask(route, { headers: { origin: 'https://evil.example' } })

    // A program is on no page: MCP wants a foreign origin refused, whatever the token is.
    const isForPrograms = route.access === 'token'
    expect(refusal(answer)).toEqual(isForPrograms ? [403, 'origin.notAllowed'] : [401, 'session.missing'])
  })

  test('with an unknown parameter in the address', async () => {
    const { path, query, body } = request(route, mine)
    const who = route.access === 'administrator' ? admin : editor
    const options = { method: route.method, ...(body && { body }), ...as(who) }

    const answer = await call<Failure>(handler, address(path, { ...query, surprise: '1' }), options)

    expect(refusal(answer)).toEqual([400, 'request.invalid'])
    expect(errorOf(answer)).toMatchObject({ error: { fields: { surprise: expect.any(String) } } })
  })

  test('by a method that it has not', async () => {
    const answer = await call<Failure>(handler, request(route, mine).path, { method: 'DELETE' })

    expect(refusal(answer)).toEqual([405, 'method.notAllowed'])
    expect(answer.headers.allow?.split(', ')).toContain(route.method)
  })
})

test.each(['/', '/backend', '/backend/', '/backend/chat.js', '/backend/assets/chat-1.js'])(
  'the page %s is read, and nothing else',
  async (path) => {
    const answers = await Promise.all(
      (['POST', 'PUT', 'GET'] as const).map((method) => call<Failure>(handler, path, { method })),
    )

    expect(answers.map(refusal)).toEqual([
      [405, 'method.notAllowed'],
      [405, 'method.notAllowed'],
      [404, 'route.notFound'],
    ])
    expect(answers.map(({ headers }) => headers.allow)).toEqual(['GET, HEAD', 'GET, HEAD', undefined])
  },
)

describe.each(named(changing))('%s', (_, route) => {
  test('without an Origin', async () => {
    const { origin: _, ...headers } = as(editor).headers as Record<string, string>
    const answer = await withoutOrigin(route, { cookies: as(editor).cookies, headers })

    expect(refusal(answer)).toEqual([403, 'csrf.invalid'])
  })

  test('with a body that is not JSON, or no JSON by its type, or no object', async () => {
    const broken = await raw(route, '{"conversationId":', 'application/json')
    const typed = await raw(route, '{}', 'text/plain')
    const array = await raw(route, '[]', 'application/json')

    for (const answer of [broken, typed, array]) expect(refusal(answer)).toEqual([400, 'request.invalid'])
  })

  test('with objects in more levels than any schema has', async () => {
    for (const levels of [33, 3_000, 100_000]) {
      const nested = `{"content":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`
      expect(refusal(await raw(route, nested, 'application/json'))).toEqual([400, 'request.invalid'])
    }
  })

  test('with thousands of unknown fields, of which the answer names a few', async () => {
    const { body } = request(route, mine)
    const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`unknown${at}`, 1]))

    const answer = await ask(route, { ...as(editor), body: { ...body, ...unknown } })

    expect(refusal(answer)).toEqual([400, 'request.invalid'])
    expect(Object.keys(answer.body.error.fields ?? {})).toHaveLength(20)
    expect(JSON.stringify(answer.body).length).toBeLessThan(10_000)
  })

  test('with an unknown field', async () => {
    const { body } = request(route, mine)

    const answer = await ask(route, { ...as(editor), body: { ...body, surprise: 1 } })

    expect(refusal(answer)).toEqual([400, 'request.invalid'])
    expect(answer.body).toMatchObject({ error: { fields: { surprise: expect.any(String) } } })
  })

  test('with each of its fields of a wrong type', async () => {
    const { body = {} } = request(route, mine)
    for (const name of Object.keys(body)) {
      for (const wrong of [null, ['x'], { x: 1 }]) {
        // Without a verdict, feedback is taken back.
        if (name === 'verdict' && wrong === null) continue
        const answer = await ask(route, { ...as(editor), body: { ...body, [name]: wrong } })
        if (name === 'fields' && !Array.isArray(wrong) && wrong) continue
        expect([name, ...refusal(answer)]).toEqual([name, 400, 'request.invalid'])
        expect(Object.keys(answer.body.error.fields ?? {})[0]).toMatch(new RegExp(`^${name}`))
      }
    }
  })
})

describe.each(named(chat))('%s', (_, route) => {
  test('by who may not chat, in German', async () => {
    await bench.edit('be_users', 4, { lang: 'de' })
    const guest = await bench.login('guest')

    const { body } = await ask(route, as(guest))

    expect(body).toMatchObject({
      error: { message: expect.stringContaining('Sie dürfen den KI-Chat nicht') },
    })
    await bench.edit('be_users', 4, { lang: 'en' })
  })
})

test('by who may not chat, in a language that is not in the code itself', async () => {
  await bench.edit('be_users', 4, { lang: 'fr' })
  const guest = await bench.login('guest')

  const { body } = await call<Failure>(handler, '/ai-chat/status', as(guest))

  expect(body).toMatchObject({
    error: { message: 'Vous n’avez pas accès au chat IA. Un administrateur peut vous l’accorder.' },
  })
  await bench.edit('be_users', 4, { lang: 'en' })
})

describe.each(named(ofOne))('%s', (_, route) => {
  test.each<[string, () => string, 'editor' | 'admin']>([
    ['another user’s conversation, as an administrator', () => theirs, 'admin'],
    ['a conversation that is not there', () => '2-01arz3ndektsv4rrffq69g5fav', 'editor'],
    ['what is no id', () => '../../settings', 'editor'],
  ])('of %s', async (_, id, username) => {
    const user = await bench.login(username)

    expect(refusal(await ask(route, { ...as(user), conversationId: id() }))).toEqual([
      404,
      'conversation.notFound',
    ])
  })
})

test.each([
  ['GET', '/ai-chat/nothing'],
  ['POST', '/ai-chat/conversations/messages/all'],
  ['GET', '/'],
] as const)('%s %s is no route for any caller', async (method, path) => {
  expect(refusal(await call<Failure>(handler, path, { method }))).toEqual([404, 'route.notFound'])
})

test('a request that ends unexpectedly is answered without any detail', async () => {
  const broken = http(definitions, () => ({
    ...bench.live,
    cms: {
      ...bench.live.cms,
      pageTree: async () => {
        throw new Error('connect ECONNREFUSED 10.1.2.3:5432, password=hunter2')
      },
    },
  }))

  const answer = await call<Failure>(broken, '/backend/pages', as(editor))

  expect(refusal(answer)).toEqual([500, 'internal.error'])
  expect(JSON.stringify(answer)).not.toMatch(/ECONNREFUSED|hunter2|at .*\.ts/)
})

test.each([
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=x', 'limit'],
  ['archived=1', 'archived'],
  ['cursor=x', 'cursor'],
  ['cursor=', 'cursor'],
  ['limit=1&limit=2', 'limit'],
])('a list with %s names what is wrong', async (query, field) => {
  const answer = await call<Failure>(handler, `/ai-chat/conversations?${query}`, as(editor))

  expect(refusal(answer)).toEqual([400, 'request.invalid'])
  expect(answer.body).toMatchObject({ error: { fields: { [field]: expect.any(String) } } })
})

test.each(['limit=0', 'limit=201', 'after=-1', 'version=x', 'tail=0', 'before=1.5'])(
  'a poll with %s is refused',
  async (query) => {
    const answer = await call<Failure>(
      handler,
      `/ai-chat/conversations/messages?conversationId=${mine}&${query}`,
      as(editor),
    )

    expect(refusal(answer)).toEqual([400, 'request.invalid'])
  },
)

test('lengths count code points wherever there is a limit', async () => {
  const post = (path: string, body: object) =>
    call<Failure>(handler, `/ai-chat/conversations/${path}`, { body, ...as(editor) })
  const reason = (length: number) =>
    post('approve', { conversationId: mine, digest: 'x', approve: false, reason: '😀'.repeat(length) })

  expect(refusal(await reason(2_000))).toEqual([409, 'approval.notPending'])
  expect(refusal(await reason(2_001))).toEqual([400, 'request.invalid'])
  const search = (length: number) =>
    call<Failure>(
      handler,
      `/ai-chat/conversations?search=${encodeURIComponent('😀'.repeat(length))}`,
      as(editor),
    )
  expect((await search(255)).status).toBe(200)
  expect(refusal(await search(256))).toEqual([400, 'request.invalid'])
})

/** Calls the route as a program does that sends no Origin. */
function withoutOrigin(route: Route, options: Call): Promise<Answered<Failure>> {
  const { path, query, body } = request(route, mine)
  const plain: Handler = (event, context) => {
    const { origin: _, ...headers } = event.headers
    return handler({ ...event, headers }, context)
  }
  return call<Failure>(plain, address(path, query), {
    method: route.method,
    ...(body && { body }),
    ...options,
  })
}

/** Calls the route with this very body. */
function raw(route: Route, body: string, type: string): Promise<Answered<Failure>> {
  const sent: Handler = (event: Event, context) =>
    handler({ ...event, body, headers: { ...event.headers, 'content-type': type } }, context)
  return call<Failure>(sent, request(route, mine).path, {
    method: 'POST',
    body: {},
    cookies: as(editor).cookies,
    headers: { ...as(editor).headers, 'idempotency-key': randomUUID() },
  })
}
