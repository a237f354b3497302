import type { Format } from './format.ts'

/**
 * Reads facts from the bytes of a picture without decoding pixels: its size, and the presence of metadata. It is plain
 * JavaScript, so that no native code reads untrusted bytes outside the sandbox.
 */

export type Size = { width: number; height: number }

/** Returns the size in pixels from the header; undefined if the header is cut off or has another format. */
export function sizeOf(bytes: Uint8Array, format: Format): Size | undefined {
  const size = readers[format]?.size(viewOf(bytes))
  return size && size.width > 0 && size.height > 0 ? size : undefined
}

/**
 * True for a complete picture with nothing but pixels and colours: no EXIF, no comment, no preview, nothing after its
 * end. False if this is uncertain.
 */
export function isBare(bytes: Uint8Array, format: Format): boolean {
  return readers[format]?.isBare(viewOf(bytes)) ?? false
}

type Reader = { size(file: Buffer): Size | undefined; isBare(file: Buffer): boolean }

const pngParts = new Set(
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP pHYs bKGD sBIT cICP acTL fcTL fdAT'.split(' '),
)

const png: Reader = {
  size: (file) =>
    file.length < 24 || ascii(file, 12, 4) !== 'IHDR'
      ? undefined
      : { width: file.readUInt32BE(16), height: file.readUInt32BE(20) },
  isBare: (file) => {
    const names = chunkNames(file, 8, (at) => ({
      name: ascii(file, at + 4, 4),
      length: file.readUInt32BE(at) + 4,
    }))
    return names?.at(-1) === 'IEND' && names.every((name) => pngParts.has(name))
  },
}

/** True for frame markers of all kinds; the other markers between 0xc0 and 0xcf are tables. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

const jpeg: Reader = {
  size: (file) => {
    const frame = segments(file).find(({ marker }) => isFrame(marker))
    if (!frame || frame.at + 9 > file.length) return undefined
    return { width: file.readUInt16BE(frame.at + 7), height: file.readUInt16BE(frame.at + 5) }
  },
  isBare: (file) => {
    const all = segments(file)
    const ends = file.length > 4 && file.readUInt16BE(file.length - 2) === 0xffd9
    // A second start marker belongs to a preview, or to another picture after this one.
    const isSingle = file.indexOf(Buffer.from('ffd8ff', 'hex'), 2) < 0
    return ends && isSingle && all.at(-1)?.marker === 0xda && all.every((segment) => isPlain(file, segment))
  },
}

type Segment = { marker: number; at: number }

/** Returns the segments up to the first scan. */
function segments(file: Buffer): Segment[] {
  const found: Segment[] = []
  let at = 2
  while (at + 4 <= file.length && file[at] === 0xff) {
    const marker = file[at + 1] as number
    if (marker === 0xff) {
      at += 1
      continue
    }
    found.push({ marker, at })
    if (marker === 0xda) break
    at += 2 + Math.max(2, file.readUInt16BE(at + 2))
  }
  return found
}

/**
 * True for all segments except comments and application data; for application data, true only if it describes colours.
 */
function isPlain(file: Buffer, { marker, at }: Segment): boolean {
  if (marker === 0xfe) return false
  if (marker < 0xe0 || marker > 0xef) return true
  const name = ascii(file, at + 4, 11)
  return name.startsWith('JFIF\0') || name.startsWith('Adobe') || name === 'ICC_PROFILE'
}

const gif: Reader = {
  size: (file) =>
    file.length < 10 ? undefined : { width: file.readUInt16LE(6), height: file.readUInt16LE(8) },
  isBare: (file) => {
    let at = 13 + tableBytes(file[10])
    while (at < file.length) {
      const kind = file[at]
      if (kind === 0x3b) return at === file.length - 1
      // Skips the picture's position and size, then its colours, then the size of its first code.
      if (kind === 0x2c) at = blocksEnd(file, at + 10 + tableBytes(file[at + 9]) + 1)
      else if (kind === 0x21 && isGifPlain(file, at)) at = blocksEnd(file, at + 2)
      else return false
    }
    return false
  },
}

/** True for extensions with the timing of frames or the number of repeats. */
const isGifPlain = (file: Buffer, at: number) =>
  file[at + 1] === 0xf9 || (file[at + 1] === 0xff && ascii(file, at + 3, 11) === 'NETSCAPE2.0')

function tableBytes(flags = 0): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

function blocksEnd(file: Buffer, from: number): number {
  let at = from
  while (at < file.length && file[at] !== 0) at += 1 + (file[at] as number)
  return at + 1
}

const webpParts = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'])

const webp: Reader = {
  size: (file) => {
    if (file.length < 30) return undefined
    const kind = ascii(file, 12, 4)
    if (kind === 'VP8X') return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 }
    if (kind === 'VP8 ')
      return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff }
    if (kind !== 'VP8L') return undefined
    const bits = file.readUInt32LE(21)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  },
  isBare: (file) => {
    if (file.length < 12 || file.readUInt32LE(4) + 8 !== file.length) return false
    const names = chunkNames(file, 12, (at) => {
      const length = file.readUInt32LE(at + 4)
      return { name: ascii(file, at, 4), length: length + (length % 2) }
    })
    return names?.every((name) => webpParts.has(name)) ?? false
  },
}

/**
 * Returns the names of the parts of a file, each with a header of eight bytes; undefined if they do not end at the end
 * of the file.
 */
function chunkNames(
  file: Buffer,
  start: number,
  read: (at: number) => { name: string; length: number },
): string[] | undefined {
  const names: string[] = []
  let at = start
  while (at + 8 <= file.length) {
    const { name, length } = read(at)
    names.push(name)
    at += 8 + length
  }
  return at === file.length && names.length > 0 ? names : undefined
}

const readers: Partial<Record<Format, Reader>> = { png, jpg: jpeg, jpeg, gif, webp }

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function ascii(file: Buffer, at: number, length: number): string {
  return file.subarray(at, at + length).toString('latin1')
}
