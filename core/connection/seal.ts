import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { config } from '../stage/config.ts'

/** AES-256-GCM: bytes of its key, of the value that is used once, and of the proof that nothing was changed. */
const sizes = { key: 32, iv: 12, tag: 16 }
const form = 'v1.'

/** A key of its own for this purpose, from the stage's secret: the secret itself encrypts nothing. */
function key(): Buffer {
  return Buffer.from(hkdfSync('sha256', config().secret, '', 'grants of users', sizes.key))
}

/** The text encrypted under the stage's key; `place` says what it belongs to, and it opens in no other place. */
export function seal(text: string, place: string): string {
  const iv = randomBytes(sizes.iv)
  const cipher = createCipheriv('aes-256-gcm', key(), iv).setAAD(Buffer.from(place))
  const sealed = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return `${form}${Buffer.concat(sealed).toString('base64url')}`
}

/** The text that was sealed for this place; undefined for anything else, as after a change of the stage's secret. */
export function unseal(sealed: string, place: string): string | undefined {
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
    // The proof does not hold: another key, another place, or changed bytes.
    return undefined
  }
}
