import { inflateRawSync } from 'node:zlib'

/**
 * Reads the directory of a zip file strictly. It refuses anything that two readers could interpret differently, so
 * that the document library later reads the checked content. It inflates an entry only on request.
 */

export type ZipEntry = {
  name: string
  /** 0: stored, 8: deflated. */
  method: 0 | 8
  /** Bytes according to the directory; not trusted until the entry is inflated. */
  size: number
  /** The entry as stored in the file. */
  packed: Buffer
}

/** Refuses a zip file, with a reason. */
export class ZipError extends Error {
  readonly reason: 'damaged' | 'encrypted' | 'bomb'

  constructor(reason: ZipError['reason']) {
    super(`The zip file is ${reason}`)
    this.name = 'ZipError'
    this.reason = reason
  }
}

/** Limit of entries in an archive. */
const maxEntries = 2_000
/** Inflated bytes of one part that is no worksheet. */
export const maxPartBytes = 32 * 1024 ** 2
/**
 * Limit of a worksheet in inflated bytes. It is larger, because rows of numbers are long and a worksheet is read as a
 * stream.
 */
export const maxSheetBytes = 256 * 1024 ** 2
/** Limit of all parts together without worksheets, in inflated bytes. */
export const maxTotalBytes = 64 * 1024 ** 2

const endSignature = Buffer.from('PK\x05\x06', 'latin1')
const endLength = 22
const directorySignature = 0x02014b50
const localSignature = 0x04034b50

/**
 * Returns all entries. Throws ZipError for an archive that is cut off, spanned, zip64, encrypted or too large.
 * Overlapping and double entries throw too.
 */
export function zipEntries(bytes: Uint8Array): ZipEntry[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = endOfDirectory(file)
  const count = file.readUInt16LE(end + 10)
  const start = file.readUInt32LE(end + 16)
  if (file.readUInt32LE(end + 4) !== 0 || file.readUInt16LE(end + 8) !== count) throw new ZipError('damaged')
  if (start + file.readUInt32LE(end + 12) !== end) throw new ZipError('damaged')
  if (count > maxEntries) throw new ZipError('bomb')
  const entries: (ZipEntry & { from: number; to: number })[] = []
  let at = start
  for (let n = 0; n < count; n++) {
    const { entry, next } = directoryEntry(file, at, end)
    entries.push(entry)
    at = next
  }
  if (at !== end) throw new ZipError('damaged')
  refuseAmbiguity(entries, start)
  refuseBombs(entries)
  return entries.map(({ name, method, size, packed }) => ({ name, method, size, packed }))
}

/** Returns the content of an entry; throws ZipError if its length differs from the directory, or exceeds `max`. */
export function inflate(entry: ZipEntry, max: number): Buffer {
  if (entry.size > max) throw new ZipError('bomb')
  const content = entry.method === 0 ? entry.packed : inflated(entry, max)
  if (content.length !== entry.size) throw new ZipError('damaged')
  return content
}

/** True for a worksheet of a spreadsheet, which may be larger than other parts. */
export const isWorksheet = (name: string): boolean => /^xl\/worksheets\/.*\.xml$/i.test(name)

function inflated(entry: ZipEntry, max: number): Buffer {
  try {
    return inflateRawSync(entry.packed, { maxOutputLength: max })
  } catch (error) {
    const isTooLong = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    throw new ZipError(isTooLong ? 'bomb' : 'damaged')
  }
}

function endOfDirectory(file: Buffer): number {
  const end = file.lastIndexOf(endSignature)
  if (end < 0 || end + endLength > file.length) throw new ZipError('damaged')
  if (end + endLength + file.readUInt16LE(end + 20) !== file.length) throw new ZipError('damaged')
  return end
}

function directoryEntry(file: Buffer, at: number, end: number) {
  if (at + 46 > end || file.readUInt32LE(at) !== directorySignature) throw new ZipError('damaged')
  const flags = file.readUInt16LE(at + 8)
  const method = file.readUInt16LE(at + 10)
  const packedSize = file.readUInt32LE(at + 20)
  const size = file.readUInt32LE(at + 24)
  const nameLength = file.readUInt16LE(at + 28)
  const next = at + 46 + nameLength + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32)
  if (next > end) throw new ZipError('damaged')
  // Bit 0: encrypted; bit 13: encrypted directory; method 99: AES.
  if ((flags & 0x2001) !== 0 || method === 99) throw new ZipError('encrypted')
  if (method !== 0 && method !== 8) throw new ZipError('damaged')
  const rawName = file.subarray(at + 46, at + 46 + nameLength)
  const from = file.readUInt32LE(at + 42)
  const begin = contentStart(file, from, rawName)
  const to = begin + packedSize
  if (to > end) throw new ZipError('damaged')
  const packed = file.subarray(begin, to)
  return { entry: { name: rawName.toString('utf8'), method, size, packed, from, to } as const, next }
}

/** Returns the start of the content; throws if the name before it differs from the directory. */
function contentStart(file: Buffer, at: number, name: Buffer): number {
  if (at + 30 > file.length || file.readUInt32LE(at) !== localSignature) throw new ZipError('damaged')
  const nameEnd = at + 30 + file.readUInt16LE(at + 26)
  if (!file.subarray(at + 30, nameEnd).equals(name)) throw new ZipError('damaged')
  return nameEnd + file.readUInt16LE(at + 28)
}

function refuseAmbiguity(entries: { name: string; from: number; to: number }[], directory: number): void {
  if (new Set(entries.map(({ name }) => name.toLowerCase())).size < entries.length)
    throw new ZipError('damaged')
  let free = 0
  for (const { from, to } of entries.toSorted((a, b) => a.from - b.from)) {
    if (from < free || to > directory) throw new ZipError('damaged')
    free = to
  }
}

function refuseBombs(entries: ZipEntry[]): void {
  let total = 0
  for (const { name, size } of entries) {
    if (size > (isWorksheet(name) ? maxSheetBytes : maxPartBytes)) throw new ZipError('bomb')
    if (!isWorksheet(name)) total += size
  }
  if (total > maxTotalBytes) throw new ZipError('bomb')
}
