import { analyse } from 'chardet'

/** A text with a larger share of control characters is no text. */
const maxControlShare = 0.005

/**
 * Decodes a plain text file, with `\n` as line end. Tries the encodings in this order: the encoding of the byte order
 * mark; strict UTF-8; UTF-16 without a mark, recognised by its zero bytes; the likeliest older encoding. Returns
 * undefined for content that is no text.
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const text = decode(bytes)
  if (text === undefined || text.includes('\0')) return undefined
  const controls = text.length - text.replace(/(?![\t\n\f\r])\p{Cc}/gu, '').length
  if (controls > text.length * maxControlShare) return undefined
  return text.replace(/\r\n?/g, '\n')
}

function decode(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return strictly('utf-16le', bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return strictly('utf-16be', bytes)
  const utf8 = strictly('utf-8', bytes)
  if (utf8 !== undefined && !utf8.includes('\0')) return utf8
  const wide = wideEncoding(bytes)
  if (wide) return strictly(wide, bytes)
  return utf8 ?? inOldEncoding(bytes)
}

function inOldEncoding(bytes: Uint8Array): string {
  const encoding = namedEncoding(bytes) ?? encodingOf(bytes)
  const text = encoding === 'windows-1252' ? undefined : strictly(encoding, bytes)
  // `stream` selects the real Windows-1252 table: without it some releases of Node decode Latin-1.
  return text ?? new TextDecoder('windows-1252').decode(bytes, { stream: true })
}

/** Returns the older encoding that the beginning of an HTML or XML file names. */
function namedEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1')
  const [, name = ''] = /^\s*<[\s\S]*?\b(?:charset|encoding)\s*=\s*["']?([\w-]+)/i.exec(head) ?? []
  return readable.test(name) ? name : undefined
}

function strictly(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Detects UTF-16 without a byte order mark: in western text every second byte is zero. */
function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const sample = bytes.subarray(0, 4_096)
  const zeros = (rest: number) => sample.filter((byte, at) => byte === 0 && at % 2 === rest).length
  const [even, odd] = [zeros(0), zeros(1)]
  const many = sample.length * 0.2
  if (odd > many && even < odd * 0.05) return 'utf-16le'
  if (even > many && odd < even * 0.05) return 'utf-16be'
  return undefined
}

/** Size of the sample for the detector, in bytes. The detector's time grows with the size. */
const sampleBytes = 65_536

/**
 * The minimum confidence of a usable guess. Below it, a guess is no better than chance, and most files without a byte
 * order mark hold western text.
 */
const leastConfidence = 35
const leadOverWestern = 20

/** The western encodings; texts in them are read as Windows-1252, which has all letters of ASCII and ISO-8859-1. */
const western = new Set(['ISO-8859-1', 'windows-1252', 'ASCII'])

/** The encodings, except those of Unicode, that the detector finds and TextDecoder supports. */
const readable = /^(Shift_JIS|EUC-JP|EUC-KR|Big5|GB18030|KOI8-R|ISO-8859-[2-9]|windows-125[013-8])$/i

/**
 * Returns the encoding of a text that is neither UTF-8 nor UTF-16: the likeliest encoding, or Windows-1252 if no
 * encoding is likely.
 */
function encodingOf(bytes: Uint8Array): string {
  const first = Math.max(0, bytes.findIndex((byte) => byte >= 0x80) - 1_000)
  const sample = bytes.subarray(first, first + sampleBytes)
  if (isDosCyrillic(sample)) return 'ibm866'
  const guesses = analyse(sample)
  const best = guesses.find(({ name }) => readable.test(name))
  const rival = Math.max(
    0,
    ...guesses.filter(({ name }) => western.has(name)).map((guess) => guess.confidence),
  )
  const isLikely = best && best.confidence >= leastConfidence && best.confidence >= rival + leadOverWestern
  return isLikely ? best.name.toLowerCase() : 'windows-1252'
}

/**
 * Detects cp866, which the detector does not know. Its small letters from а to п are 0xA0 to 0xAF, which are symbols in
 * every other 8-bit table. Besides box-drawing characters, cp866 text uses only 0x80 to 0xAF and 0xE0 to 0xF1.
 */
function isDosCyrillic(sample: Uint8Array): boolean {
  const high = sample.filter((byte) => byte >= 0x80)
  const small = high.filter((byte) => byte >= 0xa0 && byte <= 0xaf).length
  const own = high.filter((byte) => byte <= 0xaf || (byte >= 0xe0 && byte <= 0xf1)).length
  return high.length >= 10 && small > high.length * 0.4 && own > high.length * 0.95
}
