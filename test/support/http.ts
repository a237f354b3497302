import type { MessagesAnswer } from '../../core/chat/messages-request.ts'
import type { Summary } from '../../core/conversation/schema.ts'
import { conform } from './openapi.ts'

/** An answer of the stage, its body parsed where it is JSON. */
export type Answer<T = Record<string, unknown>> = { status: number; headers: Headers; body: T }

/** The answer of a poll. */
export type Poll = MessagesAnswer

type Sent = { conversation: Summary; sequence: number }
type Options = { idempotencyKey?: string; headers?: Record<string, string> }

/** A logged-in user, as a browser is one: cookie, CSRF token and Origin of the stage. */
export type Client = {
  csrfToken: string
  cookie: string
  get<T>(path: string, query?: Record<string, string | number | boolean>): Promise<Answer<T>>
  post<T>(path: string, body?: unknown, options?: Options): Promise<Answer<T>>
  upload<T>(name: string, type: string, bytes: Uint8Array<ArrayBuffer> | string): Promise<Answer<T>>
  /** Sends a message; throws when it is refused. */
  send(content: string, more?: Record<string, unknown>): Promise<Sent>
  poll(conversationId: string, query?: Record<string, number>): Promise<Poll>
  /** Polls until the conversation is as wanted; throws, with what it saw last, after two minutes or so. */
  until(conversationId: string, wanted: (poll: Poll) => boolean): Promise<Poll>
  /** Sends a message and answers the conversation when the turn has ended. */
  ask(content: string, more?: Record<string, unknown>): Promise<Poll>
}

const busy = new Set(['processing', 'locked', 'tool_loop'])

/** True when no turn is under way. */
export const isOver = (poll: Poll): boolean => !busy.has(poll.conversation.status)

/** Logs in as a user of the seeded site. Every answer that the client gets is held against the description of the API. */
export async function login(origin: string, username: string, password = 'demo'): Promise<Client> {
  const answer = await fetch(`${origin}/backend/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ username, password }),
  })
  if (!answer.ok) throw new Error(`Login of ${username}: ${answer.status} ${await answer.text()}`)
  const { csrfToken } = (await answer.json()) as { csrfToken: string }
  const cookie = answer.headers
    .getSetCookie()
    .map((entry) => entry.split(';')[0])
    .join('; ')
  return client(origin, { cookie, csrfToken }, { cookie }, { origin, 'x-csrf-token': csrfToken })
}

/** Exchanges the statement of a CMS for a session, as its page does, which is of another origin. */
export async function exchange(origin: string, from: string, statement: string): Promise<Client> {
  const answer = await fetch(`${origin}/backend/exchange`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: from },
    body: JSON.stringify({ token: statement }),
  })
  if (!answer.ok) throw new Error(`Exchange: ${answer.status} ${await answer.text()}`)
  const { token } = (await answer.json()) as { token: string }
  const reading = { authorization: `Bearer ${token}` }
  return client(origin, { cookie: '', csrfToken: '' }, reading, { origin: from })
}

function client(
  origin: string,
  { cookie, csrfToken }: Pick<Client, 'cookie' | 'csrfToken'>,
  reading: Record<string, string>,
  more: Record<string, string>,
): Client {
  const changing = { ...reading, ...more }
  const call = async <T>(path: string, init: RequestInit): Promise<Answer<T>> =>
    checked(init.method ?? 'GET', path, await parsed<T>(await fetch(`${origin}${path}`, init)))

  const get = <T>(path: string, query: Record<string, string | number | boolean> = {}) => {
    const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
    return call<T>(`${path}${search.size > 0 ? `?${search}` : ''}`, { headers: reading })
  }
  const post = <T>(path: string, body: unknown = {}, { idempotencyKey, headers }: Options = {}) =>
    call<T>(path, {
      method: 'POST',
      headers: {
        ...changing,
        'content-type': 'application/json',
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
        ...headers,
      },
      body: JSON.stringify(body),
    })
  const upload = <T>(name: string, type: string, bytes: Uint8Array<ArrayBuffer> | string) => {
    const form = new FormData()
    form.set('file', new Blob([bytes], { type }), name)
    return call<T>('/ai-chat/file-upload', { method: 'POST', headers: changing, body: form })
  }
  const send = async (content: string, more: Record<string, unknown> = {}) =>
    expected(await post<Sent>('/ai-chat/conversations/send', { content, ...more }), 202)
  const poll = async (conversationId: string, query: Record<string, number> = {}) =>
    expected(await get<Poll>('/ai-chat/conversations/messages', { conversationId, ...query }), 200)
  const until = async (conversationId: string, wanted: (poll: Poll) => boolean) => {
    for (let tries = 0; ; tries++) {
      const seen = await poll(conversationId)
      if (wanted(seen)) return seen
      if (tries === 1_000) throw new Error(`Still not as wanted: ${JSON.stringify(seen)}`)
      await new Promise((done) => setTimeout(done, 100))
    }
  }
  const ask = async (content: string, more: Record<string, unknown> = {}) => {
    const { conversation } = await send(content, more)
    return until(conversation.id, isOver)
  }
  return { csrfToken, cookie, get, post, upload, send, poll, until, ask }
}

async function parsed<T>(answer: Response): Promise<Answer<T>> {
  const text = await answer.text()
  const isJson = /json/.test(answer.headers.get('content-type') ?? '')
  return {
    status: answer.status,
    headers: answer.headers,
    body: (isJson && text ? JSON.parse(text) : text) as T,
  }
}

function checked<T>(method: string, path: string, answer: Answer<T>): Answer<T> {
  const { status, headers, body } = answer
  conform(method, path, { status, contentType: headers.get('content-type'), body })
  return answer
}

function expected<T>(answer: Answer<T>, status: number): T {
  if (answer.status === status) return answer.body
  throw new Error(`Expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`)
}
