import { item, text } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'
import { type Conversation, partition } from '../item.ts'
import * as Legacy from '../legacy/into-rows.ts'
import { branchAt, stretches } from '../path.ts'
import * as Activity from './activity.ts'
import { decode, encode, key, sortKey } from './item.ts'
import * as Pending from './pending.ts'
import type { Message } from './schema.ts'

/** Reads and appends the rows of a transcript. Rows are only ever appended, each on its branch. */

/** Returns the writes that append messages after the stored messages; the same transaction must raise the count. */
export function append(conversation: Conversation, messages: Omit<Message, 'sequence'>[]): Table.Write[] {
  return messages.map((message, at) =>
    put(conversation, { ...message, sequence: conversation.messageCount + at }),
  )
}

/** Returns the write that stores a message on the branch that holds its sequence number. */
export function put({ id, path }: Pick<Conversation, 'id' | 'path'>, message: Message): Table.Write {
  return Table.putWrite(encode(id, message, branchAt(path, message.sequence)))
}

/** Returns the message with a sequence number; undefined if the conversation has no such message. */
export async function at(conversation: Conversation, sequence: number): Promise<Message | undefined> {
  if (conversation.legacy.length > 0) return Legacy.messages(conversation)[sequence]
  if (sequence >= conversation.messageCount) return undefined
  const row = await Table.get(key(conversation.id, sequence, branchAt(conversation.path, sequence)))
  return row && decode(row)
}

/** A part of the transcript, with pending calls and instructions if the caller asked for them. */
export type Part = { messages: Message[]; pending: Pending.Pending | undefined; systemPrompt: string }

/**
 * Returns the messages from one sequence up to another (exclusive). With `beside`, also reads pending calls and
 * instructions, if the part ends with the transcript. They sort after the messages, so the same request reads them.
 */
export async function part(
  conversation: Conversation,
  from: number,
  to: number,
  beside: boolean,
): Promise<Part> {
  const end = Math.min(to, conversation.messageCount)
  const isTail = end === conversation.messageCount
  if (conversation.legacy.length > 0) {
    const rows = beside ? await between(conversation.id, Pending.range.first, 'prompt') : []
    return { messages: Legacy.messages(conversation).slice(from, to), ...sideways(rows) }
  }
  const parts = stretches(conversation.path, from, end)
  // Pending calls and instructions sort after the messages of branch 0, so one request reads all three.
  const isOne = isTail && parts.at(-1)?.branch === 0
  const wantsBeside = beside && (conversation.hasPrompt || conversation.awaitingUntil !== undefined)
  const [others, ...rows] = await Promise.all([
    wantsBeside && !isOne ? between(conversation.id, Pending.range.first, 'prompt') : [],
    ...parts.map(({ branch, from, to }, at) =>
      between(
        conversation.id,
        sortKey(from, branch),
        wantsBeside && isOne && at === parts.length - 1 ? 'prompt' : sortKey(to - 1, branch),
      ),
    ),
  ])
  const messages = rows
    .flat()
    .filter(isMessage)
    .map(decode)
    .filter((message) => message.sequence >= from && message.sequence < end)
  return { messages, ...sideways(beside ? [...rows.flat(), ...others] : []) }
}

const isMessage = ({ sk }: Table.Row) => /^(?:message|branch)#/.test(String(sk))

/** Reads the pending calls and the instructions. */
export async function beside(conversation: Conversation): Promise<Omit<Part, 'messages'>> {
  return sideways(await between(conversation.id, Pending.range.first, 'prompt'))
}

/** The messages and items that a turn reads when it begins. */
export type Opening = Part & { activity: Activity.List }

/** The minimum number of characters that each row counts as. It limits the number of rows that a request asks for. */
const perRow = 100

/**
 * Reads the newest messages up to this many characters, oldest first, and all items besides them. Reads from the end,
 * so that the cost of a turn does not grow with its transcript. Makes one request unless the rows are long. Reads a
 * longer turn back to its question, because a turn that goes on needs it.
 */
export async function opening(conversation: Conversation, characters: number): Promise<Opening> {
  const parts = stretches(conversation.path, 0, conversation.messageCount).reverse()
  const isOne = parts[0]?.branch === 0
  const ranges = parts.map(({ branch, from, to }, at) => ({
    first: sortKey(from, branch),
    last: isOne && at === 0 ? Activity.sortKey : sortKey(to - 1, branch),
  }))
  const aside = { first: 'next#', last: Activity.sortKey }
  const rows: Table.Row[] = []
  let budget = characters
  const wantsMore = () => budget > 0 || rows.at(-1)?.run_id === conversation.runId
  for (const { first, last } of isOne ? ranges : [aside, ...ranges]) {
    if (!wantsMore()) break
    const pages = Table.queried({
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': partition(conversation.id), ':first': first, ':last': last },
      ScanIndexForward: false,
      Limit: Math.ceil(characters / perRow),
    })
    for await (const page of pages) {
      rows.push(...page)
      budget -= page.reduce((sum, row) => sum + String(row.content ?? '').length + perRow, 0)
      if (!wantsMore()) break
    }
  }
  const stored = rows
    .filter(isMessage)
    .map(decode)
    .filter((message) => message.sequence < conversation.messageCount)
    .reverse()
  return {
    messages: conversation.legacy.length > 0 ? Legacy.messages(conversation) : stored,
    ...sideways(rows.toReversed()),
    activity: Activity.decode(
      rows.find((row) => row.sk === Activity.sortKey),
      conversation,
    ),
  }
}

function between(id: string, first: string, last: string): Promise<Table.Row[]> {
  return Table.between({ pk: partition(id), sk: first }, last)
}

function sideways(rows: Table.Row[]): Omit<Part, 'messages'> {
  return { pending: Pending.decode(rows), systemPrompt: instructionsIn(rows) }
}

/**
 * Encodes and decodes the user's instructions for a conversation. They are a separate item, because only turns and
 * editors read them.
 */
export const instructionsCodec = item('instructions', 1, { systemPrompt: text('system_prompt') })

const instructionsKey = (id: string): Table.Key => ({ pk: partition(id), sk: 'prompt' })

function instructionsIn(rows: Table.Row[]): string {
  const row = rows.find(({ sk }) => sk === 'prompt')
  return row ? instructionsCodec.decode(row).systemPrompt : ''
}

/** Returns the write that stores the instructions of a conversation; an empty text removes them. */
export function instruct(id: string, systemPrompt: string): Table.Write {
  if (systemPrompt === '') return Table.removeWrite(instructionsKey(id))
  return Table.putWrite({ ...instructionsKey(id), ...instructionsCodec.encode({ systemPrompt }) })
}
