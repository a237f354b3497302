import { expect, test } from 'vitest'
import { pairingOf } from '../../../../core/cms/bridge/pairing.ts'
import { sign, verify } from '../../../../core/cms/bridge/signature.ts'
import vectors from '../../../../core/cms/bridge/vectors.json' with { type: 'json' }

/** A signer after docs/connect/bridge.md alone, with the cryptography of browsers: nothing of the bridge's own. */
const bytes = (text: string) => new TextEncoder().encode(text)
const hex = (buffer: ArrayBuffer) =>
  [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('')

type Vector = (typeof vectors.signatures)[number]

async function signed({ key, base, operation, keyId, time, nonce, user, body }: Vector): Promise<string> {
  const hash = hex(await crypto.subtle.digest('SHA-256', bytes(body)))
  const where = operation === 'hello' ? '*' : base
  const text = `aic-v2\nPOST\n${where}\n${operation}\n${keyId}\n${time}\n${nonce}\n${user}\n${hash}`
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', bytes(key), algorithm, false, ['sign'])
  return hex(await crypto.subtle.sign('HMAC', imported, bytes(text)))
}

async function derived(secret: Uint8Array<ArrayBuffer>, info: string, length: number): Promise<string> {
  const imported = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  const how = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: bytes(info) }
  return hex(await crypto.subtle.deriveBits(how, imported, length * 8))
}

test.each(vectors.signatures)('$name', async (vector) => {
  expect(await signed(vector)).toBe(vector.signature)
  expect(sign(vector.key, vector)).toBe(vector.signature)
  expect(verify(vector.key, { ...vector, user: `${vector.user}1` }, vector.signature)).toBe(false)
})

test.each(vectors.pairings)('the code $code', async ({ code, ...pairing }) => {
  const [, secret = '', origin = ''] = code.split('.')
  const input = Uint8Array.from(Buffer.from(secret, 'base64url'))

  expect({
    origin: Buffer.from(origin, 'base64url').toString(),
    keyId: await derived(input, 'aic-v2 key id', 8),
    bridgeKey: await derived(input, 'aic-v2 bridge', 32),
    exchangeKey: await derived(input, 'aic-v2 exchange', 32),
  }).toEqual(pairing)
  expect(pairingOf(` ${code}\n`)).toEqual(pairing)
})

test.each(['', 'aic1.x.y', 'aic2.short.aHR0cHM6Ly94', `aic2.${'A'.repeat(43)}.${btoa('no origin')}`])(
  '%j is no code',
  (code) => {
    expect(pairingOf(code)).toBeUndefined()
  },
)
