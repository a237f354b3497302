import { createHmac } from 'node:crypto'
import { isSameSecret, sha256 } from '../../base/hash.ts'
import type { UserId } from '../user-number/schema.ts'

/** The version of the bridge: part of each address and of each signature. */
export const protocolVersion = 2

/** The allowed difference of the two clocks, and so the time for which a signature is valid, in milliseconds. */
export const windowMs = 60_000

/** The signed parts of a request: everything that decides its effect, its user, its CMS and its time. */
export type Signed = {
  /** Address of the bridge as both sides have it configured, so that another CMS refuses the request. */
  base: string
  operation: string
  keyId: string
  /** Milliseconds since the epoch. */
  time: number
  /** Used only once. */
  nonce: string
  /** Id of the acting user in the CMS; 0 without a user. */
  user: UserId
  body: string
}

/** Replaces the base address in the signature of `hello`, because the two sides may not agree on the address yet. */
const anyBase = '*'

/** Returns the text that is signed: nine lines, joined by line feeds, without a line feed at the end. */
function signedText({ base, operation, keyId, time, nonce, user, body }: Signed): string {
  const where = operation === 'hello' ? anyBase : base
  return [`aic-v${protocolVersion}`, 'POST', where, operation, keyId, time, nonce, user, sha256(body)].join(
    '\n',
  )
}

/** Returns the HMAC-SHA256 of a request under the key that both sides have, in hexadecimal. */
export function sign(key: string, signed: Signed): string {
  return createHmac('sha256', key).update(signedText(signed)).digest('hex')
}

/** True if the signature matches the request; compares in constant time. */
export function verify(key: string, signed: Signed, signature: string): boolean {
  return isSameSecret(sign(key, signed), signature)
}

/** The headers of a signed request. */
export const headers = {
  key: 'x-aic-key',
  time: 'x-aic-time',
  nonce: 'x-aic-nonce',
  user: 'x-aic-user',
  request: 'x-aic-request',
  signature: 'x-aic-signature',
} as const
