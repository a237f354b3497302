/**
 * Request timeouts of the SDK's clients, in milliseconds. Without a timeout, a silent connection would hold a turn for
 * ever, because its consumer sends heartbeats at the same time.
 */
export const waits = {
  /** For requests of a few milliseconds, which the service's own retry repeats. */
  table: 3_000,
  /** Up to the first byte of an answer. */
  store: 10_000,
  /** A long poll for messages may itself take 20 seconds. */
  queue: 25_000,
}

/** The options of a client that aborts a request after this many milliseconds without data. */
export function patience(requestTimeout: number) {
  const silence = { requestTimeout, throwOnRequestTimeout: true, socketTimeout: requestTimeout }
  return { requestHandler: { connectionTimeout: 2_000, ...silence } }
}

/** Names and codes of transient failures: throttling, conflicts, broken connections. */
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
