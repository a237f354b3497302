import { own } from '../../core/base/json.ts'
import type { Starter } from '../../core/chat/start.ts'
import type { Capabilities } from '../../core/cms/capabilities.ts'
import type { Place } from '../../core/cms/cms.ts'
import { accept } from '../../core/file/file.ts'
import { extensionOf, formatOf, mimeTypeOf, supportedFormats } from '../../core/file/format.ts'
import type { Model } from '../../core/model/model.ts'
import { docx, openDocument, pdf, presentation, xlsx, zip } from '../../test/support/documents.ts'
import { UsageError } from '../command.ts'
import { placeIn, type Task } from './task.ts'

/** A record that a message mentions. */
export type Mention = Place & { kind: 'page' | 'record' }

/** Returns the records that the first message of a task mentions. */
export const mentionsOf = ({ mentions }: Task, { tree }: Pick<Capabilities, 'tree'>): Mention[] =>
  mentions.map((record) => {
    const place = placeIn(record)
    return { kind: place.table === tree?.pages ? 'page' : 'record', ...place }
  })

/** Uploads the file of a task for its user, and returns its uid. Throws UsageError if the name has no known format. */
export async function attach(
  file: NonNullable<Task['file']>,
  { actor, settings, now }: Starter,
  { capabilities }: Model,
): Promise<number> {
  const format = formatOf(file.name)
  if (!format) throw new UsageError(`${file.name} is the name of no file that the chat can read.`)
  const upload = { name: file.name, mimeType: mimeTypeOf(format), bytes: await bytesOf(file) }
  const rules = { formats: supportedFormats(capabilities), maxUnsent: settings.maxUnsentFilesPerUser }
  return (await accept(actor, upload, rules, now)).fileUid
}

/** Returns the file of a task in the format of its name. A format without a maker gives a file of the plain text. */
function bytesOf({ name, content }: NonNullable<Task['file']>): Buffer | Promise<Buffer> {
  return own(makers, extensionOf(name))?.(content, content.split('\n')) ?? Buffer.from(content)
}

/** Functions that make a file from its content, by extension. A line becomes a paragraph, a row or a slide. */
const makers: Record<string, (content: string, lines: string[]) => Buffer | Promise<Buffer>> = {
  pdf: (content) => pdf([content]),
  docx: (_, lines) => docx(lines),
  /** In a line, `;` separates the cells of the row. */
  xlsx: (_, lines) => xlsx({ Sheet: lines.map(cells) }),
  pptx: (_, lines) => zip(presentation(lines.map(slide))),
  odt: (_, lines) => zip(openDocument('text', lines.map((line) => `<text:p>${line}</text:p>`).join(''))),
  /** The content is the SVG of the picture. */
  png: async (content) => (await import('sharp')).default(Buffer.from(content)).png().toBuffer(),
}

const slide = (line: string) => `<p:sp><p:txBody><a:p><a:r><a:t>${line}</a:t></a:r></a:p></p:txBody></p:sp>`

const cells = (line: string) =>
  line.split(';').map((cell) => (/^\d+(?:\.\d+)?$/.test(cell) ? Number(cell) : cell))
