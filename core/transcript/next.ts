import * as z from 'zod'
import { field, item, json, number, omitted, text } from '../aws/item.ts'
import * as Table from '../aws/table.ts'
import { type Conversation, partition } from '../conversation/item.ts'
import { Mention, type NextMessage, ViewContext } from '../conversation/schema.ts'
import { config } from '../stage/config.ts'

/**
 * The messages that a user wrote while a turn ran: one item each, and their order in the row of the conversation, which
 * changes in the same transaction. They sort between the messages and the pending calls.
 */

/** How a message that waits is stored. */
export const codec = item('next message', 1, {
  id: text('id'),
  content: text('content'),
  fileUid: omitted(number('file_uid')),
  mentions: omitted(json('mentions', z.array(Mention), [])),
  viewContext: omitted(field('view_context', ViewContext.strip(), { pageId: 0, module: '' })),
})

/** A message that waits, with the place that its writer looked at. */
export type Waiting = NextMessage & { viewContext?: ViewContext | undefined }

const prefix = 'next#'

/** Key of a message that waits. */
export const key = (conversationId: string, id: string): Table.Key => ({
  pk: partition(conversationId),
  sk: `${prefix}${id}`,
})

/** The messages that wait, in the order in which they will be sent; no request where there is none. */
export async function all(it: Pick<Conversation, 'id' | 'next'>): Promise<Waiting[]> {
  const { table } = config()
  const rows = await Table.batch(it.next.map(([id]) => ({ table, key: key(it.id, id) })))
  return rows.flatMap((row) => (row ? [codec.decode(row)] : []))
}

/** What readers get of the messages that wait. */
export const shown = (waiting: Waiting[]): NextMessage[] =>
  waiting.map(({ viewContext: _, ...message }) => message)

/** The write that stores a message that waits. */
export function put(conversationId: string, waiting: Waiting): Table.Write {
  return {
    Put: {
      TableName: config().table,
      Item: { ...key(conversationId, waiting.id), ...codec.encode(waiting) },
    },
  }
}

/** The write that removes a message that waits. */
export function remove(conversationId: string, id: string): Table.Write {
  return { Delete: { TableName: config().table, Key: key(conversationId, id) } }
}
