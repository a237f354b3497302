import * as Table from '../../base/aws/table.ts'
import type { Conversation } from '../item.ts'
import * as Row from '../row.ts'
import * as Item from '../transcript/item.ts'
import type { Message } from '../transcript/schema.ts'

/**
 * Reads the transcript column of earlier releases. A conversation without message rows uses it. The upgrade, or the
 * first write to the transcript, moves the column into rows and empties it.
 */

/** Returns the old transcript as messages. An unreadable entry becomes a notice that says so. */
export function messages(conversation: Conversation): Message[] {
  return conversation.legacy.map(({ isUnreadable, createdAt, ...entry }, sequence) => ({
    ...entry,
    sequence,
    createdAt: createdAt ? new Date(createdAt).toISOString() : conversation.createdAt,
    ...(isUnreadable && { notice: 'unreadable' as const }),
  }))
}

/**
 * Moves the old transcript into rows and returns the changed conversation; undefined after a lost race. The rows are
 * stored first and do not count yet. One conditional write then makes them count and empties the column. So a crash
 * between the two leaves the conversation as it was.
 */
export async function move(conversation: Conversation): Promise<Conversation | undefined> {
  if (conversation.legacy.length === 0) return conversation
  const moved = messages(conversation)
  const files = moved.flatMap((message): [number, number][] =>
    message.fileUid === undefined ? [] : [[message.sequence, message.fileUid]],
  )
  for (const some of Table.chunks(moved, batch)) {
    const puts = some.map((message) => Table.putWrite(Item.encode(conversation.id, message, 0)))
    const { done } = await Table.transact([Row.unchanged(conversation), ...puts])
    if (!done) return undefined
  }
  return Row.store(conversation, { messageCount: moved.length, legacy: [], files })
}

/**
 * The number of rows in one transaction, besides the check of the conversation. The column itself holds less than 4 MB.
 */
const batch = 99
