import './canvas.ts'
// Its presence is how pdf.js finds its worker's code without a file beside the bundle.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs'
import { InvalidPDFException, PasswordException, PDFParse } from 'pdf-parse'
import { cap, type Extraction, type Limits, without } from './schema.ts'

/** The text of a PDF, page by page under a heading each, until a limit is met. Only for use in the sandbox. */
export async function readPdf(bytes: Uint8Array, limits: Limits): Promise<Extraction> {
  const parser = new PDFParse({ data: bytes, isEvalSupported: false, enableXfa: false, verbosity: 0 })
  try {
    return await readPages(parser, limits)
  } catch (error) {
    if (error instanceof PasswordException) return without('protected')
    if (error instanceof InvalidPDFException) return without('damaged')
    throw error
  }
}

async function readPages(parser: PDFParse, limits: Limits): Promise<Extraction> {
  const until = performance.now() + limits.softMs
  const parts: string[] = []
  let length = 0
  let total = 1
  let page = 0
  while (page < Math.min(total, limits.pages) && length <= limits.characters && performance.now() < until) {
    page += 1
    const result = await parser.getText({ partial: [page], pageJoiner: '' })
    total = result.total
    const text = result.text.replaceAll('\0', '').trim()
    if (text) parts.push(`## Page ${page}\n\n${text}`)
    length += text.length
  }
  // A scan is pictures of pages: each is there, and none has a letter.
  if (parts.length === 0 && page >= total) return { ...without('noText'), pages: total }
  const { text, isCut } = cap(parts.join('\n\n'), limits.characters)
  return { state: isCut || page < total ? 'truncated' : 'whole', text, pages: total }
}
