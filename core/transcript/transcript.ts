import * as Table from '../aws/table.ts'
import { type Conversation, partition } from '../conversation/item.ts'
import { config } from '../stage/config.ts'
import * as Activity from './activity.ts'
import * as Dropped from './dropped.ts'
import * as Prompt from './instructions.ts'
import { decode, encode, key, sortKey } from './item.ts'
import * as Legacy from './legacy.ts'
import * as Pending from './pending.ts'
import type { Message } from './schema.ts'

/** The transcript of a conversation: rows that are only ever appended, or cut off at the end by an edit. */

/** The writes that append messages behind the stored ones; to go into the transaction that raises the count. */
export function append(it: Conversation, messages: Omit<Message, 'sequence'>[], cut = it.cut): Table.Write[] {
  return messages.map((message, at) => put(it.id, { ...message, sequence: it.messageCount + at }, cut))
}

/** The write that puts one message at its sequence. */
export function put(id: string, message: Message, cut: number): Table.Write {
  return { Put: { TableName: config().table, Item: encode(id, message, cut) } }
}

/** The message at a sequence, if it counts. */
export async function at(it: Conversation, sequence: number): Promise<Message | undefined> {
  if (it.legacy.length > 0) return Legacy.messages(it)[sequence]
  if (sequence >= it.messageCount) return undefined
  const row = await Table.get(key(it.id, sequence))
  return row && decode(row)
}

/** A part of the transcript with, if the caller asks for it, the items beside it. */
export type Part = { messages: Message[]; pending: Pending.Pending | undefined; systemPrompt: string }

/**
 * The messages from one sequence up to another (exclusive). With `beside`, pending calls and instructions come in the
 * same request where the part ends with the transcript, for they sort behind the messages.
 */
export async function part(it: Conversation, from: number, to: number, beside: boolean): Promise<Part> {
  const end = Math.min(to, it.messageCount)
  const isTail = end === it.messageCount
  if (it.legacy.length > 0) {
    const rows = beside ? await between(it.id, Pending.range.first, 'prompt') : []
    return { messages: Legacy.messages(it).slice(from, to), ...sideways(rows) }
  }
  const wantsBeside = beside && (it.hasPrompt || it.awaitingUntil !== undefined)
  const [rows, others] = await Promise.all([
    from >= end && !(wantsBeside && isTail)
      ? []
      : between(it.id, sortKey(from), wantsBeside && isTail ? 'prompt' : sortKey(end - 1)),
    wantsBeside && !isTail ? between(it.id, Pending.range.first, 'prompt') : [],
  ])
  const messages = rows
    .filter((row) => String(row.sk).startsWith('message#'))
    .map(decode)
    .filter((message) => message.sequence >= from && message.sequence < end)
  return { messages, ...sideways(beside ? [...rows, ...others] : []) }
}

/** The items beside the messages: pending calls and instructions. */
export async function beside(it: Conversation): Promise<Omit<Part, 'messages'>> {
  return sideways(await between(it.id, Pending.range.first, 'prompt'))
}

/** What a turn reads when it begins. */
export type Opening = Part & { activity: Activity.List }

/** What a row counts at least, in characters: no request asks for more rows than could fit. */
const perRow = 100

/**
 * The newest messages with at most so many characters, oldest first, and all items beside them: read from the end, so
 * that the cost of a turn does not grow with its transcript; one request unless the rows are long.
 */
export async function opening(it: Conversation, characters: number): Promise<Opening> {
  const rows: Table.Row[] = []
  let budget = characters
  let start: Table.Row | undefined
  do {
    const page = await Table.query({
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': partition(it.id), ':first': sortKey(0), ':last': Activity.sortKey },
      ScanIndexForward: false,
      Limit: Math.ceil(budget / perRow),
      ...(start && { ExclusiveStartKey: start }),
    })
    rows.push(...page.rows)
    budget -= page.rows.reduce((sum, row) => sum + String(row.content ?? '').length + perRow, 0)
    start = page.next
  } while (start && budget > 0)
  const stored = rows
    .filter((row) => String(row.sk).startsWith('message#'))
    .map(decode)
    .filter((message) => message.sequence < it.messageCount)
    .reverse()
  return {
    messages: it.legacy.length > 0 ? Legacy.messages(it) : stored,
    ...sideways(rows.toReversed()),
    activity: Activity.decode(
      rows.find((row) => row.sk === Activity.sortKey),
      it,
    ),
  }
}

/** How many rows are removed at a time. */
const swept = 25

/** Removes rows that an edit dropped, unless a later message took their place meanwhile; keeps the ids of their runs. */
export async function sweep(it: Conversation): Promise<void> {
  for (let first = it.messageCount; first < it.sweptTo; first += swept) {
    const count = Math.min(swept, it.sweptTo - first)
    const rows = await between(it.id, sortKey(first), sortKey(first + count - 1))
    const runIds = new Set(rows.map(decode).flatMap(({ runId }) => runId ?? []))
    // Before the rows: a sweep that is interrupted notes them again.
    if (runIds.size > 0) await Table.transact([...runIds].map((runId) => Dropped.note(it.id, runId)))
    await Promise.all(Array.from({ length: count }, (_, at) => sweepOne(it, first + at)))
  }
}

function sweepOne(it: Conversation, sequence: number): Promise<boolean> {
  return Table.remove(key(it.id, sequence), {
    condition: '#cut < :cut',
    names: { '#cut': 'cut' },
    values: { ':cut': it.cut },
  })
}

async function between(id: string, first: string, last: string): Promise<Table.Row[]> {
  const rows: Table.Row[] = []
  let start: Table.Row | undefined
  do {
    const page = await Table.query({
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': partition(id), ':first': first, ':last': last },
      ...(start && { ExclusiveStartKey: start }),
    })
    rows.push(...page.rows)
    start = page.next
  } while (start)
  return rows
}

function sideways(rows: Table.Row[]): Omit<Part, 'messages'> {
  return { pending: Pending.decode(rows), systemPrompt: Prompt.decode(rows) }
}
