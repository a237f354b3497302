import type { PDFParse } from 'pdf-parse'
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'

/** A piece of text with its place on the page. */
type Piece = { str: string; transform: number[]; width: number; height: number; hasEOL: boolean }

/**
 * The text of a page in lines, as pdf-parse reads it; empty for a page without letters. Words of two sizes, which
 * pdf-parse joins, get the space that the page shows between them.
 */
export async function textOf(parser: PDFParse, document: PDFDocumentProxy, page: number): Promise<string> {
  const { text } = await parser.getText({ partial: [page], pageJoiner: '' })
  const apart = await wordsApart(document, page)
  const parted = apart.reduce(
    (whole, [one, other]) => whole.replace(one + other, () => `${one} ${other}`),
    text,
  )
  return parted.replaceAll('\0', '').trim()
}

/** The pairs of words of two sizes with a gap and no space between them. */
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

/** True for two pieces of different size on one line with a gap, and no space, between them. */
function isApart(before: Piece, { str, transform, height }: Piece): boolean {
  const [small, large] = [Math.min(before.height, height), Math.max(before.height, height)]
  const hasSpace = /\s$/.test(before.str) || /^\s/.test(str)
  const gap = (transform[4] ?? 0) - (before.transform[4] ?? 0) - before.width
  const down = Math.abs((transform[5] ?? 0) - (before.transform[5] ?? 0))
  const isBeside = gap > small * 0.1 && gap < large * 2
  // A small word that begins below a large one, further to the left.
  const isBelow = gap < 0 && down > small * 0.5
  return !hasSpace && large > small * 1.15 && down < large && (isBeside || isBelow)
}

/** Signs that no text has: control signs, private and unassigned ones, the mark of a sign that is not known. */
const meaningless = /[\p{Cc}\p{Co}\p{Cn}\uFFFD]/gu
const word = /\p{L}[\p{L}\p{N}]{3,}/gu
const latin = /^[\p{Script=Latin}\d]+$/u
const vowel = /[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿāăąēĕėęěīĭįıōŏőœūŭůűų]/i
const common =
  /(?<!\p{L})(?:the|and|for|of|to|in|is|on|der|die|das|und|ist|von|mit|les|des|est|une|que|per|los|del|con|il|di|en|de|la|le|och|att|og|van|het|een|na|je|se|si)(?!\p{L})/giu

/** Letters of one part of a page are looked at together. */
const partCharacters = 800

/** True for a page that has some letters which mean nothing between others. */
export function hasUnmapped(text: string): boolean {
  if ((text.match(/[\p{Cc}\p{Cn}\uFFFD]/gu)?.filter((sign) => !/\s/.test(sign)).length ?? 0) > 2) return true
  const parts = Math.ceil(text.length / partCharacters)
  return Array.from({ length: parts }, (_, at) => at * partCharacters).some((from) =>
    isUnreadable(text.slice(from, from + partCharacters)),
  )
}

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
