import { item, text } from '../aws/item.ts'
import type * as Table from '../aws/table.ts'
import { partition } from '../conversation/item.ts'
import { config } from '../stage/config.ts'

/** How the instructions are stored. */
export const codec = item('instructions', 1, { systemPrompt: text('system_prompt') })

/** The user's own instructions for a conversation: an item beside the row, because only turns and editors need it. */
export const key = (id: string): Table.Key => ({ pk: partition(id), sk: 'prompt' })

/** The instructions among the rows of a conversation's partition, or an empty text. */
export function decode(rows: (Table.Row | undefined)[]): string {
  const row = rows.find((candidate) => candidate?.sk === 'prompt')
  return row ? codec.decode(row).systemPrompt : ''
}

/** The write that stores the instructions, or removes them where the text is empty. */
export function write(id: string, systemPrompt: string): Table.Write {
  const TableName = config().table
  if (systemPrompt === '') return { Delete: { TableName, Key: key(id) } }
  return { Put: { TableName, Item: { ...key(id), ...codec.encode({ systemPrompt }) } } }
}
