import * as z from 'zod'
import { field, item, json, number, omitted, text } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'
import { type Conversation, partition } from '../item.ts'
import { Mention, type NextMessage, StoredViewContext, type ViewContext } from '../schema.ts'

/**
 * Stores the messages that a user sends while a turn runs. Each is a separate item; their order is in the conversation
 * row, which changes in the same transaction. They sort between the messages and the pending calls.
 */

/** Encodes and decodes a waiting message. */
export const codec = item('next message', 1, {
  id: text('id'),
  content: text('content'),
  fileUid: omitted(number('file_uid')),
  mentions: omitted(json('mentions', z.array(Mention), [])),
  viewContext: omitted(field('view_context', StoredViewContext, { pageId: 0, module: '' })),
})

/** A waiting message, with the page or record that was open for its author. */
export type Waiting = NextMessage & { viewContext?: ViewContext | undefined }

const prefix = 'next#'

/** Returns the key of a waiting message. */
export const key = (conversationId: string, id: string): Table.Key => ({
  pk: partition(conversationId),
  sk: `${prefix}${id}`,
})

/** Returns the waiting messages in the order of sending. Makes no request if there are none. */
export async function all(conversation: Pick<Conversation, 'id' | 'next'>): Promise<Waiting[]> {
  const rows = await Table.rowsOf(conversation.next.map(([id]) => key(conversation.id, id)))
  return rows.flatMap((row) => (row ? [codec.decode(row)] : []))
}

/** Returns the waiting messages in the form for readers. */
export const shown = (waiting: Waiting[], { nextNow }: Pick<Conversation, 'nextNow'>): NextMessage[] =>
  waiting.map(({ viewContext: _, ...message }) => ({
    ...message,
    ...(nextNow.includes(message.id) && { now: true }),
  }))

/** Returns the write that stores a waiting message. */
export function put(conversationId: string, waiting: Waiting): Table.Write {
  return Table.putWrite({ ...key(conversationId, waiting.id), ...codec.encode(waiting) })
}

/** Returns the write that removes a waiting message. */
export function remove(conversationId: string, id: string): Table.Write {
  return Table.removeWrite(key(conversationId, id))
}
