import mammoth from 'mammoth'
import { withEquations } from './equation.ts'
import { toMarkdown } from './markdown.ts'
import { withNumbers } from './numbering.ts'
import { eachTag, mainPartOf, openParts, type Parts, relationshipsOf } from './parts.ts'
import { type Extraction, fromText, type Limits, leftOutOf } from './schema.ts'

/** The tags around the result of a field; mammoth passes over all that is in them. */
const simpleField = /<\/?w:fldSimple\b(?:"[^"]*"|[^">])*>/g

/**
 * The text of a Word document as Markdown: headings, lists with their numbers, tables, links, ticked boxes, footnotes and equations. Headers, footers
 * and comments follow, each kind under its own heading. Only for use in the sandbox, after the pre-flight.
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
  const sections = [toMarkdown(value), ...(await beside(parts, main))].filter((text) => text !== '')
  const any = (pattern: RegExp) => parts.names.some((name) => pattern.test(name))
  const leftOut = leftOutOf({
    pictures: pictures > 0,
    charts: any(/^word\/(charts|diagrams)\//i),
    embeddedFiles: any(/^word\/embeddings\//i) || /<w:altChunk\b/.test(xml),
    trackedChanges: /<w:delText\b/.test(xml),
  })
  return fromText(sections.join('\n\n'), limits, leftOut)
}

/** The main part with the numbers of its paragraphs as words: mammoth drops those of headings, and where lists go on. */
async function numbered({ text }: Parts, main: string, xml: string): Promise<string> {
  const related = await relationshipsOf(text, main)
  const part = async (kind: string) => text(related.find(({ type }) => type === kind)?.target ?? '')
  return withNumbers(xml, await part('numbering'), await part('styles'))
}

/** Headers, footers and comments: each kind under a heading, a header that several sections share only once. */
async function beside({ text }: Parts, main: string): Promise<string[]> {
  const related = await relationshipsOf(text, main)
  const group = async (heading: string, kind: string) => {
    const found = related.filter(({ type }) => type === kind)
    const lines = await Promise.all(found.map(async ({ target }) => linesOf(await text(target))))
    const own = [...new Set(lines.filter((line) => line !== ''))]
    return own.length === 0 ? '' : `## ${heading}\n\n${own.join('\n\n')}`
  }
  return [
    await group('Header', 'header'),
    await group('Footer', 'footer'),
    await group('Comments', 'comments'),
  ]
}

/** The paragraphs of a part as lines; a comment becomes one line after its author. */
function linesOf(xml: string): string {
  let line = ''
  let isText = false
  const lines: string[] = []
  const flush = () => {
    if (line.trim() !== '') lines.push(line.trim())
    line = ''
  }
  eachTag(
    withEquations(xml),
    (tag, attributes) => {
      isText = tag === 't'
      if (tag === 'tab') line += '\t'
      if (tag === 'br') line += ' '
      if (tag === 'comment') line = `- ${attributes['w:author'] || 'Comment'}: `
    },
    {
      text: (text) => {
        if (isText) line += text
      },
      closed: (tag) => {
        isText = false
        if (tag === 'p' && line.startsWith('- ')) line += ' '
        else if (tag === 'p' || tag === 'comment') flush()
      },
    },
  )
  flush()
  return lines.join('\n').replace(/ {2,}/g, ' ')
}
