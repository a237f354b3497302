import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import * as z from 'zod'
import { config } from '../config.ts'

/**
 * The token that a cookie or a Bearer header carries. It is signed and names user and session, so that the session's
 * key is known before the first read; whether the session lives, its row decides.
 */
const Claims = z.object({ sub: z.string().regex(/^[1-9][0-9]{0,15}$/), sid: z.string().length(32) })

export type SessionName = { uid: number; sid: string }

const key = (purpose: string) => createHmac('sha256', config().secret).update(purpose).digest()

/** A signed token for the session. */
export function sign({ uid, sid }: SessionName): Promise<string> {
  return new SignJWT({ sid })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(String(uid))
    .sign(key('session token'))
}

/** Which session a token names, or undefined when it was not signed by this stage. */
export async function verify(token: string): Promise<SessionName | undefined> {
  try {
    const { payload } = await jwtVerify(token, key('session token'), { algorithms: ['HS256'] })
    const claims = Claims.parse(payload)
    return { uid: Number(claims.sub), sid: claims.sid }
  } catch {
    // Whatever is wrong with it, a token that does not verify is no token.
    return undefined
  }
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
