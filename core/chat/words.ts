import * as Table from '../base/aws/table.ts'
import { type Conversation, partition } from '../conversation/item.ts'
import * as Legacy from '../conversation/legacy/into-rows.ts'
import { stretches } from '../conversation/path.ts'
import { decode, sortKey } from '../conversation/transcript/item.ts'
import type { Message } from '../conversation/transcript/schema.ts'

/**
 * Returns the text around the newest match if every word occurs in some message; undefined otherwise. On each branch of
 * the path, the search reads only one page of the table: about 1 MB of the newest messages.
 */
export async function excerptWith(
  conversation: Conversation,
  words: readonly string[],
): Promise<string | undefined> {
  let missing = words
  let excerpt: string | undefined
  for (const { role, notice, content } of await newest(conversation)) {
    if (role === 'tool' || notice === 'unreadable') continue
    const text = content.normalize('NFC')
    const lower = lineOf(text).toLocaleLowerCase()
    const there = missing.filter((word) => lower.includes(word))
    if (there.length === 0) continue
    excerpt ??= around(text, there)
    missing = missing.filter((word) => !there.includes(word))
    if (missing.length === 0) return excerpt
  }
  return undefined
}

async function newest(conversation: Conversation): Promise<Message[]> {
  if (conversation.legacy.length > 0) return Legacy.messages(conversation).reverse()
  const parts = stretches(conversation.path, 0, conversation.messageCount).reverse()
  const pages = await Promise.all(
    parts.map(({ branch, from, to }) =>
      Table.query({
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: {
          ':pk': partition(conversation.id),
          ':first': sortKey(from, branch),
          ':last': sortKey(to - 1, branch),
        },
        ScanIndexForward: false,
      }),
    ),
  )
  const messages = pages.flatMap(({ rows }) => rows.map(decode))
  return messages.filter(({ sequence }) => sequence < conversation.messageCount)
}

/** Returns the text on one line, without Markdown marks of bold and code. */
const lineOf = (text: string) => text.replace(/\*\*|`/g, '').replace(/\s+/gu, ' ')

const before = 30
const behind = 90

/**
 * Returns the part of a text around the words in this order, or around one of them, in any case. The excerpt is one
 * line, begins at a word, and has no Markdown marks of bold and code. Returns undefined if no word occurs.
 */
export function around(text: string, words: readonly string[]): string | undefined {
  const line = lineOf(text)
  const lower = line.toLocaleLowerCase()
  const found = [words.join(' '), ...words].find((word) => lower.includes(word))
  if (found === undefined) return undefined
  const at = lower.indexOf(found)
  const start = at > before ? beginOfWord(line, at - before, at) : 0
  const end = Math.min(line.length, at + found.length + behind)
  const cut = line.slice(start, end).toWellFormed().trim()
  return `${start > 0 ? '…' : ''}${cut}${end < line.length ? '…' : ''}`
}

/**
 * Returns the first index from `from` to `to` at which a word begins. Returns `from` if no word begins there, as in a
 * language without spaces.
 */
function beginOfWord(line: string, from: number, to: number): number {
  const space = line.indexOf(' ', from - 1)
  return space === -1 || space >= to ? from : space + 1
}
