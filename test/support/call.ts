import { randomUUID } from 'node:crypto'
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda'
import { config } from '../../core/base/config.ts'
import { match } from '../../functions/http/request.ts'
import type { Event, Handler } from '../../functions/http/route.ts'
import { routes } from '../../functions/http/routes.ts'
import { conform } from './openapi.ts'
import { asFunction } from './synth/requests.ts'

/** An answer of a function as a client sees it, its body parsed where it is JSON. */
export type Answered<T = unknown> = {
  status: number
  headers: Record<string, string>
  cookies: string[]
  body: T
}

export type Call = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  body?: unknown
  /** Sent in place of a body, as a browser sends a form; a form without files as programs send them too. */
  form?: FormData | URLSearchParams
  /** Sent in place of a body, as it is, as text that API Gateway takes for binary. */
  text?: string
  headers?: Record<string, string>
  cookies?: string[]
  /** The address that API Gateway sees. */
  from?: string
}

/**
 * Calls a function with the event that API Gateway makes of a request from a page of the stage. Throws when the answer
 * is not as the API is described.
 */
export async function call<T>(handler: Handler, address: string, options: Call = {}): Promise<Answered<T>> {
  const { form, text, ...others } = options
  const isSentAsIs = form !== undefined || text !== undefined
  const plain = event(address, { ...(isSentAsIs && { method: 'POST' }), ...others })
  if (text !== undefined)
    Object.assign(plain, { body: Buffer.from(text).toString('base64'), isBase64Encoded: true })
  const sent = form ? await withForm(plain, form) : plain
  const result = await asFunction(answering(plain), () => handler(sent, {} as Context))
  const answer = answered<T>(result)
  const { status, headers, body } = answer
  conform(plain.requestContext.http.method, address, {
    status,
    contentType: headers['content-type'] ?? null,
    body,
  })
  return answer
}

/** The function that the gateway asks. */
export function answering({ rawPath, requestContext }: Pick<Event, 'rawPath' | 'requestContext'>): string {
  const isFor = ({ method, path }: (typeof routes)[number]) =>
    method === requestContext.http.method && match(path, rawPath) !== undefined
  return routes.find(isFor)?.function ?? 'backend'
}

/** API Gateway takes a form for binary. */
async function withForm(event: Event, form: FormData | URLSearchParams): Promise<Event> {
  const sent = new Response(form)
  const headers = { ...event.headers, 'content-type': sent.headers.get('content-type') ?? '' }
  const body = Buffer.from(await sent.arrayBuffer()).toString('base64')
  return { ...event, headers, body, isBase64Encoded: true }
}

/** The event that API Gateway makes of a request. */
export function event(
  address: string,
  { body, headers, cookies, from, ...options }: Omit<Call, 'form' | 'text'>,
): Event {
  const { pathname, search } = new URL(address, config().origin)
  const method = options.method ?? (body === undefined ? 'GET' : 'POST')
  const http = {
    method,
    path: pathname,
    protocol: 'HTTP/1.1',
    sourceIp: from ?? '203.0.113.7',
    userAgent: 'test',
  }
  return {
    version: '2.0',
    routeKey: `${method} ${pathname}`,
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: {
      origin: config().origin,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    // A browser sends of a cookie its name and value alone.
    ...(cookies && { cookies: cookies.map((cookie) => cookie.split(';')[0] ?? '') }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    isBase64Encoded: false,
    requestContext: {
      accountId: 'test',
      apiId: 'test',
      domainName: 'test',
      domainPrefix: 'test',
      http,
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: '',
      timeEpoch: 0,
    },
  }
}

/** An answer of API Gateway as a client sees it. */
export function answered<T>(result: APIGatewayProxyStructuredResultV2): Answered<T> {
  return {
    status: result.statusCode ?? 200,
    headers: (result.headers ?? {}) as Record<string, string>,
    cookies: result.cookies ?? [],
    body: bodyOf(result) as T,
  }
}

function bodyOf({ body, headers }: APIGatewayProxyStructuredResultV2): unknown {
  if (!body) return undefined
  return /json/.test(String(headers?.['content-type'])) ? JSON.parse(body) : body
}
