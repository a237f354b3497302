import { isRecord, parsedJson } from '../../base/json.ts'
import type { WireRequest } from './shape.ts'
import { validate } from './validate.ts'

/**
 * Admits requests like a server of the Messages API. It checks address, key, version, size and body in that order. A
 * refusal has the API's status, type and message.
 */

type Admission = { ok: true; request: WireRequest } | { ok: false; response: Response }

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
  if (!key || (options.key && key !== options.key))
    return refuse(401, 'authentication_error', 'invalid bearer token')
  if (!versions.includes(request.headers.get('anthropic-version') ?? ''))
    return refuse(400, 'invalid_request_error', 'anthropic-version: header is required')
  if (request.method !== 'POST' || pathname !== '/v1/messages')
    return refuse(404, 'not_found_error', 'Not found')
  const text = await request.text()
  if (Buffer.byteLength(text) > maxBodyBytes)
    return refuse(413, 'request_too_large', 'Request exceeds the maximum size')
  const body = parsedJson(text)
  if (!isRecord(body)) return refuse(400, 'invalid_request_error', 'The request body is not valid JSON')
  const verdict = validate(body)
  if (verdict.ok) return verdict
  return refuse(verdict.refusal.status, verdict.refusal.type, verdict.refusal.message)
}

/** Returns an error with a body as the API sends it. The response has the header `request-id`, and also `headers`. */
export function failure(
  status: number,
  type: string,
  message: string,
  requestId: string,
  headers: Record<string, string> = {},
): Response {
  const body = { type: 'error', error: { type, message }, request_id: requestId }
  return Response.json(body, { status, headers: { 'request-id': requestId, ...headers } })
}

/** Reads both forms of the key: the current form, and the form of clients before SDK 1.0. */
function keyOf(headers: Headers): string | undefined {
  return headers.get('authorization')?.replace(/^Bearer /, '') ?? headers.get('x-api-key') ?? undefined
}
