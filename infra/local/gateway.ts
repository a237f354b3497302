import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Code, VisibleError } from '../../core/base/error.ts'
import { jsonBytes } from '../../core/base/json.ts'
import { languageOf, loadLanguage } from '../../core/base/language.ts'
import { failure, result } from '../../functions/http/response.ts'
import type { FunctionName } from '../../functions/http/routes.ts'
import { embedding } from '../headers.ts'
import { payloadBytes } from '../limits.ts'
import { event, match, split, type Wire, wire } from './event.ts'
import { TimeoutError } from './lambda.ts'
import { answerPage } from './pages.ts'

/** The parts of the stage that the gateway forwards requests to. */
export type Behind = {
  /** Invokes a function with an event of API Gateway. */
  invoke(name: FunctionName, event: unknown): Promise<unknown>
  /** Folder of the built pages. */
  pages: string
  /** Origins whose pages may call the API. */
  embedOrigins: string[]
  /** Answers the requests of browsers to the file store, below `/store/`. */
  store(request: IncomingMessage, path: string, body: Buffer): Promise<Wire>
}

/** The only address of the stage, on loopback. It answers 503 until `open` is called. */
export type Gateway = { origin: string; open(behind: Behind): void; close(): Promise<void> }

/** The maximum size of an accepted body, in bytes: the direct upload of a file of 20 MB, with its form fields. */
const bodyBytes = 21 * 1024 * 1024
/**
 * The size in bytes up to which the gateway reads a body that it refuses as too large. A browser reads the refusal only
 * after it has sent the body.
 */
const patienceBytes = 128 * 1024 * 1024

/** Time limits for a client, in milliseconds: to send the header, and to send the whole request. */
type Timeouts = { headerMs: number; requestMs: number }

/** The default time limits. Over loopback, even the largest body takes only a moment; a slower request has stalled. */
const usual: Timeouts = { headerMs: 10_000, requestMs: 60_000 }

/**
 * Listens on 127.0.0.1; port 0 takes a free port. Throws if the port is taken. `report` gets the gateway's own
 * failures. A request that is cut, stalled or too large is refused, or Node closes its connection; other requests do
 * not notice.
 */
export async function startGateway(
  port: number,
  report: (error: unknown) => void,
  { headerMs, requestMs }: Timeouts = usual,
): Promise<Gateway> {
  let behind: Behind | undefined
  let host = ''
  const timing = {
    headersTimeout: headerMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(1_000, headerMs / 2),
    keepAliveTimeout: 65_000,
  }
  const server = createServer(timing, (request, response) => {
    const requestId = randomUUID()
    // A client that goes away breaks both streams; the code that reads or writes them handles the error.
    request.on('error', () => {})
    response.on('error', () => {})
    answer(request, host, behind, requestId)
      .catch((error: unknown) => {
        if (!(error instanceof VisibleError) && !request.socket.destroyed) report(error)
        return answerRefusal(error, request, requestId)
      })
      .then(({ headers, ...wired }) => {
        const cors = corsHeaders(request, behind?.embedOrigins ?? [])
        send(response, { ...wired, headers: { 'x-request-id': requestId, ...cors, ...headers } })
      })
      .catch(() => response.destroy())
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('The gateway has no address')
  host = new URL(`http://127.0.0.1:${address.port}`).host
  return {
    origin: `http://${host}`,
    open: (given) => {
      behind = given
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

async function answer(
  request: IncomingMessage,
  host: string,
  behind: Behind | undefined,
  requestId: string,
): Promise<Wire> {
  const method = request.method ?? 'GET'
  const url = request.url ?? '/'
  const [path] = split(url)
  if (request.headers.host !== host) return elsewhere(request, host)
  if (!path.startsWith('/')) throw new VisibleError('request.invalid')
  if (!behind) throw new VisibleError('service.unavailable', { retryAfterMs: 1_000 })
  const body = await read(request)
  if (path.startsWith('/store/')) return behind.store(request, path, body)
  const { accept = '', 'if-none-match': etag } = request.headers
  return (
    (await answerPage(behind.pages, { method, path, accept, etag })) ??
    preflight(request, behind.embedOrigins) ??
    (await call(behind, request, body, path, requestId))
  )
}

/**
 * Refuses other host names: the owner of a domain can point it to loopback, and its pages must not reach the stage.
 * Redirects `localhost`, which people often type.
 */
function elsewhere(request: IncomingMessage, host: string): Wire {
  const isHabit = request.headers.host === host.replace('127.0.0.1', 'localhost')
  if (!isHabit || (request.method !== 'GET' && request.method !== 'HEAD'))
    throw new VisibleError('request.invalid', { fields: { Host: host } })
  return { status: 307, headers: { location: `http://${host}${request.url}` }, body: Buffer.alloc(0) }
}

async function call(
  behind: Behind,
  request: IncomingMessage,
  body: Buffer,
  path: string,
  requestId: string,
): Promise<Wire> {
  const matched = match(request.method ?? 'GET', path)
  const made = event(request, body, matched, requestId, Date.now())
  if (jsonBytes(made) > payloadBytes) throw new VisibleError('request.tooLarge')
  const answered = await behind.invoke(matched.function, made)
  if (jsonBytes(answered ?? null) > payloadBytes)
    throw new Error('The answer of the function exceeds the limit of Lambda')
  return wire(answered)
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size > patienceBytes) break
    if (size <= bodyBytes) parts.push(part)
  }
  if (size > bodyBytes) throw new VisibleError('request.tooLarge')
  return Buffer.concat(parts)
}

async function answerRefusal(error: unknown, request: IncomingMessage, requestId: string): Promise<Wire> {
  const lang = languageOf(request.headers['accept-language'] ?? '')
  await loadLanguage(lang)
  const code: Code = error instanceof TimeoutError ? 'service.unavailable' : 'internal.error'
  const known = error instanceof VisibleError ? error : new VisibleError(code, { cause: error })
  const refused = wire(result(await failure(known, requestId, lang)))
  return { ...refused, headers: { 'cache-control': 'no-store', ...refused.headers } }
}

function send(response: ServerResponse, { status, headers, body }: Wire): void {
  if (response.destroyed) return
  const length = status === 204 || status === 304 ? {} : { 'content-length': body.length }
  response.writeHead(status, { ...headers, ...length })
  response.end(body)
}

/**
 * Returns the CORS headers with which API Gateway lets pages of the embedding origins read an answer; empty for others.
 */
function corsHeaders(request: IncomingMessage, embedOrigins: string[]): Record<string, string> {
  const { origin } = request.headers
  if (!origin || !embedOrigins.includes(origin)) return {}
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': embedding.exposed.join(','),
    vary: 'origin',
  }
}

/** Answers the preflight request that a browser sends before a request of another origin; no function gets it. */
function preflight(request: IncomingMessage, embedOrigins: string[]): Wire | undefined {
  const isAsking = request.method === 'OPTIONS' && request.headers['access-control-request-method']
  const allowed = corsHeaders(request, embedOrigins)
  if (!isAsking || !allowed['access-control-allow-origin']) return undefined
  const headers = {
    ...allowed,
    'access-control-allow-methods': embedding.methods.join(','),
    'access-control-allow-headers': embedding.headers.join(','),
    'access-control-max-age': String(embedding.maxAgeSeconds),
  }
  return { status: 204, headers, body: Buffer.alloc(0) }
}
