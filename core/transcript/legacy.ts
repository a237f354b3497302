import * as Table from '../aws/table.ts'
import type { Conversation } from '../conversation/item.ts'
import * as Row from '../conversation/row.ts'
import { config } from '../stage/config.ts'
import * as Item from './item.ts'
import type { Message } from './schema.ts'

/**
 * The transcript column of earlier releases. It is read while a conversation has no message rows; before the first
 * write to its transcript, and by the upgrade wizard, it is moved into rows and emptied.
 */

/** The old transcript as messages. An entry that cannot be understood is a notice that says so. */
export function messages(it: Conversation): Message[] {
  return it.legacy.map(({ isUnreadable, createdAt, ...entry }, sequence) => ({
    ...entry,
    sequence,
    createdAt: createdAt ? new Date(createdAt).toISOString() : it.createdAt,
    ...(isUnreadable && { notice: 'unreadable' as const }),
  }))
}

/**
 * Moves the old transcript into rows and returns the changed conversation; undefined after a lost race. The rows are
 * put first, where they do not count yet; one conditional write then makes them count and empties the column, so that a
 * crash between the two leaves the conversation as it was.
 */
export async function move(it: Conversation): Promise<Conversation | undefined> {
  if (it.legacy.length === 0) return it
  const moved = messages(it)
  const files = moved.flatMap((message): [number, number][] =>
    message.fileUid === undefined ? [] : [[message.sequence, message.fileUid]],
  )
  for (let at = 0; at < moved.length; at += batch) {
    const puts = moved.slice(at, at + batch).map((message) => put(it.id, message))
    const { done } = await Table.transact([Row.unchanged(it), ...puts])
    if (!done) return undefined
  }
  return Row.store(it, { messageCount: moved.length, legacy: [], files })
}

/** Rows that are put in one transaction, beside the check of the conversation; the column itself holds less than 4 MB. */
const batch = 99

function put(id: string, message: Message): Table.Write {
  return { Put: { TableName: config().table, Item: Item.encode(id, message, 0) } }
}
