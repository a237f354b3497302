import { fileTypeFromBuffer } from 'file-type'
import type { Format, OfficeFormat } from './format.ts'
import { formats, isImage, mimeTypeOf } from './format.ts'
import { opensWithoutPassword } from './pdf-lock.ts'
import { sizeOf } from './picture.ts'
import type { Reason } from './reason.ts'
import { decodeText } from './text.ts'
import { inflate, type ZipEntry, ZipError, zipEntries } from './zip.ts'

/**
 * Checks the content of a file without parsing it: if it has the format that its name claims, and no marks of content
 * that no extractor reads. The check is cheap and safe enough for a web request. Only the turn finds out if the
 * document can really be read.
 */

const mainPart = { docx: 'wordprocessingml.document.main+xml', xlsx: 'spreadsheetml.sheet.main+xml' } as const
const maxContentTypesBytes = 1024 ** 2
/** An image with more pixels exceeds the memory of the sandbox when it is decoded. */
const maxPixels = 100_000_000

/** The reason why the content is refused as this format; undefined if it is fine. */
export async function inspect(bytes: Uint8Array, format: Format): Promise<Reason | undefined> {
  if (bytes.length === 0) return 'empty'
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (format === 'pdf') return inspectPdf(content)
  if (format === 'docx' || format === 'xlsx') return inspectOffice(content, format)
  if (format === 'txt') return inspectText(content)
  const found = await fileTypeFromBuffer(bytes)
  return found?.mime === mimeTypeOf(format) ? inspectImage(bytes, format) : 'content'
}

/** The format of a picture by its content alone; undefined unless it is a whole picture that a model accepts. */
export async function pictureFormat(bytes: Uint8Array): Promise<Format | undefined> {
  const found = await fileTypeFromBuffer(bytes)
  const format = formats.find((one) => isImage(mimeTypeOf(one)) && mimeTypeOf(one) === found?.mime)
  return format && inspectImage(bytes, format) === undefined ? format : undefined
}

/** Accepts the mark only at the very start: readers that search for it also take files of a second format. */
function inspectPdf(content: Buffer): Reason | undefined {
  if (!startsWith(content, '%PDF-')) return 'content'
  // The trailer is never compressed, even if the cross-reference table is a stream.
  const isEncrypted = /\/Encrypt\s*(<<|\d+\s+\d+\s+R)/.test(content.toString('latin1'))
  return isEncrypted && !opensWithoutPassword(content) ? 'encrypted' : undefined
}

function inspectImage(bytes: Uint8Array, format: Format): Reason | undefined {
  const size = sizeOf(bytes, format)
  if (!size) return 'damaged'
  return size.width * size.height > maxPixels ? 'pixels' : undefined
}

function inspectText(content: Buffer): Reason | undefined {
  const isOther = ['%PDF-', 'PK\x03\x04', '\xd0\xcf\x11\xe0', '{\\rtf'].some((mark) =>
    startsWith(content, mark),
  )
  return isOther || decodeText(content) === undefined ? 'content' : undefined
}

function inspectOffice(content: Buffer, format: OfficeFormat): Reason | undefined {
  // A compound file: Office 97-2003, or a newer file with a password.
  if (startsWith(content, '\xd0\xcf\x11\xe0')) return 'oldOffice'
  if (!startsWith(content, 'PK')) return 'content'
  try {
    return inspectParts(zipEntries(content), format)
  } catch (error) {
    if (error instanceof ZipError) return error.reason
    throw error
  }
}

/** The reason why a zip with these entries is refused as an Office file; throws ZipError like the entries. */
export function inspectParts(entries: ZipEntry[], format: OfficeFormat): Reason | undefined {
  const types = entries.find(({ name }) => name.toLowerCase() === '[content_types].xml')
  if (!types) return 'content'
  const listed = inflate(types, maxContentTypesBytes).toString('utf8')
  const hasMacros = /macroEnabled|vbaProject/i.test(listed)
  if (hasMacros || entries.some(({ name }) => /vbaProject|macrosheets\//i.test(name))) return 'macros'
  return listed.includes(mainPart[format]) ? undefined : 'content'
}

function startsWith(content: Buffer, mark: string): boolean {
  return content.subarray(0, mark.length).toString('latin1') === mark
}
