import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'

/** Distances in points from which two pieces of text are on two lines, or in two columns. */
const lineGap = 4.6
const columnGap = 7

/** A piece of text with its place on the page. */
type Piece = { str: string; transform: number[]; width: number; height: number; hasEOL: boolean }

/** The end of the piece before, and the height of the line so far. */
type End = { x: number; y: number; height: number; line: number; text: string }

/** The text of a page in lines, with a tab between columns; empty for a page without letters. */
export async function linesOf(document: PDFDocumentProxy, pageNumber: number): Promise<string> {
  const page = await document.getPage(pageNumber)
  const viewport = page.getViewport({ scale: 1 })
  const { items } = await page.getTextContent()
  page.cleanup()
  const out: string[] = []
  let end: End | undefined
  for (const item of items) {
    if (!('str' in item)) continue
    const piece = item as Piece
    const [x = 0, y = 0] = viewport.convertToViewportPoint(
      piece.transform[4] ?? 0,
      piece.transform[5] ?? 0,
    ) as number[]
    out.push(end ? between(end, piece, x, y) : '', piece.str, piece.hasEOL ? '\n' : '')
    const line = Math.max(end?.line ?? 0, piece.height)
    const text = piece.hasEOL ? '\n' : piece.str || end?.text || ''
    end = { x: x + piece.width, y, height: piece.height, line: piece.hasEOL ? 0 : line, text }
  }
  return out.join('').replaceAll('\0', '').trim()
}

function between(end: End, piece: Piece, x: number, y: number): string {
  const down = Math.abs(end.y - y)
  if (down > lineGap) {
    const isBroken = end.text.endsWith('\n') || (piece.str.trim() === '' && piece.hasEOL)
    const isNewLine = !isBroken && down - 1 > end.line
    if (isNewLine) end.line = 0
    return isNewLine ? '\n' : ''
  }
  if (Math.abs(end.x - x) > columnGap) return '\t'
  return isApart(end, piece, x) ? ' ' : ''
}

/** True for words of two sizes with a gap between them, which the reader of the page takes for one word. */
function isApart(end: End, { str, height }: Piece, x: number): boolean {
  const [small, large] = [Math.min(end.height, height), Math.max(end.height, height)]
  const hasSpace = /\s$/.test(end.text) || /^\s/.test(str) || str === '' || end.text === ''
  return !hasSpace && large > small * 1.15 && x - end.x > small * 0.1
}

/** Signs that no text has: control signs, private and unassigned ones, the mark of a sign that is not known. */
const meaningless = /[\p{Cc}\p{Co}\p{Cn}\uFFFD]/gu
const word = /\p{L}[\p{L}\p{N}]{3,}/gu
const latin = /^[\p{Script=Latin}\d]+$/u
const vowel = /[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿāăąēĕėęěīĭįıōŏőœūŭůűų]/i
const common =
  /(?<!\p{L})(?:the|and|for|of|to|in|is|on|der|die|das|und|ist|von|mit|les|des|est|une|que|per|los|del|con|il|di|en|de|la|le|och|att|og|van|het|een|na|je|se|si)(?!\p{L})/giu

/**
 * True for letters that mean nothing: the fonts of the page have no mapping to characters. Then many signs are of no
 * script, or most words of a western text lack vowels and none is a common one.
 */
export function isUnreadable(text: string): boolean {
  const signs = text.replace(/\s/g, '')
  if (signs.length < 10) return false
  if ((signs.match(meaningless)?.length ?? 0) > signs.length * 0.15) return true
  const words = (text.match(word) ?? []).filter((one) => latin.test(one))
  if (words.length < 15 || (text.match(common)?.length ?? 0) > words.length * 0.03) return false
  const odd = words.filter((one) => !vowel.test(one) || /\p{Ll}\p{Lu}\p{Ll}|\p{L}\d\p{L}/u.test(one))
  return odd.length > words.length * 0.35
}
