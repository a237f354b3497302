import * as z from 'zod'
import type * as Table from '../aws/table.ts'
import { partition } from '../conversation/item.ts'
import { config } from '../stage/config.ts'

/** The user's own instructions for a conversation: an item beside the row, because only turns and editors need it. */
export const key = (id: string): Table.Key => ({ pk: partition(id), sk: 'prompt' })

/** The instructions among the rows of a conversation's partition, or an empty text. */
export function decode(rows: (Table.Row | undefined)[]): string {
  const row = rows.find((candidate) => candidate?.sk === 'prompt')
  return row ? z.object({ system_prompt: z.string() }).parse(row).system_prompt : ''
}

/** The write that stores the instructions, or removes them where the text is empty. */
export function write(id: string, systemPrompt: string): Table.Write {
  const TableName = config().table
  if (systemPrompt === '') return { Delete: { TableName, Key: key(id) } }
  return { Put: { TableName, Item: { ...key(id), system_prompt: systemPrompt } } }
}
