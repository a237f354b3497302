import { type Code, codes, type ErrorKind, VisibleError } from '../../core/base/error.ts'
import * as Log from '../../core/base/log.ts'
import { metrics } from '../../core/base/metric/name.ts'
import type { ErrorAnswer } from '../../core/chat/request.ts'
import type { Refusal } from '../../core/user/audit.ts'
import type { Answer, Result } from './route.ts'

const statuses: Record<ErrorKind, number> = {
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

/** Returns the HTTP status of an error code. */
export const statusOf = (code: Code): number => statuses[codes[code]]

/** Converts the answer of a route to the form of API Gateway. */
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
 * Returns the error body of the contract, in the user's language. An error other than a VisibleError appears without
 * any detail.
 */
export async function failure(
  error: unknown,
  requestId: string,
  lang: string,
): Promise<Answer & { body: ErrorAnswer }> {
  const known = error instanceof VisibleError ? error : new VisibleError('internal.error')
  const { code, params, fields, retryAfterMs } = known
  if (intended.has(code)) await countDeclined(code)
  const { sentence } = await import('../../core/base/error-sentence.ts')
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

/** Codes of intended 503 answers. The alarm on failed requests subtracts them. */
const intended: ReadonlySet<Code> = new Set(['service.maintenance', 'service.busy'])

async function countDeclined(code: Code): Promise<void> {
  // Imports the module only here, because hardly any request is declined.
  const { count } = await import('../../core/base/metric/metric.ts')
  count(metrics.requestsDeclined, 1, { code })
}

/** Audits a refusal. The caller is refused even if the table does not take the entry. */
export async function refusal(event: Refusal, retainDays: number | null, now: number): Promise<void> {
  try {
    // Imports the module only here, because hardly any request is refused.
    const { noteRefusal } = await import('../../core/user/audit.ts')
    await noteRefusal(event, retainDays, now)
  } catch (error) {
    Log.error('A refusal could not be audited', error)
  }
}
