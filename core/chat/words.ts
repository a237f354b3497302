import * as Table from '../base/aws/table.ts'
import { type Conversation, partition } from '../conversation/item.ts'
import * as Legacy from '../conversation/legacy/into-rows.ts'
import { stretches } from '../conversation/path.ts'
import { decode, sortKey } from '../conversation/transcript/item.ts'
import type { Message } from '../conversation/transcript/schema.ts'

/**
 * The place of the newest message with one of the words, where every word is in some message. The work for one conversation is bounded: of each branch on its path
 * one page of the table, which is about 1 MB from its newest message back; older ones are not looked at.
 */
export async function excerptWith(
  conversation: Conversation,
  words: readonly string[],
): Promise<string | undefined> {
  let missing = words
  let excerpt: string | undefined
  for (const { role, notice, content } of await newest(conversation)) {
    if (role === 'tool' || notice === 'unreadable') continue
    const lower = lineOf(content).toLocaleLowerCase()
    const there = missing.filter((word) => lower.includes(word))
    if (there.length === 0) continue
    excerpt ??= around(content, there)
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

/** A text on one line, without marks of bold and code. */
const lineOf = (text: string) => text.replace(/\*\*|`/g, '').replace(/\s+/gu, ' ')

const before = 30
const behind = 90

/**
 * The place of a text where the words are in this order, else where one of them is, whatever case, on one line, from
 * the beginning of a word on, and without marks of bold and code.
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

/** The first place from `from` to `to` where a word begins; `from` itself where none does, as in a language without spaces. */
function beginOfWord(line: string, from: number, to: number): number {
  const space = line.indexOf(' ', from - 1)
  return space === -1 || space >= to ? from : space + 1
}
