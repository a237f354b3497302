import { createHmac } from 'node:crypto'
import * as z from 'zod'
import { parsedJson } from '../../base/json.ts'

/** The `kid` of a statement that was signed with a key for only one user. */
export const userKeyId = 'user'

const Named = z.object({ sub: z.string() })

/**
 * Returns the key that signs statements for one user, for a process that must act only as that user. The exchange key
 * cannot be computed from it.
 */
export function userKey(exchangeKey: string, sub: string): string {
  return createHmac('sha256', exchangeKey).update(`user ${sub}`).digest('hex')
}

/** Returns the key for a statement: the exchange key, or the key derived for the statement's user. */
export function verifyingKey(exchangeKey: string, kid: string | undefined, payload: string): Uint8Array {
  const named = Named.safeParse(parsedJson(Buffer.from(payload, 'base64url').toString('utf8')))
  const key = kid === userKeyId && named.success ? userKey(exchangeKey, named.data.sub) : exchangeKey
  return new TextEncoder().encode(key)
}
