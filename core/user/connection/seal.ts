import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type * as z from 'zod'
import { config } from '../../base/config.ts'
import { parsedJson } from '../../base/json.ts'

/** AES-256-GCM: bytes of the key, the initialization vector and the authentication tag. */
const sizes = { key: 32, iv: 12, tag: 16 }
const form = 'v1.'

/** Derives a key for this purpose from the stage's secret; the secret itself encrypts nothing. */
function key(): Buffer {
  return Buffer.from(hkdfSync('sha256', config().secret, '', 'grants of users', sizes.key))
}

/** Encrypts the text with the stage's key and binds it to `place`; it cannot be decrypted for another place. */
export function seal(text: string, place: string): string {
  const iv = randomBytes(sizes.iv)
  const cipher = createCipheriv('aes-256-gcm', key(), iv).setAAD(Buffer.from(place))
  const sealed = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return `${form}${Buffer.concat(sealed).toString('base64url')}`
}

/**
 * Decrypts a value that was sealed for this place and parses it as JSON. Returns undefined if that fails, for example
 * after the stage's secret changed, or for a value in another release's form.
 */
export function unseal<T>(sealed: string, place: string, schema: z.ZodType<T>): T | undefined {
  const { success, data } = schema.safeParse(parsedJson(decrypt(sealed, place)))
  return success ? data : undefined
}

function decrypt(sealed: string, place: string): string | undefined {
  const bytes = Buffer.from(sealed.slice(form.length), 'base64url')
  if (!sealed.startsWith(form) || bytes.length < sizes.iv + sizes.tag) return undefined
  const end = bytes.length - sizes.tag
  const decipher = createDecipheriv('aes-256-gcm', key(), bytes.subarray(0, sizes.iv), {
    authTagLength: sizes.tag,
  })
  decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(end))
  try {
    return decipher.update(bytes.subarray(sizes.iv, end), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    // The authentication tag does not match: another key, another place, or changed bytes.
    return undefined
  }
}
