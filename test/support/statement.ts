import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'

/** What the settings of a stage say of the CMS that signs `statement`. */
export const exchanging = { issuer: 'cms', audience: 'chat', key: 'cms_key' }
const key = 'an exchange key of at least 32 bytes'
process.env.AI_CHAT_SECRET_CMS_KEY = key

/** What a CMS elsewhere says at `now` about who is logged in there. */
export function statement(
  sub: string,
  now: number,
  more: { sid?: string; use?: string } = {},
): Promise<string> {
  return new SignJWT({ ...more, jti: randomUUID() })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(exchanging.issuer)
    .setAudience(exchanging.audience)
    .setSubject(sub)
    .setExpirationTime(Math.floor(now / 1000) + 30)
    .sign(new TextEncoder().encode(key))
}
