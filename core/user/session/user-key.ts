import { createHmac } from 'node:crypto'
import * as z from 'zod'
import { parsedJson } from '../../base/json.ts'

/** The `kid` of a statement that the key of its one user has signed. */
export const userKeyId = 'user'

const Named = z.object({ sub: z.string() })

/**
 * Derives the key that signs statements for one user of the CMS alone, for a process that must be no other user. It does
 * not tell the exchange key.
 */
export function userKey(exchangeKey: string, sub: string): string {
  return createHmac('sha256', exchangeKey).update(`user ${sub}`).digest('hex')
}

/** The key that verifies a statement: the exchange key, or the one that is derived from it for the user it names. */
export function verifyingKey(exchangeKey: string, kid: string | undefined, payload: string): Uint8Array {
  const named = Named.safeParse(parsedJson(Buffer.from(payload, 'base64url').toString('utf8')))
  const key = kid === userKeyId && named.success ? userKey(exchangeKey, named.data.sub) : exchangeKey
  return new TextEncoder().encode(key)
}
