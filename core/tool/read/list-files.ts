import * as z from 'zod'
import { count, missing } from '../format.ts'
import { reads } from '../tool.ts'

/** `list_files`: the user's own files and public ones. */
export const listFiles = reads({
  name: 'list_files',
  sign: 'folder',
  source: 'files',
  words: { en: { title: 'Files', did: 'Listed files', doing: 'Listing files' } },
  description:
    'The files in a folder with uid, type and size, without their content: the user’s own uploads, or a public folder.',
  parameters: z.strictObject({
    folder: z.string().min(1).max(500).optional().describe('absent: the user’s own'),
  }),
  dataClass: 'internal',
  adminOnly: false,
  async run({ folder }, { actor, files }) {
    const found = await files(actor, folder)
    if (!found) throw missing(`The folder ${folder ?? ''}`, 'Leave folder out for the user’s own.')
    const where = folder ? `The folder ${folder}` : 'The user’s own folder'
    if (found.length === 0) return `${where} has no files.`
    const lines = [
      `${where} has ${count(found.length, 'file')}:`,
      ...found.map(
        (file) => `- [${file.uid}] ${file.name}, ${file.mimeType}, ${size(file.size)}, in ${file.folder}`,
      ),
    ]
    return { text: lines.join('\n'), count: found.length }
  },
})

function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
