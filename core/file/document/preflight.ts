import { createInflateRaw } from 'node:zlib'
import { about, type OfficeFormat } from '../format.ts'
import { inspectParts } from '../office.ts'
import type { Reason } from '../reason.ts'
import * as Zip from '../zip.ts'
import type { State } from './schema.ts'

/**
 * Checks an Office file before a library parses it. It unpacks every part as a stream, keeps no part, and measures real
 * sizes instead of declared ones. It refuses DOCTYPE declarations, because their entities can expand to any size. In an
 * OpenDocument file it allows them: old programs write one into the manifest, and the reader expands no entities. It
 * limits the tags of a Word file, because the library mammoth builds a tree of all tags in memory.
 */

/** Limit of tags: mammoth took 82 MB for 31,000 tags, and more than 256 MB for 834,000. */
const maxTags = 300_000

const picture = /\.(png|jpe?g|gif|bmp|tiff?|emf|wmf|wdp|webp)$/i
/** Printer settings and chunks of other formats may contain a DOCTYPE; no reader opens them. */
const unopened = /\/printerSettings\/[^/]+\.bin$|\.(?:mht(?:ml)?|html?)$/i
const declaration = /<!(DOCTYPE|ENTITY)/i
const states: Partial<Record<Reason, State>> = { encrypted: 'protected', bomb: 'tooLarge', macros: 'macros' }

/** Returns the state of a file that must not be parsed; undefined if it may be parsed. */
export async function preflight(bytes: Uint8Array, format: OfficeFormat): Promise<State | undefined> {
  try {
    const entries = Zip.zipEntries(bytes)
    const reason = inspectParts(entries, format)
    if (reason) return states[reason] ?? 'damaged'
    return await measure(entries, format)
  } catch (error) {
    if (error instanceof Zip.ZipError) return states[error.reason] ?? 'damaged'
    throw error
  }
}

async function measure(entries: Zip.ZipEntry[], format: OfficeFormat): Promise<State | undefined> {
  let total = 0
  let tags = 0
  for (const entry of entries) {
    const found = await scan(entry)
    const isParsed = about(format).way === 'office' && !unopened.test(entry.name)
    if (found.size !== entry.size || (found.hasDeclaration && isParsed)) return 'damaged'
    if (!Zip.isWorksheet(entry.name)) total += found.size
    if (!picture.test(entry.name)) tags += found.tags
    if (total > Zip.maxTotalBytes || (format === 'docx' && tags > maxTags)) return 'tooLarge'
  }
  return undefined
}

type Scan = { size: number; tags: number; hasDeclaration: boolean }

async function scan(entry: Zip.ZipEntry): Promise<Scan> {
  const max = Zip.isWorksheet(entry.name) ? Zip.maxSheetBytes : Zip.maxPartBytes
  const result: Scan = { size: 0, tags: 0, hasDeclaration: false }
  let tail = ''
  for await (const chunk of unpacked(entry)) {
    result.size += chunk.length
    if (result.size > max) throw new Zip.ZipError('bomb')
    const text = chunk.toString('latin1')
    result.tags += text.split('<').length - 1
    result.hasDeclaration ||= !picture.test(entry.name) && declaration.test(tail + text)
    tail = text.slice(-10)
  }
  return result
}

async function* unpacked(entry: Zip.ZipEntry): AsyncGenerator<Buffer> {
  if (entry.method === 0) {
    yield entry.packed
    return
  }
  const stream = createInflateRaw()
  stream.end(entry.packed)
  try {
    for await (const chunk of stream) yield chunk as Buffer
  } catch {
    throw new Zip.ZipError('damaged')
  } finally {
    stream.destroy()
  }
}
