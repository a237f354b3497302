/**
 * How long the SDK's clients wait for the services, in milliseconds. Without an end to it a silent connection would
 * hold a turn for ever, because its consumer goes on giving signs of life beside it.
 */
export const waits = {
  /** Requests of a few milliseconds, which our own retry repeats. */
  table: 3_000,
  /** Up to the first byte of an answer. */
  store: 10_000,
  /** A wait for messages may itself take 20 seconds. */
  queue: 25_000,
}

/** The options of a client that gives up on a request after so many milliseconds without a sign of life. */
export function patience(requestTimeout: number) {
  const silence = { requestTimeout, throwOnRequestTimeout: true, socketTimeout: requestTimeout }
  return { requestHandler: { connectionTimeout: 2_000, ...silence } }
}

/** Names and codes of failures that may pass by themselves: throttling, conflicts, broken connections. */
export const passing: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'TransactionConflictException',
  'TransactionInProgressException',
  'InternalServerError',
  'ServiceUnavailable',
  'TimeoutError',
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENOTFOUND',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EPIPE',
])
