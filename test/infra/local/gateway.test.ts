import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../../infra/local/gateway.ts'
import { TimeoutError } from '../../../infra/local/lambda.ts'

type Call = { name: string; event: APIGatewayProxyEventV2 }

let gateway: Gateway
let parent: string
let folder: string
let calls: Call[] = []
let answer: (call: Call) => unknown
let reported: unknown[] = []

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'pages-'))
  folder = join(parent, 'web')
  await mkdir(join(folder, 'assets'), { recursive: true })
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Backend</title>')
  await writeFile(join(folder, 'chat.js'), 'export {}')
  await writeFile(join(folder, 'assets', 'main-1a2b.js'), 'export {}')
  gateway = await startGateway(0, (error) => reported.push(error))
  gateway.open({
    pages: folder,
    embedOrigins: ['https://cms.example'],
    invoke: async (name, event) => {
      const call = { name, event: event as APIGatewayProxyEventV2 }
      calls.push(call)
      return answer(call)
    },
    store: async () => ({ status: 418, headers: {}, body: Buffer.from('store') }),
  })
})

afterAll(async () => {
  await gateway.close()
  await rm(parent, { recursive: true })
})

beforeEach(() => {
  calls = []
  reported = []
  answer = () => ({ statusCode: 200, body: '{}' })
})

const asks = (path: string, init: RequestInit = {}) => fetch(`${gateway.origin}${path}`, init)
const event = () => calls[0]?.event

/** What fetch refuses to send: another Host, a raw target. */
function raw(text: string): Promise<string> {
  return new Promise((done, failed) => {
    const socket = connect(Number(new URL(gateway.origin).port), '127.0.0.1', () => socket.write(text))
    let answered = ''
    socket.on('data', (data) => {
      answered += data
    })
    socket.on('end', () => done(answered))
    socket.on('error', failed)
  })
}

test('a request becomes the event that API Gateway would make', async () => {
  await asks(
    '/ai-chat/conversations/messages?conversationId=2-x&after=1&after=2&q=a%20b&constructor=1&__proto__=2',
    {
      headers: { 'X-Custom': 'One', Cookie: 'be_session=abc; other=1' },
    },
  )

  expect(calls[0]?.name).toBe('poll')
  expect(event()).toMatchObject({
    version: '2.0',
    routeKey: 'GET /ai-chat/conversations/messages',
    rawPath: '/ai-chat/conversations/messages',
    rawQueryString: 'conversationId=2-x&after=1&after=2&q=a%20b&constructor=1&__proto__=2',
    queryStringParameters: JSON.parse(
      '{"conversationId":"2-x","after":"1,2","q":"a b","constructor":"1","__proto__":"2"}',
    ),
    cookies: ['be_session=abc', 'other=1'],
    headers: { 'x-custom': 'One' },
    isBase64Encoded: false,
    requestContext: { stage: '$default', http: { method: 'GET', sourceIp: '127.0.0.1' } },
  })
  expect(event()?.headers).not.toHaveProperty('cookie')
  expect(event()).not.toHaveProperty('body')
})

test('a JSON body travels as text, a form as base64', async () => {
  const form = new FormData()
  form.set('file', new Blob(['hello']), 'a.txt')

  await asks('/ai-chat/conversations/send', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"content":"Grüße 👋"}',
  })
  await asks('/ai-chat/file-upload', { method: 'POST', body: form })

  const [json, multipart] = calls.map((call) => call.event)
  expect([json?.body, json?.isBase64Encoded]).toEqual(['{"content":"Grüße 👋"}', false])
  expect(multipart?.isBase64Encoded).toBe(true)
  expect(Buffer.from(multipart?.body ?? '', 'base64').toString()).toContain('hello')
})

test('a route with parameters names them, decoded', async () => {
  await asks('/backend/records/con%20tent/12')

  expect(calls[0]?.name).toBe('backend')
  expect(event()?.routeKey).toBe('GET /backend/records/{table}/{uid}')
  expect(event()?.pathParameters).toEqual({ table: 'con tent', uid: '12' })
})

test.each([
  ['GET', '/ai-chat/nothing'],
  ['DELETE', '/ai-chat/conversations'],
  ['OPTIONS', '/ai-chat/status'],
  ['GET', '/ai-chat/conversations/'],
  ['GET', '/ai-chat/%E0%A4%A'],
])('%s %s goes to the default function', async (method, path) => {
  await asks(path, { method })

  expect(calls.map((call) => [call.name, call.event.routeKey])).toEqual([['backend', '$default']])
})

test('status, headers and cookies of the answer go over the wire', async () => {
  answer = () => ({
    statusCode: 201,
    headers: { 'X-One': '1' },
    cookies: ['a=1; HttpOnly', 'b=2'],
    body: Buffer.from('bytes').toString('base64'),
    isBase64Encoded: true,
  })

  const answered = await asks('/ai-chat/status')

  expect(answered.status).toBe(201)
  expect(answered.headers.get('x-one')).toBe('1')
  expect(answered.headers.getSetCookie()).toEqual(['a=1; HttpOnly', 'b=2'])
  expect(answered.headers.get('x-request-id')).toBe(event()?.requestContext.requestId)
  expect(await answered.text()).toBe('bytes')
})

test('an answer without a status is the JSON of a 200', async () => {
  answer = () => ({ hello: 'world' })

  const answered = await asks('/ai-chat/status')

  expect([answered.status, await answered.json()]).toEqual([200, { hello: 'world' }])
})

test('a 204 has no body', async () => {
  answer = () => ({ statusCode: 204 })

  const answered = await asks('/backend/logout', { method: 'POST' })

  expect([answered.status, answered.headers.get('content-length')]).toEqual([204, null])
})

test.each([
  [
    'throws',
    500,
    'internal.error',
    () => {
      throw new Error('secret detail')
    },
  ],
  [
    'is too late',
    503,
    'service.unavailable',
    () => {
      throw new TimeoutError('late')
    },
  ],
  [
    'answers more than Lambda may',
    500,
    'internal.error',
    () => ({ statusCode: 200, body: 'x'.repeat(6_300_000) }),
  ],
])('a function that %s is answered in the error shape', async (_, status, code, act) => {
  answer = act

  const answered = await asks('/ai-chat/status')

  expect(reported).toHaveLength(1)
  expect(answered.status).toBe(status)
  expect(await answered.json()).toEqual({
    error: {
      code,
      message: expect.stringMatching(/^(?!.*secret)/),
      requestId: answered.headers.get('x-request-id'),
    },
  })
})

test('the encoded event may have 6 MB: 4.5 MB of a file pass, 5 MB do not', async () => {
  const upload = (bytes: number) =>
    asks('/ai-chat/file-upload', {
      method: 'POST',
      headers: { 'content-type': 'application/pdf', 'accept-language': 'de' },
      body: new Uint8Array(bytes),
    })

  expect((await upload(4_600_000)).status).toBe(200)
  const refused = await upload(5_000_000)

  expect(refused.status).toBe(413)
  expect(await refused.json()).toEqual({
    error: {
      code: 'request.tooLarge',
      message: 'Die Anfrage ist zu groß.',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    },
  })
  expect(calls).toHaveLength(1)
})

test('a body beyond every limit is read to its end and refused', async () => {
  const refused = await asks('/ai-chat/file-upload', { method: 'POST', body: new Uint8Array(30_000_000) })

  expect(refused.status).toBe(413)
  expect(calls).toEqual([])
})

test.each(['evil.example', 'evil.example:3000', '127.0.0.1', '127.0.0.1.evil.example'])(
  'the Host %s is refused',
  async (host) => {
    const answered = await raw(`GET /ai-chat/status HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)

    expect(answered).toMatch(/^HTTP\/1.1 400 /)
    expect(answered).toContain('"code":"request.invalid"')
    expect(calls).toEqual([])
  },
)

test('localhost is led to the address of the stage', async () => {
  const { port } = new URL(gateway.origin)
  const answered = await raw(`GET /backend HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`)

  expect(answered).toMatch(/^HTTP\/1.1 307 /)
  expect(answered.toLowerCase()).toContain(`location: ${gateway.origin}/backend\r\n`)
})

test('a client that goes away, and one that speaks no HTTP, disturb no other', async () => {
  const { host } = new URL(gateway.origin)
  const aborted = httpRequest(`${gateway.origin}/ai-chat/file-upload`, {
    method: 'POST',
    headers: { 'content-length': '1000' },
  })
  const closed = new Promise((done) => aborted.on('close', done))
  aborted.on('error', () => {})
  aborted.write('part', () => aborted.destroy())
  await closed
  await raw('NONSENSE\r\n\r\n')

  const answered = await asks('/ai-chat/status')

  expect(answered.status).toBe(200)
  expect(await raw(`GET //x HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 200/,
  )
})

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

test.each([
  '/backend',
  '/backend/',
  '/backend/page/3',
  '/backend/chat/2-01ab',
  '/backend/session',
  '/backend/log',
])('a browser that navigates to %s gets the shell, under a strict policy', async (path) => {
  const answered = await asks(path, { headers: browser })

  expect(await answered.text()).toContain('<title>Backend</title>')
  expect(calls).toEqual([])
  const policy = answered.headers.get('content-security-policy') ?? ''
  expect(policy).not.toMatch(/unsafe-/)
  expect(policy).toMatch(/frame-ancestors 'none'/)
  expect(policy).toMatch(/connect-src 'self'(;|$)/)
  expect(answered.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answered.headers.get('referrer-policy')).toBe('same-origin')
  expect(answered.headers.get('strict-transport-security')).toBeNull()
  expect(answered.headers.get('x-request-id')).toBeTruthy()
})

test.each(['/backend/session', '/backend/pages', '/backend/pages/3', '/backend/nothing'])(
  'a script that fetches %s gets the answer of the function',
  async (path) => {
    await asks(path, { headers: { accept: 'application/json' } })

    expect(calls.map((call) => call.name)).toEqual(['backend'])
  },
)

test('assets are kept for ever, chat.js is asked for again and open to every origin', async () => {
  const asset = await asks('/backend/assets/main-1a2b.js')
  const chat = await asks('/backend/chat.js', { headers: { origin: 'https://cms.example' } })
  const again = await asks('/backend/chat.js', {
    headers: { 'if-none-match': chat.headers.get('etag') ?? '' },
  })

  expect(asset.headers.get('cache-control')).toContain('immutable')
  expect(chat.headers.get('cache-control')).toBe('no-cache')
  expect(chat.headers.get('access-control-allow-origin')).toBe('*')
  expect(chat.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(again.status).toBe(304)
})

test.each(['/backend/../package.json', '/backend/%2e%2e/secret.txt', '/backend/assets/..%2f..%2fsecret.txt'])(
  'no file outside the pages is served: %s',
  async (path) => {
    await writeFile(join(parent, 'secret.txt'), 'secret')
    const { host } = new URL(gateway.origin)

    const answered = await raw(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)

    expect(answered).not.toContain('secret')
    expect(calls.map((call) => call.event.routeKey)).toEqual(['$default'])
  },
)

const asking = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }

test('a page that may embed the chat learns beforehand what it may send, and reads answers and errors', async () => {
  const origin = 'https://cms.example'
  const before = await asks('/ai-chat/conversations/send', {
    method: 'OPTIONS',
    headers: { origin, ...asking },
  })
  const after = await asks('/ai-chat/status', { headers: { origin } })
  answer = () => {
    throw new Error('no')
  }
  const failed = await asks('/ai-chat/status', { headers: { origin } })

  expect(before.status).toBe(204)
  expect(before.headers.get('access-control-allow-headers')).toContain('authorization')
  for (const answered of [before, after, failed]) {
    expect(answered.headers.get('access-control-allow-origin')).toBe(origin)
    expect(answered.headers.get('access-control-allow-credentials')).toBeNull()
    expect(answered.headers.get('vary')).toBe('origin')
  }
  expect(calls.map(({ event: { rawPath } }) => rawPath)).toEqual(['/ai-chat/status', '/ai-chat/status'])
})

test('a page of any other origin learns nothing', async () => {
  const headers = { origin: 'https://evil.example' }
  const before = await asks('/ai-chat/status', { method: 'OPTIONS', headers: { ...headers, ...asking } })
  const after = await asks('/ai-chat/status', { headers })

  expect([before, after].map((answered) => answered.headers.get('access-control-allow-origin'))).toEqual([
    null,
    null,
  ])
  expect(calls.map(({ event: { routeKey } }) => routeKey)).toEqual(['$default', 'GET /ai-chat/status'])
})

test('what is below /store/ goes to the store', async () => {
  expect((await asks('/store/files')).status).toBe(418)
})

test('until it is opened the gateway answers 503', async () => {
  const closed = await startGateway(0, () => {})
  const answered = await fetch(`${closed.origin}/ai-chat/status`)
  await closed.close()

  expect(answered.status).toBe(503)
  expect(await answered.json()).toMatchObject({ error: { code: 'service.unavailable', retryAfterMs: 1000 } })
})
