import * as z from 'zod'
import { ToolError } from '../../base/error.ts'
import { absentWords } from '../../conversation/transcript/not-used.ts'
import { nextOf, partWords } from '../../file/document/schema.ts'
import { missing } from '../format.ts'
import { reads } from '../tool.ts'

/** `read_file`: a further part of a file that the user attached. */
export const readFile = reads({
  name: 'read_file',
  sign: 'page',
  source: 'files',
  words: { en: { title: 'Read a file', did: 'Read on in a file', doing: 'Reading on in a file' } },
  description:
    'Reads on in a file that the user attached, where a note says that only a part of it is included. The result says which part it is and where the next begins.',
  parameters: z.strictObject({
    file: z.int().positive().describe('The number of the file, from the note or from list_files'),
    from: z.int().min(1).describe('The first page, slide, row or character to read, as the note counts'),
  }),
  dataClass: 'internal',
  adminOnly: false,
  async run({ file, from }, { actor, readOn, signal }) {
    const found = await readOn?.(actor, { fileUid: file, from }, signal)
    if (!found) throw missing(`The document ${file}`, 'list_files shows the user’s own files.')
    const { state, text, extent, outline } = found.extraction
    if (state !== 'whole' && state !== 'truncated') {
      throw new ToolError(`The file cannot be read: ${absentWords[state].en}.`)
    }
    const next = extent ? nextOf(extent) : undefined
    const place = extent ? `, ${partWords(extent)}` : ''
    const on = next === undefined ? ' It ends here.' : ` The next part begins at ${next}.`
    return [`${found.name}${place}.${on}`, ...(outline && from === 1 ? [outline] : []), text].join('\n\n')
  },
})
