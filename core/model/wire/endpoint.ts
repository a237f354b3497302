import { factsOf, type WireRequest } from './shape.ts'
import { tokensOf, validate } from './validate.ts'

/**
 * Admits requests like a server of the Messages API. It checks address, key, version, size and body in that order. A
 * refusal has the API's status, type and message.
 */

export type Admission = { ok: true; request: WireRequest } | { ok: false; response: Response }

const maxBodyBytes = 32 * 1024 * 1024
const versions = ['2023-06-01', '2026-10-21']

/** Checks a request. `requestId` becomes the header that every answer has; without `key` any key is accepted. */
export async function admit(
  request: Request,
  options: { key?: string; requestId: string },
): Promise<Admission> {
  const { requestId } = options
  const { pathname } = new URL(request.url)
  const refuse = (status: number, type: string, message: string): Admission => ({
    ok: false,
    response: failure(status, type, message, requestId),
  })
  const key = keyOf(request.headers)
  if (!key || (options.key && key !== options.key)) {
    return refuse(401, 'authentication_error', 'invalid bearer token')
  }
  if (!versions.includes(request.headers.get('anthropic-version') ?? '')) {
    return refuse(400, 'invalid_request_error', 'anthropic-version: header is required')
  }
  if (request.method === 'GET') return { ok: false, response: about(pathname, requestId) }
  if (request.method !== 'POST' || !/^\/v1\/messages(?:\/count_tokens)?$/.test(pathname)) {
    return refuse(404, 'not_found_error', 'Not found')
  }
  const text = await request.text()
  if (Buffer.byteLength(text) > maxBodyBytes) {
    return refuse(413, 'request_too_large', 'Request exceeds the maximum size')
  }
  const body = json(text)
  if (body === undefined) return refuse(400, 'invalid_request_error', 'The request body is not valid JSON')
  const isCount = pathname.endsWith('/count_tokens')
  const verdict = validate(isCount ? { max_tokens: 1, ...body } : body)
  if (!verdict.ok) return refuse(verdict.refusal.status, verdict.refusal.type, verdict.refusal.message)
  if (!isCount) return verdict
  return {
    ok: false,
    response: Response.json({ input_tokens: tokensOf(verdict.request) }, { headers: head(requestId) }),
  }
}

/** An error with the API's body; `headers` are added to `request-id`. */
export function failure(
  status: number,
  type: string,
  message: string,
  requestId: string,
  headers: Record<string, string> = {},
): Response {
  const body = { type: 'error', error: { type, message }, request_id: requestId }
  return Response.json(body, { status, headers: { ...head(requestId), ...headers } })
}

/** Reads both forms of the key: the current one and that of clients before SDK 1.0. */
function keyOf(headers: Headers): string | undefined {
  return headers.get('authorization')?.replace(/^Bearer /, '') ?? headers.get('x-api-key') ?? undefined
}

function about(pathname: string, requestId: string): Response {
  const id = decodeURIComponent(pathname.match(/^\/v1\/models\/([^/]+)$/)?.[1] ?? '')
  const facts = factsOf(id)
  if (!facts) return failure(404, 'not_found_error', id ? `model: ${id}` : 'Not found', requestId)
  const body = {
    type: 'model',
    id,
    display_name: id,
    lifecycle: 'active',
    max_input_tokens: facts.contextTokens,
    max_tokens: facts.maxOutputTokens,
  }
  return Response.json(body, { headers: head(requestId) })
}

function head(requestId: string): Record<string, string> {
  return { 'request-id': requestId }
}

function json(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
