import { docx, pdf, xlsx } from '../../test/support/documents.ts'
import type { Task } from './task.ts'

/**
 * The file of a task as its name says: lines are paragraphs, or rows with `;` between their cells. A picture is drawn by
 * its SVG.
 */
export async function bytesOf({ name, content }: NonNullable<Task['file']>): Promise<Buffer> {
  if (name.endsWith('.pdf')) return pdf([content])
  if (name.endsWith('.docx')) return docx(content.split('\n'))
  if (name.endsWith('.xlsx')) return xlsx({ Sheet: content.split('\n').map(cells) })
  if (name.endsWith('.png')) {
    const { default: sharp } = await import('sharp')
    return sharp(Buffer.from(content)).png().toBuffer()
  }
  return Buffer.from(content)
}

const cells = (line: string) =>
  line.split(';').map((cell) => (/^\d+(?:\.\d+)?$/.test(cell) ? Number(cell) : cell))
