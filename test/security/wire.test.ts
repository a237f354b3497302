import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { config } from '../../core/base/config.ts'
import { http } from '../../functions/http/http.ts'
import type { Route } from '../../functions/http/routes.ts'
import { type Behind, type Gateway, startGateway } from '../../infra/local/gateway.ts'
import { connect as clients } from '../../infra/local/resources.ts'
import { serveStore } from '../../infra/local/store-gateway.ts'
import { definitions, named, rightRequest, type Service, startService } from './service.ts'

/**
 * Requests that are cut, stalled or too large, on real connections to every route: each is refused or its connection is
 * closed, and everybody else is served as before. An error without an owner fails this file by itself.
 */

let service: Service
let gateway: Gateway
/** One that gives a client less time. */
let impatient: Gateway
let reported: unknown[]
let session: Record<string, string>

beforeAll(async () => {
  service = await startService()
  const handler = http(definitions, () => service.bench.live)
  reported = []
  const report = (error: unknown) => reported.push(error)
  gateway = await startGateway(0, report)
  impatient = await startGateway(0, report, { headerMs: 400, requestMs: 800 })
  const store = {
    client: clients(process.env as Record<string, string>).s3,
    bucket: config().bucket,
    now: Date.now,
  }
  const behind: Behind = {
    pages: '/nowhere',
    embedOrigins: [],
    invoke: (_, event) => handler(event as never, {} as never),
    store: (request, path, body) => serveStore(store, request, path, body),
  }
  gateway.open(behind)
  impatient.open(behind)
  const { token, csrfToken } = await service.session(2)
  session = { cookie: `be_session=${token}`, 'x-csrf-token': csrfToken, origin: config().origin }
})
afterAll(async () => {
  await Promise.all([gateway.close(), impatient.close()])
  await service.bench.stop()
})

/** A request as its bytes, with the places where it may break. */
type Wire = { head: string; body: string }

const boundary = 'boundary-of-the-test'
const formType = `multipart/form-data; boundary=${boundary}`
const form = [
  `--${boundary}`,
  'Content-Disposition: form-data; name="file"; filename="a.txt"',
  'Content-Type: text/plain',
  '',
  'Some text of a file.',
  `--${boundary}--`,
].join('\r\n')

function wire(method: string, path: string, type: string, body: string, length = body.length): Wire {
  const headers = {
    ...session,
    host: new URL(gateway.origin).host,
    connection: 'close',
    ...(method !== 'GET' && { 'content-type': type, 'content-length': String(length) }),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return { head: `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, body: method === 'GET' ? '' : body }
}

/** The request of a route that is right, whole. */
function right(route: Route, length?: number): Wire {
  const { path = route.path, query, body } = rightRequest(route, { conversationId: 'x', fileUid: 1 })
  const search = query ? `?${new URLSearchParams(query as Record<string, string>)}` : ''
  return wire(route.method, `${path}${search}`, 'application/json', JSON.stringify(body ?? {}), length)
}

const upload = (length?: number) => wire('POST', '/ai-chat/file-upload', formType, form, length)
const toStore = (length?: number) => wire('POST', `/store/${config().bucket}`, formType, form, length)

const requests: [string, (length?: number) => Wire][] = [
  ...named.map(({ name, route }): [string, (length?: number) => Wire] => [
    name,
    (length) => right(route, length),
  ]),
  ['POST /ai-chat/file-upload, a form', upload],
  ['POST /store', toStore],
]

/** The places where a request breaks, as the bytes that still come. */
function cuts({ head, body }: Wire): string[] {
  const closing = body.lastIndexOf('--boundary')
  const inBody = [0, 1, Math.floor(body.length / 2), closing, body.length - 1]
  return [
    head.slice(0, 1),
    head.slice(0, head.indexOf('cookie') + 20),
    head.slice(0, -2),
    ...new Set(inBody.filter((at) => at >= 0 && at < body.length).map((at) => `${head}${body.slice(0, at)}`)),
  ]
}

async function dial(at = gateway): Promise<{ socket: Socket; answer: Promise<string> }> {
  const { port, hostname } = new URL(at.origin)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.on('data', (data) => {
    text += data
  })
  // A connection that the gateway closes in the middle of a write is one of the two answers.
  socket.on('error', () => {})
  const answer = new Promise<string>((done) => socket.on('close', () => done(text)))
  await once(socket, 'connect')
  return { socket, answer }
}

/** The status of an answer; undefined where the connection was closed without one. */
const statusOf = (text: string) => (text === '' ? undefined : Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]))

function expectRefused(text: string) {
  const status = statusOf(text)
  if (status === undefined) return
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
}

async function expectServed(at = gateway) {
  const answered = await fetch(`${at.origin}/backend/session`, { headers: session })
  expect(answered.status).toBe(200)
  expect(reported).toEqual([])
}

describe.each(requests)('%s', (_, request) => {
  test('that is cut by a client that hangs up', async () => {
    for (const bytes of cuts(request())) {
      const { socket, answer } = await dial()
      socket.end(bytes)
      expectRefused(await answer)
    }
    await expectServed()
  })

  test('that is cut by a connection that breaks', async () => {
    for (const bytes of cuts(request())) {
      const { socket, answer } = await dial()
      await new Promise((done) => socket.write(bytes, done))
      socket.resetAndDestroy()
      await answer
    }
    await expectServed()
  })
})

test('requests of every route that stall at every place are given up, while others are served', async () => {
  const { host } = new URL(gateway.origin)
  const stalled = requests.flatMap(([, request]) => {
    const { head, body } = request()
    return cuts({ head: head.replace(host, new URL(impatient.origin).host), body })
  })

  const answers = stalled.map(async (bytes) => {
    const { socket, answer } = await dial(impatient)
    socket.write(bytes)
    return answer
  })
  await expectServed(impatient)
  for (const text of await Promise.all(answers)) expectRefused(text)
  await expectServed(impatient)
})

const posts = requests.filter(([name]) => name.startsWith('POST') && !name.includes('logout'))

test.each(posts)('%s: a body that says it is whole and is not', async (_, request) => {
  const { body } = request()
  for (const at of [1, Math.floor(body.length / 2), body.lastIndexOf('--boundary'), body.length - 1]) {
    if (at < 1) continue
    const { head } = request(at)
    const { socket, answer } = await dial()
    socket.write(`${head}${body.slice(0, at)}`)
    const text = await answer
    expect([at, statusOf(text)]).toEqual([at, expect.any(Number)])
    expectRefused(text)
  }
  await expectServed()
})

test.each(posts)('%s: a body beyond every limit', async (_, request) => {
  const size = 22 * 1024 * 1024
  const { head } = request(size)
  const { socket, answer } = await dial()
  socket.write(head)
  socket.write(Buffer.alloc(size, 'x'))

  expect(statusOf(await answer)).toBe(413)
  await expectServed()
})

test('a body without an end is given up', async () => {
  const { head } = upload()
  const { socket, answer } = await dial()
  socket.write(head.replace(/content-length: \d+/, 'transfer-encoding: chunked'))
  const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`
  const pour = () => {
    while (socket.writable && socket.write(chunk));
  }
  socket.on('drain', pour)
  pour()

  expectRefused(await answer)
  await expectServed()
})

test('a header without an end is refused', async () => {
  const { head } = upload()
  const { socket, answer } = await dial()
  socket.write(`${head.slice(0, -2)}x: ${'y'.repeat(100_000)}`)

  expect(statusOf(await answer)).toBe(431)
  await expectServed()
})
