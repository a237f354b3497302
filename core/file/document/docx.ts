import mammoth from 'mammoth'
import { withEquations } from './equation.ts'
import { toMarkdown } from './markdown.ts'
import { eachTag, openParts, type Parts, relationshipsOf } from './parts.ts'
import { cap, type Extraction, type LeftOut, type Limits, without } from './schema.ts'

/**
 * The text of a Word document as Markdown: headings, lists, tables, links, footnotes and equations. Headers, footers
 * and comments follow, each kind under its own heading. Only for use in the sandbox, after the pre-flight.
 */
export async function readDocx(bytes: Uint8Array, limits: Limits): Promise<Extraction> {
  const parts = await openParts(bytes)
  const main = await mainPart(parts)
  const xml = await parts.text(main)
  const readable = xml.includes('<m:oMath') ? await parts.with(main, withEquations(xml)) : parts.bytes
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
  const { text, isCut } = cap(sections.join('\n\n'), limits.characters)
  if (text === '') return without('noText')
  const has = (kind: LeftOut, found: boolean): LeftOut[] => (found ? [kind] : [])
  const leftOut = [
    ...has('pictures', pictures > 0),
    ...has('charts', /^word\/(charts|diagrams)\//im.test(parts.names.join('\n'))),
    ...has(
      'embeddedFiles',
      /^word\/embeddings\//im.test(parts.names.join('\n')) || /<w:altChunk\b/.test(xml),
    ),
  ]
  return { state: isCut ? 'truncated' : 'whole', text, pages: null, leftOut }
}

async function mainPart({ text }: Parts): Promise<string> {
  const found = (await relationshipsOf(text, '')).find(({ type }) => type === 'officeDocument')
  return found?.target ?? 'word/document.xml'
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
