import { fileTypeFromBuffer } from 'file-type'
import { about, type Format, formats, isImage, mimeTypeOf, type OfficeFormat } from './format.ts'
import { inspectParts } from './office.ts'
import { opensWithoutPassword } from './pdf-lock.ts'
import { sizeOf } from './picture-facts.ts'
import type { Reason } from './reason.ts'
import { decodeText } from './text.ts'
import { ZipError, zipEntries } from './zip.ts'

/**
 * Checks the content of a file without parsing it: it must have the format of its name, and no content that the
 * extractors refuse. The check is cheap and safe enough for a web request. Only the turn finds out if the document can
 * really be read.
 */

/** An image with more pixels exceeds the memory of the sandbox when it is decoded. */
const maxPixels = 100_000_000

/** Returns the reason why the content is refused as this format; undefined if it is fine. */
export async function inspect(bytes: Uint8Array, format: Format): Promise<Reason | undefined> {
  if (bytes.length === 0) return 'empty'
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  switch (about(format).way) {
    case 'pdf':
      return inspectPdf(content)
    case 'office':
    case 'openDocument':
      return inspectOffice(content, format as OfficeFormat)
    case 'markup':
      return startsWith(content, '{\\rtf') ? undefined : 'content'
    case 'mail':
      return inspectMail(content)
    case 'text':
      return inspectText(content)
    case 'picture': {
      const found = await fileTypeFromBuffer(bytes)
      return found?.mime === mimeTypeOf(format) ? inspectImage(bytes, format) : 'content'
    }
  }
}

/**
 * Returns the format of a picture by its content alone; undefined unless it is a whole picture that a model accepts.
 */
export async function pictureFormat(bytes: Uint8Array): Promise<Format | undefined> {
  const found = await fileTypeFromBuffer(bytes)
  const format = formats.find((one) => isImage(mimeTypeOf(one)) && mimeTypeOf(one) === found?.mime)
  return format && inspectImage(bytes, format) === undefined ? format : undefined
}

/** Bytes that some programs write before the PDF header, and that every reader skips. */
const maxPdfPrologue = 1_024

/**
 * Accepts a few bytes before the PDF header, as some programs write them. Refuses a file that is also of a second
 * format: markup, or another format by its first bytes.
 */
async function inspectPdf(content: Buffer): Promise<Reason | undefined> {
  const start = content.subarray(0, maxPdfPrologue + 5).indexOf('%PDF-')
  if (start < 0 || content.subarray(0, start).includes('<')) return 'content'
  if (start > 0 && ((await fileTypeFromBuffer(content))?.mime ?? 'application/pdf') !== 'application/pdf')
    return 'content'
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

/** Checks that a mail begins with header lines; some programs write one line before them. */
function inspectMail(content: Buffer): Reason | undefined {
  const head = content
    .subarray(0, 65_536)
    .toString('latin1')
    .replace(/^(?:\xef\xbb\xbf|\s)+/, '')
  const hasHead = /^(?:From .*\r?\n)?[!-9;-~]{1,100}:/.test(head)
  return hasHead && /^(?:from|date|received|subject|message-id|mime-version):/im.test(head)
    ? undefined
    : 'content'
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

function startsWith(content: Buffer, mark: string): boolean {
  return content.subarray(0, mark.length).toString('latin1') === mark
}
