import './canvas.ts'
// With this import, pdf.js finds its worker's code without a separate file next to the bundle.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs'
import { PDFParse } from 'pdf-parse'
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { annotationsOf, open, settings } from './annotations.ts'
import { hasUnmapped, isUnreadable, textOf } from './page-text.ts'
import {
  cap,
  type Extraction,
  type LeftOut,
  type Limits,
  leftOutOf,
  outlined,
  processorMs,
  reached,
  without,
} from './schema.ts'

/** The members of pdf.js's document information that this file needs. */
type Info = { IsXFAPresent?: boolean; IsAcroFormPresent?: boolean; EncryptFilterName?: string | null }

/** An entry of a PDF's bookmarks. */
type Bookmark = Awaited<ReturnType<PDFDocumentProxy['getOutline']>>[number]

/** The pages that were read: their texts, and how many of them have no letters, or none that mean anything. */
type Pages = {
  texts: string[]
  to: number
  length: number
  bare: number
  unreadable: number
  /** The pages without letters, or with letters that mean nothing. */
  unread: number[]
  isLate: boolean
}

/**
 * The text of a PDF within the limits, page by page under a heading each. It includes form fields and notes. Only for
 * use in the sandbox.
 */
export async function readPdf(bytes: Uint8Array, limits: Limits): Promise<Extraction> {
  const hasPictures = /\/Subtype\s*\/Image\b/.test(Buffer.from(bytes).toString('latin1'))
  try {
    // pdf.js takes over the memory of the bytes that it opens, and pdf-parse does not share its document.
    const parser = new PDFParse({ data: bytes.slice(), ...settings })
    const document = await open(bytes)
    return await read(parser, document, limits, hasPictures)
  } catch (error) {
    // pdf.js does not export the error class.
    if (error instanceof Error && error.name === 'PasswordException') return without('protected')
    throw error
  }
}

async function read(
  parser: PDFParse,
  document: PDFDocumentProxy,
  limits: Limits,
  hasPictures: boolean,
): Promise<Extraction> {
  const total = document.numPages
  const from = Math.min(limits.from, total)
  const pages = await readPages(parser, document, from, limits)
  const { leftOut, isLocked } = await about(document)
  const extent = { unit: 'page', from, to: pages.to, total } as const
  const more = {
    ...(isLocked && ({ isLocked: true } as const)),
    ...(pages.unread.length > 0 && { unread: pages.unread }),
  }
  const isEnd = pages.to === total
  // Scanned pages are pictures: the pages exist, but have no letters.
  if (pages.texts.length === 0 && isEnd && from === 1) {
    return { ...without(pages.unreadable > 0 ? 'unreadable' : 'noText'), extent, ...more }
  }
  const { text, isCut } = cap(pages.texts.join('\n\n'), limits.characters)
  const isWhole = isEnd && from === 1 && !isCut
  return {
    state: isWhole ? 'whole' : 'truncated',
    text,
    extent: isCut ? reached(extent, text) : extent,
    leftOut: leftOutOf({
      ...leftOut,
      pictures: hasPictures,
      pagesWithoutText: pages.bare > 0,
      unreadablePages: pages.unreadable > 0,
    }),
    ...(!isWhole && outlined(await bookmarks(document), limits)),
    ...(pages.isLate && !isCut && { isCutByTime: true }),
    ...more,
  }
}

async function readPages(
  parser: PDFParse,
  document: PDFDocumentProxy,
  from: number,
  limits: Limits,
): Promise<Pages> {
  const until = processorMs() + limits.softMs
  const last = Math.min(document.numPages, from + limits.pages - 1)
  const pages: Pages = {
    texts: [],
    to: from - 1,
    length: 0,
    bare: 0,
    unreadable: 0,
    unread: [],
    isLate: false,
  }
  for (let number = from; number <= last && pages.length <= limits.characters; number++) {
    pages.isLate = processorMs() >= until
    if (pages.isLate) break
    const letters = await textOf(parser, document, number)
    const isWrong = isUnreadable(letters)
    if (letters === '') pages.bare += 1
    const isPartly = !isWrong && letters !== '' && hasUnmapped(letters)
    if (isWrong || isPartly) pages.unreadable += 1
    if (isWrong || isPartly || letters === '') pages.unread.push(number)
    const text = [isWrong ? '' : letters, await annotationsOf(document, number)]
      .filter((part) => part !== '')
      .join('\n\n')
    if (text) pages.texts.push(`## Page ${number}\n\n${text}`)
    pages.length += text.length
    pages.to = number
  }
  return pages
}

/** Properties of the document besides the text of its pages: the contents that the text lacks, and its lock. */
async function about(
  document: PDFDocumentProxy,
): Promise<{ leftOut: Partial<Record<LeftOut, boolean>>; isLocked: boolean }> {
  const attached = (await document.getAttachments()) ?? {}
  const info = (await document.getMetadata()).info as Info
  return {
    leftOut: {
      embeddedFiles: Object.keys(attached).length > 0,
      // A viewer creates the pages of such a form; the file itself contains only a placeholder page.
      dynamicForm: Boolean(info.IsXFAPresent && !info.IsAcroFormPresent),
    },
    isLocked: Boolean(info.EncryptFilterName),
  }
}

const maxBookmarks = 200

/** The bookmarks of the first two levels with their pages. */
async function bookmarks(document: PDFDocumentProxy): Promise<string[]> {
  const first: Bookmark[] = (await document.getOutline()) ?? []
  const all = first.flatMap((one) => [one, ...(one.items as Bookmark[])]).slice(0, maxBookmarks)
  const lines = await Promise.all(
    all.map(async ({ title, dest }) => `${title.trim()}${pageNote(await pageOf(document, dest))}`),
  )
  return lines.filter((line) => line !== '')
}

const pageNote = (page: number | undefined) => (page === undefined ? '' : ` (page ${page})`)

async function pageOf(document: PDFDocumentProxy, dest: Bookmark['dest']): Promise<number | undefined> {
  const place = typeof dest === 'string' ? await document.getDestination(dest) : dest
  const reference: unknown = place?.[0]
  const isReference =
    typeof reference === 'object' && reference !== null && 'num' in reference && 'gen' in reference
  if (!isReference) return undefined
  try {
    return (await document.getPageIndex({ num: Number(reference.num), gen: Number(reference.gen) })) + 1
  } catch {
    // A bookmark to a page that is not there.
    return undefined
  }
}
