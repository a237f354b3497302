/**
 * One class of errors for each recipient. A person gets a VisibleError, the retry loop a TransientError, the model a
 * ToolError. Any other error is a bug: the log has it with the request id, and no answer shows it.
 */

/** The kind of every code that an answer can carry. */
export const codes = {
  'request.invalid': 'invalid',
  'message.empty': 'invalid',
  'message.tooLong': 'invalid',
  'systemPrompt.tooLong': 'invalid',
  'session.missing': 'unauthenticated',
  'session.expired': 'unauthenticated',
  'login.failed': 'unauthenticated',
  'login.clock': 'unauthenticated',
  'csrf.invalid': 'forbidden',
  'origin.notAllowed': 'forbidden',
  'access.denied': 'forbidden',
  'administrator.only': 'forbidden',
  'approval.notAllowed': 'forbidden',
  'conversation.notFound': 'missing',
  'file.notFound': 'missing',
  'record.notFound': 'missing',
  'record.notAllowed': 'forbidden',
  'record.changed': 'conflict',
  'run.notFound': 'missing',
  'connection.notFound': 'missing',
  'connection.failed': 'unprocessable',
  'connection.tokenRefused': 'unprocessable',
  'token.tooMany': 'conflict',
  'token.throttled': 'limit',
  'route.notFound': 'missing',
  'method.notAllowed': 'method',
  'conversation.busy': 'conflict',
  'conversation.changed': 'conflict',
  'approval.stale': 'conflict',
  'approval.refused': 'unprocessable',
  'approval.unchanged': 'unprocessable',
  'approval.notPending': 'conflict',
  'conversation.notFailed': 'conflict',
  'message.tooManyVersions': 'conflict',
  'message.tooManyNext': 'conflict',
  'mention.notFound': 'missing',
  'prompt.notFound': 'missing',
  'prompt.tooMany': 'conflict',
  'user.tooManyConversations': 'conflict',
  'file.tooLarge': 'tooLarge',
  'request.tooLarge': 'tooLarge',
  'file.unsupported': 'unsupported',
  'file.mismatch': 'unprocessable',
  'file.unreadable': 'unprocessable',
  'file.limit': 'unprocessable',
  'file.tooMany': 'unprocessable',
  'request.keyReused': 'unprocessable',
  'user.tooManyActive': 'limit',
  'user.budgetSpent': 'limit',
  'stage.budgetSpent': 'limit',
  'login.throttled': 'limit',
  'service.unavailable': 'unavailable',
  'service.maintenance': 'unavailable',
  'service.busy': 'unavailable',
  'cms.unavailable': 'unavailable',
  'cms.misconfigured': 'unavailable',
  'internal.error': 'internal',
} as const

export type Code = keyof typeof codes
/** The kinds of the table; the HTTP status of each is in functions/http/response.ts. */
export type ErrorKind = (typeof codes)[Code]

type Details = {
  /** Values for the placeholders of the sentence. */
  params?: Record<string, string | number>
  /** The mistakes of the request by field. */
  fields?: Record<string, string>
  /** Milliseconds after which the same request can succeed. */
  retryAfterMs?: number
  cause?: unknown
}

/** An expected refusal for a person: a code that a test can name, and a full sentence per language. */
export class VisibleError extends Error {
  readonly code: Code
  readonly kind: ErrorKind
  readonly params: Record<string, string | number>
  readonly fields: Record<string, string> | undefined
  readonly retryAfterMs: number | undefined

  constructor(code: Code, details: Details = {}) {
    super(code, { cause: details.cause })
    this.name = 'VisibleError'
    this.code = code
    this.kind = codes[code]
    this.params = details.params ?? {}
    this.fields = details.fields
    this.retryAfterMs = details.retryAfterMs
  }
}

/** A failure of a provider that may be transient; only adapters throw it, and only their retry catches it. */
export class TransientError extends Error {
  readonly retryAfterMs: number | undefined

  constructor(message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'TransientError'
    this.retryAfterMs = options.retryAfterMs
  }
}

/** A refusal that the model reads as an error result, with a hint for a better call. Never ends a turn. */
export class ToolError extends Error {
  /** The outcome of the call, for everyone except the model. */
  readonly outcome:
    | 'notKnown'
    | 'notPermitted'
    | 'notValid'
    | 'refused'
    | 'missing'
    | 'denied'
    | 'notRun'
    | 'conflict'
    | 'unknown'

  constructor(
    content: string,
    { outcome = 'refused', cause }: { outcome?: ToolError['outcome']; cause?: unknown } = {},
  ) {
    super(content, { cause })
    this.name = 'ToolError'
    this.outcome = outcome
  }
}

/**
 * Returns undefined for a ToolError, because such a refusal is a correct answer of the CMS. Throws any other error
 * again.
 */
export function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof ToolError)) throw error
}
