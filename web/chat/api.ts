import type { ErrorAnswer } from '../../core/chat/request.ts'
import type { BearerAnswer, SessionAnswer } from '../../core/user/session/schema.ts'

/** The body of a refusal. A later release of the stage may send other codes; `network` means that no answer came. */
type ChatRefusal = { code: string; message: string; retryAfterMs?: number | undefined }

/** A refusal of the stage; status 0 means that no answer came. `message` is a sentence in the user's language. */
export class ApiError extends Error {
  readonly code: string
  readonly status: number
  readonly retryAfterMs: number | undefined

  constructor(status: number, body: ChatRefusal, options?: { cause: unknown }) {
    super(body.message, options)
    this.name = 'ApiError'
    this.status = status
    this.code = body.code
    this.retryAfterMs = body.retryAfterMs
  }

  /** True if no answer came, or if a proxy in between answered with an error. The same request may succeed later. */
  get isTransient(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504
  }

  /** True if no request can succeed until the connection, the session or the right to chat is back. */
  get concernsAll(): boolean {
    return this.isTransient || this.status === 401 || this.code === 'access.denied'
  }
}

/** Returns a signed statement of the CMS about the user who is logged in there; rejects if no user is logged in. */
export type Statement = () => Promise<string>
/** Exchanges a statement for a session, which ends `lastsSeconds` after the answer. */
type Exchange = (statement: Statement) => Promise<{ token: string; lastsSeconds: number }>

/** The time between the renewal of a session and its end, in milliseconds. */
const aheadMs = 60_000

/**
 * The token for a page on another site, kept only in memory. The page gives the token itself, or a function
 * that returns a signed statement of the CMS. The statement is exchanged for a token, which is renewed shortly before
 * its end and after a refusal.
 */
export class Bearer {
  token: string | null = null
  statement: Statement | null = null
  readonly #exchange: Exchange
  #given: string | null = null
  #renewAt = Number.POSITIVE_INFINITY
  /** The running exchange; none after the token became another one, so that its late answer is dropped. */
  #renewal: ReturnType<Exchange> | undefined

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  /** True if there is a token or a way to get one. */
  get isKnown(): boolean {
    return this.token !== null || this.statement !== null
  }

  /**
   * Takes the token or the statement function that the page gave the element. Returns true if another session begins.
   * If both are null, nothing changes.
   */
  take(token: string | null, statement: Statement | null): boolean {
    const isOther = token !== null && token !== this.#given
    const isFirst = statement !== null && this.statement === null
    if (isOther) {
      this.token = this.#given = token
      this.#renewal = undefined
      this.#renewAt = Number.POSITIVE_INFINITY
    }
    this.statement = statement ?? this.statement
    return isOther || isFirst
  }

  /** Waits until there is a token that does not end soon. Rejects if the exchange rejects. */
  async ready(): Promise<void> {
    if (this.token === null || Date.now() >= this.#renewAt) await this.renew(this.token)
  }

  /** Waits for a token that replaces the refused one; calls at the same time share one renewal. */
  async renew(refused: string | null): Promise<void> {
    const { statement } = this
    if (!statement || this.token !== refused) return
    this.#renewal ??= this.#exchange(statement)
    const renewal = this.#renewal
    try {
      const { token, lastsSeconds } = await renewal
      if (this.#renewal !== renewal) return
      this.token = token
      this.#renewAt = Date.now() + Math.max(lastsSeconds * 500, lastsSeconds * 1_000 - aheadMs)
    } finally {
      if (this.#renewal === renewal) this.#renewal = undefined
    }
  }

  /** Forgets the token; the next request needs a new statement. */
  forget(): void {
    this.token = null
    this.#renewal = undefined
  }
}

type Query = Record<string, string | number | boolean | undefined>
type RequestOptions = {
  query?: Query
  body?: unknown
  key?: string | undefined
  signal?: AbortSignal | undefined
  timeoutMs?: number
}

/**
 * Sends the requests of one user to one stage, with credentials, CSRF token and timeout. An error answer becomes an
 * `ApiError`.
 */
export class Api {
  readonly origin: string
  /** The token for a page on another site; null: the session's cookie and the CSRF token are used. */
  readonly bearer: Bearer | null
  /** The user of the session; while it is null, any user may begin one. */
  uid: number | null = null
  #csrf = ''
  #begun: SessionAnswer | undefined
  /** The reason for the missing session: it has ended, or the stage refused the statement of the CMS about the user. */
  endedBy: 'expired' | 'clock' | 'unverified' = 'expired'
  /** The time by which the stage's clock is ahead of this browser's clock, in milliseconds. */
  skewMs = 0

  constructor(origin: string, isGuest: boolean) {
    this.origin = origin
    this.bearer = isGuest ? new Bearer((statement) => this.#exchange(statement)) : null
  }

  /** Reads the user of the session; also renews the CSRF token. */
  async session(): Promise<SessionAnswer> {
    const { bearer } = this
    const before = bearer?.token
    await bearer?.ready()
    // The answer to an exchange already names the user, so no further request is needed.
    const begun = bearer?.token !== before ? this.#begun : undefined
    return begun ?? this.#own(await this.#ask<SessionAnswer>('GET', '/backend/session', {}))
  }

  get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    return this.#ask<T>('GET', `/ai-chat${path}`, { query, signal })
  }

  /** Sends a request that changes something. `key` makes a repetition of the request harmless. */
  post<T>(path: string, body: unknown, key?: string): Promise<T> {
    return this.#ask<T>('POST', `/ai-chat${path}`, { body, key, timeoutMs: 20_000 })
  }

  /** Returns a file; follows the stage's redirect to a download address. */
  download(path: string, query: Query): Promise<Blob> {
    return this.renewing(async () => {
      const response = await this.#send('GET', `/ai-chat${path}`, { query, timeoutMs: 60_000 })
      return response.ok ? response.blob() : this.#read<never>(response)
    })
  }

  /** Sends a request. If the stage refuses the token, renews the session and sends the request once more. */
  async renewing<T>(send: () => Promise<T>): Promise<T> {
    const { bearer } = this
    await bearer?.ready()
    const token = bearer?.token ?? null
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.status === 401 && bearer?.statement) await bearer.renew(token)
      // Another tab has logged in again and changed the CSRF token.
      else if (error.code === 'csrf.invalid') await this.session()
      else throw error
      return send()
    }
  }

  /**
   * Returns the headers that identify the user. A request that only reads has no CSRF token: the store would refuse the
   * header when the stage redirects a download.
   */
  credentials(isChange = true): Record<string, string> {
    if (this.bearer?.token) return { Authorization: `Bearer ${this.bearer.token}` }
    return isChange && this.#csrf ? { 'X-CSRF-Token': this.#csrf } : {}
  }

  url(path: string, query: Query = {}): string {
    const url = new URL(path, this.origin)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    return url.href
  }

  #ask<T>(method: 'GET' | 'POST', path: string, options: RequestOptions): Promise<T> {
    return this.renewing(async () => this.#read<T>(await this.#send(method, path, options)))
  }

  /** Takes over a session of the same user as before; another user's session counts as ended. */
  #own<A extends SessionAnswer>(session: A): A {
    const { uid } = session.user
    this.uid ??= uid
    if (this.uid !== uid) throw unreadable(401, null)
    this.#csrf = session.csrfToken
    return session
  }

  async #read<T>(response: Response): Promise<T> {
    const sent = Date.parse(response.headers.get('date') ?? '')
    if (Math.abs(sent - Date.now()) > 2_000) this.skewMs = sent - Date.now()
    if (response.status === 204) return undefined as T
    const body = await response.json().catch((cause: unknown) => {
      throw unreadable(response.ok ? 0 : response.status, cause)
    })
    if (response.ok) return body as T
    throw apiError(response, body as Partial<ErrorAnswer>)
  }

  /**
   * Exchanges the statement of the CMS for a session. A rejected statement means that no user is logged in to the CMS.
   */
  async #exchange(statement: Statement, isFirst = true): Promise<BearerAnswer> {
    this.endedBy = 'expired'
    const token = await statement().catch((cause: unknown) => {
      const isUnreached = cause instanceof TypeError || cause instanceof DOMException
      throw unreadable(isUnreached ? 0 : 401, cause)
    })
    const answer = await this.#send('POST', '/backend/exchange', { body: { token } })
    // The first statement comes from the page, so it may be used up or too old; the second statement is new.
    if (answer.status === 401 && isFirst) return this.#exchange(statement, false)
    const begun = await this.#read<BearerAnswer>(answer).catch((error: unknown) => {
      if (answer.status === 401 && !this.#begun)
        this.endedBy = error instanceof ApiError && error.code === 'login.clock' ? 'clock' : 'unverified'
      throw error
    })
    this.#begun = this.#own(begun)
    return begun
  }

  async #send(method: string, path: string, { query, body, key, signal, timeoutMs }: RequestOptions) {
    const deadline = AbortSignal.timeout(timeoutMs ?? 10_000)
    try {
      return await fetch(this.url(path, query), {
        method,
        headers: {
          ...this.credentials(method === 'POST'),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...(key && { 'Idempotency-Key': key }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        cache: 'no-store',
        credentials: this.bearer ? 'omit' : 'same-origin',
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      })
    } catch (cause) {
      if (signal?.aborted) throw cause
      throw unreadable(0, cause)
    }
  }
}

function unreadable(status: number, cause: unknown): ApiError {
  return new ApiError(status, { code: 'network', message: '' }, { cause })
}

/** Returns the error for an answer that is not 2xx. A body that is not the stage's error body counts as no answer. */
export function apiError(response: { status: number }, body: Partial<ErrorAnswer> | null): ApiError {
  if (body?.error?.code) return new ApiError(response.status, body.error)
  return unreadable(response.status, body)
}

/** Asks the CMS for a statement about the logged-in user; rejects if no user is logged in. */
export async function statementOf(address: string): Promise<string> {
  const answer = await fetch(address, {
    method: 'POST',
    // Some CMSs refuse a request that has no body or no content type.
    headers: { 'content-type': 'application/json' },
    body: '{}',
    credentials: 'same-origin',
    cache: 'no-store',
  })
  // A user who is not logged in gets 401 or 403. The panel has no message for other statuses, so they are logged here.
  if (!answer.ok && answer.status !== 401 && answer.status !== 403)
    console.warn(`AI chat: ${address} answered ${answer.status} when it was asked who is logged in`)
  if (answer.status >= 500) throw new TypeError(`The CMS answered ${answer.status}`)
  if (!answer.ok) throw new Error(`The CMS answered ${answer.status}`)
  const { token } = (await answer.json()) as { token: string }
  return token
}
