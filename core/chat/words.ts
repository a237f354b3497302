import * as Table from '../aws/table.ts'
import { type Conversation, partition } from '../conversation/item.ts'
import { stretches } from '../conversation/path.ts'
import { decode, sortKey } from '../transcript/item.ts'
import * as Legacy from '../transcript/legacy.ts'
import type { Message } from '../transcript/schema.ts'

/**
 * Finds words in what a user and the assistant said. The work for one conversation is bounded: of each branch on its path
 * one page of the table, which is about 1 MB from its newest message back; older ones are not looked at.
 */
export async function excerptWith(it: Conversation, wanted: string): Promise<string | undefined> {
  for (const message of await newest(it)) {
    const isSaid = message.role !== 'tool' && message.notice !== 'unreadable'
    const excerpt = isSaid ? around(message.content, wanted) : undefined
    if (excerpt !== undefined) return excerpt
  }
  return undefined
}

async function newest(it: Conversation): Promise<Message[]> {
  if (it.legacy.length > 0) return Legacy.messages(it).reverse()
  const parts = stretches(it.path, 0, it.messageCount).reverse()
  const pages = await Promise.all(
    parts.map(({ branch, from, to }) =>
      Table.query({
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: {
          ':pk': partition(it.id),
          ':first': sortKey(from, branch),
          ':last': sortKey(to - 1, branch),
        },
        ScanIndexForward: false,
      }),
    ),
  )
  const messages = pages.flatMap(({ rows }) => rows.map(decode))
  return messages.filter(({ sequence }) => sequence < it.messageCount)
}

const before = 30
const behind = 90

/** The place of a text where the wanted words are, whatever case, on one line and without marks of bold and code. */
export function around(text: string, wanted: string): string | undefined {
  const line = text.replace(/\*\*|`/g, '').replace(/\s+/gu, ' ')
  const at = line.toLocaleLowerCase().indexOf(wanted)
  if (at < 0) return undefined
  const [start, end] = [Math.max(0, at - before), Math.min(line.length, at + wanted.length + behind)]
  const cut = line.slice(start, end).toWellFormed().trim()
  return `${start > 0 ? '…' : ''}${cut}${end < line.length ? '…' : ''}`
}
