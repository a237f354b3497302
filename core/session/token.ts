import { createHash, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import { config } from '../stage/config.ts'

/**
 * The token that a cookie or a Bearer header carries. It is signed and names user and session, so that the session's
 * key is known before the first read; whether the session lives, its row decides.
 */
const Claims = z.object({ sub: z.string().regex(/^[1-9][0-9]{0,15}$/), sid: z.string().length(32) })

export type SessionName = { uid: number; sid: string }

/** As an object of Node: for a key of bytes, Node 24 throws and catches two errors in each signature. */
const key = (purpose: string) =>
  createSecretKey(createHmac('sha256', config().secret).update(purpose).digest())

/** The only accepted header, so that a caller cannot choose how a token is checked. */
const header = encoded({ alg: 'HS256' })

/**
 * A signed token for the session: a JWT, made and checked here. Every request brings one, and a library would send each
 * to another thread and back for a hash of a hundred bytes.
 */
export async function sign({ uid, sid }: SessionName): Promise<string> {
  const signed = `${header}.${encoded({ sub: String(uid), sid })}`
  return `${signed}.${signature(signed)}`
}

/** Which session a token names, or undefined when it was not signed by this stage. */
export async function verify(token: string): Promise<SessionName | undefined> {
  const [head, claims = '', given = '', ...rest] = token.split('.')
  if (head !== header || rest.length > 0) return undefined
  if (!same(given, signature(`${head}.${claims}`))) return undefined
  const { success, data } = Claims.safeParse(JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')))
  return success ? { uid: Number(data.sub), sid: data.sid } : undefined
}

function signature(signed: string): string {
  return createHmac('sha256', key('session token')).update(signed).digest('base64url')
}

function encoded(part: Record<string, string>): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

/** The token as the session row keeps it. */
export function hash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** The CSRF token of a session: bound to it, and worthless after it. */
export function csrf(sid: string): string {
  return createHmac('sha256', key('csrf')).update(sid).digest('hex')
}

/** Whether two secrets are equal, in constant time. */
export function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
