import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import type * as z from 'zod'
import { secret } from '../../base/config.ts'
import { parsedJson } from '../../base/json.ts'
import { secretVariable } from '../../base/secret-name.ts'
import { ErrorAnswer } from '../../chat/request.ts'
import { SessionAnswer } from '../../user/session/schema.ts'
import { userKeyId } from '../../user/session/user-key.ts'
import type { Who } from './schema.ts'

/** Sends HTTP requests: the global `fetch`, or a replacement in tests. */
export type Ask = typeof fetch

/** The longest wait for an answer, in milliseconds: longer than any route of the service may take. */
const answerMs = 35_000

/** Thrown if the stage gives another answer than a check expects. `code` is the error code of a refusal. */
export class Unexpected extends Error {
  readonly code: string | undefined
  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}

/** A client of the stage over HTTP, with only the rights of its user. */
export type Visitor = {
  get<T>(path: string, schema: z.ZodType<T>): Promise<T>
  post<T>(path: string, body: object | FormData, status: number, schema: z.ZodType<T>): Promise<T>
  /** Returns the response itself, with any status. */
  raw(path: string): Promise<Response>
  /** Ends the session. */
  leave(): Promise<void>
}

/** Requests an address without a session. Returns redirects instead of following them. */
export function open(ask: Ask, address: string, init: RequestInit = {}): Promise<Response> {
  return ask(address, { ...init, redirect: 'manual', signal: AbortSignal.timeout(answerMs) })
}

/** Begins a session of the user at the origin. Throws Unexpected if the stage refuses it. */
export async function enter(ask: Ask, origin: string, who: Who): Promise<Visitor> {
  const [path, body] = await credentials(who)
  const answer = await open(ask, `${origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify(body),
  })
  const { csrfToken, mayChat } = await parsed(`POST ${path}`, answer, 200, SessionAnswer)
  if (!mayChat) throw new Unexpected('The user of the canary may not use the chat')
  const cookie = answer.headers.getSetCookie().map((entry) => entry.split(';')[0])
  const reading = { cookie: cookie.join('; ') }
  const changing = { ...reading, origin, 'x-csrf-token': csrfToken }

  const raw = (path: string) => open(ask, `${origin}${path}`, { headers: reading })
  const post = (path: string, body: object | FormData) =>
    open(ask, `${origin}${path}`, {
      method: 'POST',
      ...(body instanceof FormData
        ? { headers: changing, body }
        : { headers: { ...changing, 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
  return {
    raw,
    get: async (path, schema) => parsed(`GET ${path.replace(/\?.*/, '')}`, await raw(path), 200, schema),
    post: async (path, body, status, schema) =>
      parsed(`POST ${path}`, await post(path, body), status, schema),
    leave: async () => {
      const { status } = await post('/backend/logout', {})
      if (status !== 204) throw new Unexpected(`POST /backend/logout answered ${status}`)
    },
  }
}

/** Returns the path of the user's login, and the body with the credentials. */
async function credentials(who: Who): Promise<[path: string, body: object]> {
  const credential = secret('canary')
  if (!credential) throw new Error(`The secret canary is not set (${secretVariable('canary')})`)
  if ('username' in who) return ['/backend/login', { username: who.username, password: credential }]
  const { uid, issuer, audience } = who
  const token = await new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: 'HS256', kid: userKeyId })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(String(uid))
    .setExpirationTime('30s')
    .sign(new TextEncoder().encode(credential))
  return ['/backend/exchange', { token }]
}

async function parsed<T>(
  request: string,
  answer: Response,
  status: number,
  schema: z.ZodType<T>,
): Promise<T> {
  const text = await answer.text()
  if (answer.status !== status) {
    const refusal = ErrorAnswer.safeParse(parsedJson(text)).data?.error
    const why = refusal ? ` ${refusal.code} (request ${refusal.requestId})` : ''
    throw new Unexpected(`${request} answered ${answer.status}${why} instead of ${status}`, refusal?.code)
  }
  const { success, data } = schema.safeParse(parsedJson(text))
  if (!success) throw new Unexpected(`${request} answered something else than its description says`)
  return data
}
