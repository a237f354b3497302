import mammoth from 'mammoth'
import { withEquations } from './equation.ts'
import { fromText, type Limits, leftOutOf, paragraphs, section } from './excerpt.ts'
import { toMarkdown } from './markdown.ts'
import { withNumbers } from './numbering.ts'
import { mainPartOf, openParts, type Parts, relationshipsOf } from './parts.ts'
import type { Extraction } from './schema.ts'
import { type Element, wordsIn, xmlTree } from './tree.ts'

/** The tags around the result of a field. Mammoth would skip everything between them, so the tags are removed. */
const simpleField = /<\/?w:fldSimple\b(?:"[^"]*"|[^">])*>/g

/**
 * Returns the text of a Word document as Markdown: headings, lists with their numbers, tables, links, ticked boxes,
 * footnotes and equations. Headers, footers and comments follow, each kind under its own heading. Only for use in the
 * sandbox, after the pre-flight.
 */
export async function readDocx(bytes: Uint8Array, limits: Limits): Promise<Extraction> {
  const parts = await openParts(bytes)
  const main = (await mainPartOf(parts.text)) || 'word/document.xml'
  const original = await parts.text(main)
  const xml = original.replace(simpleField, '')
  const marked = await numbered(parts, main, xml.includes('<m:oMath') ? withEquations(xml) : xml)
  const readable = marked === original ? parts.bytes : await parts.with(main, marked)
  let pictures = 0
  const convertImage = mammoth.images.imgElement(async () => {
    pictures += 1
    return { src: '' }
  })
  const { value } = await mammoth.convertToHtml(
    { buffer: Buffer.from(readable) },
    { convertImage, externalFileAccess: false },
  )
  const any = (pattern: RegExp) => parts.names.some((name) => pattern.test(name))
  const leftOut = leftOutOf({
    pictures: pictures > 0,
    charts: any(/^word\/(charts|diagrams)\//i),
    embeddedFiles: any(/^word\/embeddings\//i) || /<w:altChunk\b/.test(xml),
    trackedChanges: /<w:delText\b/.test(xml),
  })
  return fromText(paragraphs(toMarkdown(value), ...(await beside(parts, main))), limits, leftOut)
}

/**
 * Returns the main part with the numbers of its paragraphs as text. mammoth drops numbers of headings and of continued
 * lists.
 */
async function numbered({ text }: Parts, main: string, xml: string): Promise<string> {
  const related = await relationshipsOf(text, main)
  const part = async (kind: string) => text(related.find(({ type }) => type === kind)?.target ?? '')
  return withNumbers(xml, await part('numbering'), await part('styles'))
}

/**
 * Returns headers, footers and comments, each kind under a heading. A header that several sections share appears only
 * once.
 */
async function beside({ text }: Parts, main: string): Promise<string[]> {
  const related = await relationshipsOf(text, main)
  const group = async (heading: string, kind: string) => {
    const found = related.filter(({ type }) => type === kind)
    return section(heading, await Promise.all(found.map(async ({ target }) => linesOf(await text(target)))))
  }
  return [
    await group('## Header', 'header'),
    await group('## Footer', 'footer'),
    await group('## Comments', 'comments'),
  ]
}

/** Returns the paragraphs of a part as lines; a comment becomes one line after its author. */
function linesOf(xml: string): string {
  return textOf(xmlTree(withEquations(xml)))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
    .replace(/ {2,}/g, ' ')
}

function textOf({ tag, attributes, children }: Element): string {
  if (tag === 't') return wordsIn(children)
  if (tag === 'tab') return '\t'
  if (tag === 'br') return ' '
  const text = children.map((child) => (typeof child === 'string' ? '' : textOf(child))).join('')
  if (tag === 'comment')
    return `- ${attributes['w:author'] || 'Comment'}: ${text.trim().replaceAll('\n', ' ')}\n`
  return tag === 'p' ? `${text}\n` : text
}
