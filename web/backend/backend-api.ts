import type { ErrorAnswer } from '../../core/chat/request.ts'
import type { RecordId } from '../../core/conversation/schema.ts'
import type { SessionAnswer } from '../../core/user/session/schema.ts'
import { language, t } from './text.ts'

type BackendRefusal = Omit<Partial<ErrorAnswer['error']>, 'code'> & { code: string; message: string }

/** Thrown if the server refuses a request or cannot be reached (`code` is then `offline`). */
export class RequestError extends Error {
  readonly code: string
  readonly fields: Record<string, string>
  readonly retryAfterMs: number | undefined
  readonly requestId: string | undefined

  constructor(body: BackendRefusal) {
    super(body.message)
    this.code = body.code
    this.fields = body.fields ?? {}
    this.retryAfterMs = body.retryAfterMs
    this.requestId = body.requestId
  }
}

/** Timeout of a request, in milliseconds. */
const timeoutMs = 20_000

/** Returns the path of a table's records, or of the record with this `uid`. */
export function recordPath(table: string, uid?: RecordId): string {
  return `/records/${encodeURIComponent(table)}${uid === undefined ? '' : `/${uid}`}`
}

/**
 * Sends the requests to the backend. If the session has ended, it asks for a new login and repeats the request; the
 * caller notices only a delay.
 */
export class Api {
  #csrfToken = ''
  #uid: number | undefined
  #login: Promise<void> | undefined
  readonly #askForLogin: () => Promise<void>

  /** `askForLogin` settles after a new login, and rejects when the user does not log in. */
  constructor(askForLogin: () => Promise<void>) {
    this.#askForLogin = askForLogin
  }

  /** Returns the session of the logged-in user; undefined without a session. */
  async session(): Promise<SessionAnswer | undefined> {
    const answer = await this.#send<SessionAnswer>('GET', '/session').catch(nothingAfterSession)
    return answer && this.#remember(answer)
  }

  async login(username: string, password: string): Promise<SessionAnswer> {
    return this.#remember(await this.#send<SessionAnswer>('POST', '/login', { username, password }))
  }

  /** Ends the session; a session that has already ended is no error. */
  async logout(): Promise<void> {
    await this.#sendRenewed('POST', '/logout', {}).catch(nothingAfterSession)
  }

  get<T>(path: string): Promise<T> {
    return this.#ask('GET', path)
  }

  post<T>(path: string, body: object): Promise<T> {
    return this.#ask('POST', path, body)
  }

  /** Waits for a new login; simultaneous calls share one login. */
  loginAgain(): Promise<void> {
    this.#login ??= this.#askForLogin().finally(() => {
      this.#login = undefined
    })
    return this.#login
  }

  async #ask<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
    try {
      return await this.#sendRenewed<T>(method, path, body)
    } catch (error) {
      if (!isSessionEnd(error)) throw error
      await this.loginAgain().catch(() => {
        throw error
      })
      return this.#send<T>(method, path, body)
    }
  }

  /** Sends a request; once more with a new token, if the user has logged in again in another tab. */
  async #sendRenewed<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
    try {
      return await this.#send<T>(method, path, body)
    } catch (error) {
      if (!(error instanceof RequestError) || error.code !== 'csrf.invalid') throw error
      const session = await this.#send<SessionAnswer>('GET', '/session')
      // The words of this user must not be sent as another user, so this user's session counts as ended.
      if (session.user.uid !== this.#uid)
        throw new RequestError({ code: 'session.expired', message: error.message })
      this.#remember(session)
      return this.#send<T>(method, path, body)
    }
  }

  async #send<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
    const answer = await fetch(`/backend${path}`, {
      method,
      cache: 'no-store',
      credentials: 'same-origin',
      // A page of the shell may have the same address as a route: the `accept` header tells the server which is meant.
      headers: {
        accept: 'application/json',
        'accept-language': language(),
        ...(body && { 'content-type': 'application/json', 'x-csrf-token': this.#csrfToken }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch(() => {
      throw new RequestError({ code: 'offline', message: t('frame.offline') })
    })
    if (answer.status === 204) return undefined as T
    if (answer.headers.get('content-type')?.startsWith('text/csv')) return (await answer.blob()) as T
    const content: unknown = await answer.json().catch(() => undefined)
    if (answer.ok) return content as T
    const failure = (content as ErrorAnswer | undefined)?.error
    throw new RequestError(failure ?? { code: 'offline', message: t('frame.offline') })
  }

  #remember(answer: SessionAnswer): SessionAnswer {
    this.#csrfToken = answer.csrfToken
    this.#uid = answer.user.uid
    return answer
  }
}

function isSessionEnd(error: unknown): boolean {
  return error instanceof RequestError && error.code.startsWith('session.')
}

function nothingAfterSession(error: unknown): undefined {
  if (!isSessionEnd(error)) throw error
}
