import { encodingOf } from './encoding.ts'

/** More control characters than this share of a text mean that it is none. */
const maxControlShare = 0.005

/**
 * The text of a plain text file: by its byte order mark, else strict UTF-8, else UTF-16 recognised by its zero bytes,
 * else the likeliest older encoding, with line ends as `\n`. Undefined for content that is no text.
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
  const encoding = encodingOf(bytes)
  const text = encoding === 'windows-1252' ? undefined : strictly(encoding, bytes)
  // `stream` selects the real Windows-1252 table: without it some releases of Node decode Latin-1.
  return text ?? new TextDecoder('windows-1252').decode(bytes, { stream: true })
}

function strictly(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** UTF-16 without a mark: in western text every second byte is zero. */
function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const sample = bytes.subarray(0, 4_096)
  const zeros = [0, 0]
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const many = sample.length * 0.2
  if (odd > many && even < odd * 0.05) return 'utf-16le'
  if (even > many && odd < even * 0.05) return 'utf-16be'
  return undefined
}
