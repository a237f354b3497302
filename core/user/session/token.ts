import { createHmac, createSecretKey } from 'node:crypto'
import * as z from 'zod'
import { config } from '../../base/config.ts'
import { isSameSecret } from '../../base/hash.ts'

/**
 * Signs and verifies the token in a cookie or a Bearer header. The token names user and session, so that one read finds
 * the session's row. The row decides if the session is still valid.
 */
const Claims = z.object({ sub: z.string().regex(/^[1-9][0-9]{0,15}$/), sid: z.string().length(32) })

export type SessionName = { uid: number; sid: string }

/** Returns a KeyObject, because for a key of bytes Node 24 throws and catches two errors in each signature. */
const key = (purpose: string) =>
  createSecretKey(createHmac('sha256', config().secret).update(purpose).digest())

/** The only accepted header, so that a caller cannot choose how the token is checked. */
const header = encoded({ alg: 'HS256' })

/**
 * Signs a token for the session: a JWT without a library. Every request brings a token, and a library would use another
 * thread for the hash of a hundred bytes.
 */
export function sign({ uid, sid }: SessionName): string {
  const signed = `${header}.${encoded({ sub: String(uid), sid })}`
  return `${signed}.${signature(signed)}`
}

/** Verifies a token and returns the user and session in it; undefined if this stage did not sign it. */
export function verify(token: string): SessionName | undefined {
  const [head, claims = '', given = '', ...rest] = token.split('.')
  if (head !== header || rest.length > 0) return undefined
  if (!isSameSecret(given, signature(`${head}.${claims}`))) return undefined
  const { success, data } = Claims.safeParse(JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')))
  return success ? { uid: Number(data.sub), sid: data.sid } : undefined
}

function signature(signed: string): string {
  return createHmac('sha256', key('session token')).update(signed).digest('base64url')
}

function encoded(part: Record<string, string>): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

/** Returns the CSRF token of a session, valid only for this session. Its prefix marks it as a secret for the logs. */
export function csrf(sid: string): string {
  return `aicc_${createHmac('sha256', key('csrf')).update(sid).digest('hex')}`
}

/** Returns true for the CSRF token of the session; compares in constant time. */
export const isCsrf = (token: string, sid: string): boolean => isSameSecret(token, csrf(sid))
