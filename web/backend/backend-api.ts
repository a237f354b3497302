import type { ErrorAnswer } from '../../core/chat/request.ts'
import type {
  LogAnswer,
  LogLevel,
  PageAnswer,
  PagesAnswer,
  RecordAnswer,
  RecordDraft,
  RecordEdit,
  RecordsAnswer,
  TablesAnswer,
} from '../../core/cms/schema.ts'
import type { RecordId } from '../../core/conversation/schema.ts'
import type { UsageAnswer } from '../../core/stage/usage/schema.ts'
import type { DemoUsersAnswer, SessionAnswer } from '../../core/user/session/schema.ts'
import { t } from './text.ts'

type BackendRefusal = Omit<Partial<ErrorAnswer['error']>, 'code'> & { code: string; message: string }

/** Thrown for a refusal of the server, or if it cannot be reached (`code` is then `offline`). */
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

/**
 * The typed routes of the backend. If a request finds its session ended, it asks for a new login and then repeats
 * itself; its caller only gets the answer later.
 */
export class Api {
  #csrfToken = ''
  #login: Promise<void> | undefined
  readonly #askForLogin: () => Promise<void>

  /** `askForLogin` settles after a new login, and rejects when the user does not log in. */
  constructor(askForLogin: () => Promise<void>) {
    this.#askForLogin = askForLogin
  }

  /** The user who is logged in; undefined without a session. */
  async session(): Promise<SessionAnswer | undefined> {
    try {
      return this.#remember(await sendToBackend<SessionAnswer>('GET', '/backend/session'))
    } catch (error) {
      if (isSessionEnd(error)) return undefined
      throw error
    }
  }

  async login(username: string, password: string): Promise<SessionAnswer> {
    return this.#remember(
      await sendToBackend<SessionAnswer>('POST', '/backend/login', { username, password }),
    )
  }

  /** Ends the session; a session that has already ended is no error. */
  async logout(): Promise<void> {
    try {
      await sendToBackend('POST', '/backend/logout', {}, this.#csrfToken)
    } catch (error) {
      if (!isSessionEnd(error)) throw error
    }
  }

  demoUsers(): Promise<DemoUsersAnswer> {
    return sendToBackend('GET', '/backend/demo-users')
  }

  pages(): Promise<PagesAnswer> {
    return this.#ask('GET', '/backend/pages')
  }

  page(uid: RecordId): Promise<PageAnswer> {
    return this.#ask('GET', `/backend/pages/${uid}`)
  }

  tables(): Promise<TablesAnswer> {
    return this.#ask('GET', '/backend/records')
  }

  records(
    table: string,
    query: { page?: RecordId | undefined; limit: number; offset: number },
  ): Promise<RecordsAnswer> {
    const search = new URLSearchParams({ limit: String(query.limit), offset: String(query.offset) })
    if (query.page) search.set('page', String(query.page))
    return this.#ask('GET', `/backend/records/${encodeURIComponent(table)}?${search}`)
  }

  record(table: string, uid: RecordId): Promise<RecordAnswer> {
    return this.#ask('GET', `/backend/records/${encodeURIComponent(table)}/${uid}`)
  }

  add({ table, ...draft }: RecordDraft): Promise<RecordAnswer> {
    return this.#ask('POST', `/backend/records/${encodeURIComponent(table)}`, draft)
  }

  edit({ table, uid, ...change }: RecordEdit): Promise<RecordAnswer> {
    return this.#ask('POST', `/backend/records/${encodeURIComponent(table)}/${uid}`, change)
  }

  log(level: LogLevel, limit: number): Promise<LogAnswer> {
    return this.#ask('GET', `/backend/log?level=${level}&limit=${limit}`)
  }

  usage({ from, to }: { from: string; to: string }): Promise<UsageAnswer> {
    return this.#ask('GET', `/backend/usage?from=${from}&to=${to}`)
  }

  /** The usage report as a file. */
  usageFile({ from, to }: { from: string; to: string }): Promise<Blob> {
    return this.#ask('GET', `/backend/usage/export?from=${from}&to=${to}`)
  }

  /** Waits for a new login; calls at the same time wait for the same one. */
  loginAgain(): Promise<void> {
    this.#login ??= this.#askForLogin().finally(() => {
      this.#login = undefined
    })
    return this.#login
  }

  async #ask<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
    try {
      return await sendToBackend<T>(method, path, body, this.#csrfToken)
    } catch (error) {
      if (!isSessionEnd(error)) throw error
      await this.loginAgain().catch(() => {
        throw error
      })
      return sendToBackend<T>(method, path, body, this.#csrfToken)
    }
  }

  #remember(answer: SessionAnswer): SessionAnswer {
    this.#csrfToken = answer.csrfToken
    return answer
  }
}

function isSessionEnd(error: unknown): boolean {
  return error instanceof RequestError && error.code.startsWith('session.')
}

async function sendToBackend<T>(
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  csrfToken = '',
): Promise<T> {
  const answer = await fetch(path, {
    method,
    cache: 'no-store',
    credentials: 'same-origin',
    // A page of the shell may have the same address as a route: the header tells them apart.
    headers: {
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json', 'x-csrf-token': csrfToken }),
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
