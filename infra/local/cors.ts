import type { IncomingMessage } from 'node:http'
import { embedding } from '../embedding.ts'
import type { Wire } from './event.ts'

/** The headers with which API Gateway lets pages of the embedding origins read an answer; none for anybody else. */
export function corsHeaders(request: IncomingMessage, embedOrigins: string[]): Record<string, string> {
  const { origin } = request.headers
  if (!origin || !embedOrigins.includes(origin)) return {}
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': embedding.exposed.join(','),
    vary: 'origin',
  }
}

/** The answer to what a browser asks before a request of another origin, which no function gets to see. */
export function preflight(request: IncomingMessage, embedOrigins: string[]): Wire | undefined {
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
