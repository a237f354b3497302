import { analyse } from 'chardet'

/** What is looked at of a text, in bytes: the detector's time grows with it. */
const sampleBytes = 65_536

/** A guess below this is no better than chance, and western text is what most files without a mark hold. */
const leastConfidence = 35
const leadOverWestern = 20

/** The western guesses, both read as Windows-1252, which holds all letters of ISO-8859-1. */
const western = new Set(['ISO-8859-1', 'windows-1252', 'ASCII'])

/** The guesses that TextDecoder can read and that are no form of Unicode. */
const readable = /^(Shift_JIS|EUC-JP|EUC-KR|Big5|GB18030|KOI8-R|ISO-8859-[2-9]|windows-125[013-8])$/

/** The encoding of a text that is no UTF-8 or UTF-16: the likeliest one, or Windows-1252 where none is likely. */
export function encodingOf(bytes: Uint8Array): string {
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
 * The detector does not know cp866. Its small letters from а to п are 0xA0 to 0xAF, which are signs in each other
 * table of eight bits, and its frames aside it uses 0x80 to 0xAF and 0xE0 to 0xF1 alone.
 */
function isDosCyrillic(sample: Uint8Array): boolean {
  let high = 0
  let small = 0
  let own = 0
  for (const byte of sample) {
    if (byte < 0x80) continue
    high += 1
    if (byte >= 0xa0 && byte <= 0xaf) small += 1
    if (byte <= 0xaf || (byte >= 0xe0 && byte <= 0xf1)) own += 1
  }
  return high >= 10 && small > high * 0.4 && own > high * 0.95
}
