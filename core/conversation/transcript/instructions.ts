import { item, text } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'
import { partition } from '../item.ts'

/** Encodes and decodes the instructions. */
export const codec = item('instructions', 1, { systemPrompt: text('system_prompt') })

/** Key of the user's instructions for a conversation: an own item, because only turns and editors need it. */
export const key = (id: string): Table.Key => ({ pk: partition(id), sk: 'prompt' })

/** Reads the instructions among the rows of a conversation's partition; an empty text if there are none. */
export function decode(rows: (Table.Row | undefined)[]): string {
  const row = rows.find((candidate) => candidate?.sk === 'prompt')
  return row ? codec.decode(row).systemPrompt : ''
}

/** The write that stores the instructions; an empty text removes them. */
export function write(id: string, systemPrompt: string): Table.Write {
  if (systemPrompt === '') return Table.removeWrite(key(id))
  return Table.putWrite({ ...key(id), ...codec.encode({ systemPrompt }) })
}
