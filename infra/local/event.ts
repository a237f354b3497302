import type { IncomingMessage } from 'node:http'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import * as Request from '../../functions/http/request.ts'
import { type FunctionName, routes } from '../../functions/http/routes.ts'

/**
 * Returns the event (payload 2.0) that an HTTP API of API Gateway makes of a request: header names in lower case,
 * repeated headers joined by commas, cookies separate. A body that is not plain text is in base64.
 */
export function event(
  request: IncomingMessage,
  body: Buffer,
  { routeKey, pathParameters }: Match,
  requestId: string,
  now: number,
): APIGatewayProxyEventV2 {
  const method = request.method ?? 'GET'
  const [path = '/', rawQueryString = ''] = split(request.url ?? '/')
  const { cookie, ...headers } = flat(request)
  const query = queryParameters(rawQueryString)
  const isBase64Encoded = body.length > 0 && !isText(headers['content-type'])
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString,
    ...(cookie && { cookies: cookie.split(/;\s*/).filter(Boolean) }),
    headers,
    ...(query && { queryStringParameters: query }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: headers.host ?? '',
      domainPrefix: 'local',
      http: {
        method,
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId,
      routeKey,
      stage: '$default',
      time: new Date(now).toUTCString(),
      timeEpoch: now,
    },
    ...(body.length > 0 && { body: body.toString(isBase64Encoded ? 'base64' : 'utf8') }),
    ...(Object.keys(pathParameters).length > 0 && { pathParameters }),
    isBase64Encoded,
  }
}

/** The HTTP response for the answer of a function. Each cookie becomes its own `set-cookie` header. */
export type Wire = { status: number; headers: Record<string, string | string[]>; body: Buffer }

/** Converts the answer of a function as API Gateway does: an answer without a status becomes the JSON of a 200. */
export function wire(answer: unknown): Wire {
  if (!isResult(answer)) {
    const body = Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer ?? null))
    return { status: 200, headers: { 'content-type': 'application/json' }, body }
  }
  const headers: Wire['headers'] = {}
  for (const [name, value] of Object.entries(answer.headers ?? {}))
    headers[name.toLowerCase()] = String(value)
  if (answer.cookies?.length) headers['set-cookie'] = answer.cookies
  const body = Buffer.from(answer.body ?? '', answer.isBase64Encoded ? 'base64' : 'utf8')
  return { status: answer.statusCode ?? 200, headers, body }
}

/** Returns the path and the query of a request target, without decoding them. */
export function split(url: string): [string, string] {
  const at = url.indexOf('?')
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
}

function isResult(answer: unknown): answer is APIGatewayProxyStructuredResultV2 {
  return typeof answer === 'object' && answer !== null && 'statusCode' in answer
}

function flat(request: IncomingMessage): Record<string, string> {
  const all = Object.entries(request.headersDistinct)
  return Object.fromEntries(
    all.map(([name, values = []]) => [name, values.join(name === 'cookie' ? '; ' : ',')]),
  )
}

function queryParameters(raw: string): Record<string, string> | undefined {
  const query = new URLSearchParams(raw)
  const joined = [...query.keys()].map((name) => [name, query.getAll(name).join(',')])
  return raw ? Object.fromEntries(joined) : undefined
}

function isText(contentType: string | undefined): boolean {
  return !contentType || /^(text\/|application\/(json|javascript|xml)\b)/i.test(contentType)
}

/** The function for a request, and the parameters of its path. */
type Match = {
  function: FunctionName
  /** The route's name in API Gateway: method and pattern, or `$default`. */
  routeKey: string
  pathParameters: Record<string, string>
}

/** Finds the route of a request; a request without a route goes to the function of `$default`. */
export function match(method: string, path: string): Match {
  for (const route of routes) {
    const pathParameters = route.method === method ? Request.match(route.path, path) : undefined
    if (!pathParameters) continue
    return { function: route.function, routeKey: `${method} ${route.path}`, pathParameters }
  }
  return { function: 'backend', routeKey: '$default', pathParameters: {} }
}
