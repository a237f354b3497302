import { type Code, codes, type Kind, VisibleError } from '../core/error.ts'
import type { Answer, Result } from './route.ts'

const statuses: Record<Kind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  method: 405,
  conflict: 409,
  tooLarge: 413,
  unsupported: 415,
  unprocessable: 422,
  limit: 429,
  internal: 500,
  unavailable: 503,
}

/** The HTTP status with which a code is answered. */
export const statusOf = (code: Code): number => statuses[codes[code]]

/** The answer of API Gateway to what a route answered. */
export function result({ status = 200, body, headers = {}, cookies }: Answer): Result {
  const isText = typeof body === 'string'
  return {
    statusCode: status,
    headers: {
      ...(body !== undefined && !isText && { 'content-type': 'application/json; charset=utf-8' }),
      ...headers,
    },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    ...(cookies && { cookies }),
  }
}

/**
 * The error body of the contract, in the reader's language. An error other than a VisibleError appears without any
 * detail.
 */
export async function failure(error: unknown, requestId: string, lang: string): Promise<Answer> {
  const known = error instanceof VisibleError ? error : new VisibleError('internal.error')
  const { code, params, fields, retryAfterMs } = known
  const { sentence } = await import('../core/error-sentence.ts')
  return {
    status: statuses[known.kind],
    body: {
      error: {
        code,
        message: sentence(code, lang, params),
        requestId,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
        ...(fields && { fields }),
      },
    },
    ...(retryAfterMs !== undefined && {
      headers: { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) },
    }),
  }
}
