import mammoth from 'mammoth'
import { toMarkdown } from './markdown.ts'
import { cap, type Extraction, type Limits, without } from './schema.ts'

/**
 * The text of a Word document as Markdown: headings, lists, tables, links and footnotes; pictures are left out. Only
 * for use in the sandbox, after the pre-flight.
 */
export async function readDocx(bytes: Uint8Array, limits: Limits): Promise<Extraction> {
  const { value } = await mammoth.convertToHtml(
    { buffer: Buffer.from(bytes) },
    { convertImage: noImage, externalFileAccess: false },
  )
  const { text, isCut } = cap(toMarkdown(value), limits.characters)
  if (text === '') return without('noText')
  return { state: isCut ? 'truncated' : 'whole', text, pages: null }
}

const noImage = mammoth.images.imgElement(async () => ({ src: '' }))
