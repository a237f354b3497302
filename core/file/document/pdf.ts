import './canvas.ts'
// With this import, pdf.js finds its worker's code without a separate file next to the bundle.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs'
import { PDFParse } from 'pdf-parse'
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { annotationsOf, open } from './annotations.ts'
import { cap, type Extraction, type LeftOut, type Limits, without } from './schema.ts'

/** The members of pdf.js's document information that this file needs. */
type Info = { IsXFAPresent?: boolean; IsAcroFormPresent?: boolean; EncryptFilterName?: string | null }

/**
 * The text of a PDF up to the limits, page by page under a heading each. It includes form fields and notes. Only for
 * use in the sandbox.
 */
export async function readPdf(bytes: Uint8Array, limits: Limits): Promise<Extraction> {
  const hasPictures = /\/Subtype\s*\/Image\b/.test(Buffer.from(bytes).toString('latin1'))
  // pdf.js takes over the memory of the bytes that it opens, and the page reader does not share its document.
  const parser = new PDFParse({
    data: bytes.slice(),
    isEvalSupported: false,
    enableXfa: false,
    verbosity: 0,
  })
  try {
    const document = await open(bytes)
    const read = await readPages(parser, document, limits)
    const leftOut: LeftOut[] = hasPictures ? ['pictures', ...read.leftOut] : read.leftOut
    return read.text === '' ? read : { ...read, leftOut }
  } catch (error) {
    // pdf.js does not export the error class.
    if (error instanceof Error && error.name === 'PasswordException') return without('protected')
    throw error
  }
}

async function readPages(parser: PDFParse, document: PDFDocumentProxy, limits: Limits): Promise<Extraction> {
  const until = performance.now() + limits.softMs
  const isLate = () => performance.now() >= until
  const parts: string[] = []
  let length = 0
  let total = 1
  let page = 0
  let bare = 0
  while (page < Math.min(total, limits.pages) && length <= limits.characters && !isLate()) {
    page += 1
    const result = await parser.getText({ partial: [page], pageJoiner: '' })
    total = result.total
    const text = result.text.replaceAll('\0', '').trim()
    if (text === '') bare += 1
    const whole = [text, await annotationsOf(document, page)].filter((part) => part !== '').join('\n\n')
    if (whole) parts.push(`## Page ${page}\n\n${whole}`)
    length += whole.length
  }
  const { leftOut, isLocked } = await about(document)
  const locked = isLocked ? ({ isLocked: true } as const) : {}
  // Scanned pages are pictures: the pages exist, but have no letters.
  if (parts.length === 0 && page >= total) return { ...without('noText'), pages: total, ...locked }
  const { text, isCut } = cap(parts.join('\n\n'), limits.characters)
  const isTruncated = isCut || page < total
  return {
    state: isTruncated ? 'truncated' : 'whole',
    text,
    pages: total,
    leftOut: [...(bare > 0 ? (['pagesWithoutText'] as const) : []), ...leftOut],
    ...(page < Math.min(total, limits.pages) && !isCut && isLate() && { isCutByTime: true }),
    ...locked,
  }
}

/** Properties of the document besides the text of its pages: the contents that the text lacks, and its lock. */
async function about(document: PDFDocumentProxy): Promise<{ leftOut: LeftOut[]; isLocked: boolean }> {
  const attached = (await document.getAttachments()) ?? {}
  const info = (await document.getMetadata()).info as Info
  const leftOut: LeftOut[] = []
  if (Object.keys(attached).length > 0) leftOut.push('embeddedFiles')
  // A viewer creates the pages of such a form; the file itself contains only a placeholder page.
  if (info.IsXFAPresent && !info.IsAcroFormPresent) leftOut.push('dynamicForm')
  return { leftOut, isLocked: Boolean(info.EncryptFilterName) }
}
