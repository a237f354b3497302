import { hkdfSync, randomBytes } from 'node:crypto'

/** Audience of the statements of a paired CMS. */
export const audience = 'ai-chat'

const codeForm = /^aic2\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]+)$/

/** Creates a pairing code for a stage. It is a secret: anyone who has it can act for both sides. */
export function newCode(origin: string): string {
  return `aic2.${randomBytes(32).toString('base64url')}.${Buffer.from(origin).toString('base64url')}`
}

/** Reads a pairing code; undefined if the text is no pairing code. Ignores spaces around it. */
export function pairingOf(code: string) {
  const [, secret = '', place = ''] = codeForm.exec(code.trim()) ?? []
  const origin = Buffer.from(place, 'base64url').toString('utf8')
  if (!URL.canParse(origin) || new URL(origin).origin !== origin) return undefined
  const derived = (use: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'base64url'), '', `aic-v2 ${use}`, bytes)).toString(
      'hex',
    )
  return {
    /** Origin of the stage. */
    origin,
    /** Id of the bridge key, and issuer of the statements of the CMS. */
    keyId: derived('key id', 8),
    /** Signs the requests of the stage to the CMS. */
    bridgeKey: derived('bridge', 32),
    /** Signs the statements of the CMS for the stage. */
    exchangeKey: derived('exchange', 32),
  }
}

/** The values that a stage and a CMS both derive from one pairing code. */
export type Pairing = NonNullable<ReturnType<typeof pairingOf>>
