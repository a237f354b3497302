import './canvas.ts'
// With this import, pdf.js finds its worker's code without a separate file next to the bundle.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs'
import { PDFParse } from 'pdf-parse'
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { annotationsOf, open, settings } from './annotations.ts'
import { type Limits, leftOutOf, outlined, paragraphs, partOf, processorMs, without } from './excerpt.ts'
import type { Extraction, LeftOut } from './schema.ts'

/** The members of pdf.js's document information that this file needs. */
type Info = { IsXFAPresent?: boolean; IsAcroFormPresent?: boolean; EncryptFilterName?: string | null }

/** An entry of a PDF's bookmarks. */
type Bookmark = Awaited<ReturnType<PDFDocumentProxy['getOutline']>>[number]

/** The pages that were read: their texts, and the counts of pages without letters and with meaningless letters. */
type Pages = {
  texts: string[]
  to: number
  length: number
  bare: number
  unreadable: number
  /** The pages without letters, or with meaningless letters. */
  unread: number[]
  isLate: boolean
}

/**
 * Returns the text of a PDF within the limits, each page under a heading. It includes form fields and notes. Only for
 * use in the sandbox.
 */
export async function readPdf(bytes: Uint8Array, limits: Limits): Promise<Extraction> {
  const hasPictures = /\/Subtype\s*\/Image\b/.test(Buffer.from(bytes).toString('latin1'))
  try {
    // pdf.js takes ownership of the bytes that it opens, and pdf-parse does not share its document.
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
  // Scanned pages are pictures: the pages exist, but have no letters.
  if (pages.texts.length === 0 && pages.to === total && from === 1)
    return { ...without(pages.unreadable > 0 ? 'unreadable' : 'noText'), extent, ...more }
  const lacking = leftOutOf({
    ...leftOut,
    pictures: hasPictures,
    pagesWithoutText: pages.bare > 0,
    unreadablePages: pages.unreadable > 0,
  })
  const part = partOf(pages.texts.join('\n\n'), extent, lacking, limits)
  const outline = part.state === 'whole' ? [] : await bookmarks(document)
  return { ...outlined(part, outline, limits), ...(pages.isLate && { isCutByTime: true }), ...more }
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
    const text = paragraphs(isWrong ? '' : letters, await annotationsOf(document, number))
    if (text) pages.texts.push(`## Page ${number}\n\n${text}`)
    pages.length += text.length
    pages.to = number
  }
  return pages
}

/**
 * Returns properties of the document besides its text: the contents that the text leaves out, and whether it is locked.
 */
async function about(
  document: PDFDocumentProxy,
): Promise<{ leftOut: Partial<Record<LeftOut, boolean>>; isLocked: boolean }> {
  const attached = (await document.getAttachments()) ?? {}
  const info = (await document.getMetadata()).info as Info
  return {
    leftOut: {
      embeddedFiles: Object.keys(attached).length > 0,
      // A viewer creates the pages of a dynamic form (XFA); the file itself contains only a placeholder page.
      dynamicForm: Boolean(info.IsXFAPresent && !info.IsAcroFormPresent),
    },
    isLocked: Boolean(info.EncryptFilterName),
  }
}

const maxBookmarks = 200

/** Returns the bookmarks of the first two levels with their pages. */
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
    // The bookmark refers to a page that does not exist.
    return undefined
  }
}

/** A piece of text with its position on the page. */
type Piece = { str: string; transform: number[]; width: number; height: number; hasEOL: boolean }

/**
 * Returns the text of a page in lines, as pdf-parse reads it; empty for a page without letters. pdf-parse joins
 * adjacent words of different size; this function restores the space between them.
 */
async function textOf(parser: PDFParse, document: PDFDocumentProxy, page: number): Promise<string> {
  const { text } = await parser.getText({ partial: [page], pageJoiner: '' })
  const apart = await wordsApart(document, page)
  const parted = apart.reduce(
    (whole, [one, other]) => whole.replace(one + other, () => `${one} ${other}`),
    text,
  )
  return parted.replaceAll('\0', '').trim()
}

/** Returns the pairs of adjacent words of different size with a gap but no space between them. */
async function wordsApart(document: PDFDocumentProxy, pageNumber: number): Promise<[string, string][]> {
  const page = await document.getPage(pageNumber)
  const { items } = await page.getTextContent()
  page.cleanup()
  const pieces = items.filter((item): item is typeof item & Piece => 'str' in item && item.str !== '')
  return pieces.flatMap((piece, at): [string, string][] => {
    const before = pieces[at - 1]
    if (!before || before.hasEOL || !isApart(before, piece)) return []
    return [[before.str.split(/\s/).at(-1) ?? '', piece.str.split(/\s/)[0] ?? '']]
  })
}

/** True for two pieces of different size on one line, with a gap but no space between them. */
function isApart(before: Piece, { str, transform, height }: Piece): boolean {
  const [small, large] = [Math.min(before.height, height), Math.max(before.height, height)]
  const hasSpace = /\s$/.test(before.str) || /^\s/.test(str)
  const gap = (transform[4] ?? 0) - (before.transform[4] ?? 0) - before.width
  const down = Math.abs((transform[5] ?? 0) - (before.transform[5] ?? 0))
  const isBeside = gap > small * 0.1 && gap < large * 2
  // A small word below a large word, further to the left.
  const isBelow = gap < 0 && down > small * 0.5
  return !hasSpace && large > small * 1.15 && down < large && (isBeside || isBelow)
}

/** Characters that no real text has: control, private and unassigned characters, and the replacement character. */
const meaningless = /[\p{Cc}\p{Co}\p{Cn}\uFFFD]/gu
const word = /\p{L}[\p{L}\p{N}]{3,}/gu
const latin = /^[\p{Script=Latin}\d]+$/u
const vowel = /[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿāăąēĕėęěīĭįıōŏőœūŭůűų]/i
const common =
  /(?<!\p{L})(?:the|and|for|of|to|in|is|on|der|die|das|und|ist|von|mit|les|des|est|une|que|per|los|del|con|il|di|en|de|la|le|och|att|og|van|het|een|na|je|se|si)(?!\p{L})/giu

/** Checks the letters of a page in parts of this many characters. */
const partCharacters = 800

/** True for a page with some meaningless letters among others. */
function hasUnmapped(text: string): boolean {
  if ((text.match(/[\p{Cc}\p{Cn}\uFFFD]/gu)?.filter((sign) => !/\s/.test(sign)).length ?? 0) > 2) return true
  const parts = Math.ceil(text.length / partCharacters)
  return Array.from({ length: parts }, (_, at) => at * partCharacters).some((from) =>
    isUnreadable(text.slice(from, from + partCharacters)),
  )
}

/**
 * True for meaningless letters, which occur if the fonts of the page have no mapping to characters. Many characters
 * then belong to no writing system. Or many words of a western text lack vowels or contain a capital or digit, and
 * common words hardly occur.
 */
function isUnreadable(text: string): boolean {
  const signs = text.replace(/\s/g, '')
  if (signs.length < 10) return false
  if ((signs.match(meaningless)?.length ?? 0) > signs.length * 0.15) return true
  const words = (text.match(word) ?? []).filter((one) => latin.test(one))
  if (words.length < 15 || (text.match(common)?.length ?? 0) > words.length * 0.03) return false
  const odd = words.filter((one) => !vowel.test(one) || /\p{Ll}\p{Lu}\p{Ll}|\p{L}\d\p{L}/u.test(one))
  return odd.length > words.length * 0.35
}
