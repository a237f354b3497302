import { decodeText } from '../file/text.ts'
import { cap, type Extraction, type Limits, without } from './schema.ts'

/** The text of a plain text file. Reads nothing but bytes, so it needs no sandbox. */
export function readText(bytes: Uint8Array, limits: Limits): Extraction {
  const whole = decodeText(bytes)?.trim()
  if (whole === undefined) return without('damaged')
  if (whole === '') return without('noText')
  const { text, isCut } = cap(whole, limits.characters)
  return { state: isCut ? 'truncated' : 'whole', text, pages: null, leftOut: [] }
}
