import type { Conversation } from '../item.ts'
import * as Row from '../row.ts'
import { codec, decode } from './item.ts'
import type { Message } from './schema.ts'
import * as Transcript from './transcript.ts'

/**
 * Stores the rows about an undo. While a consumer has the turn, only it may append to the transcript, because it
 * numbers its rows without reading. Until the turn ends, the conversation row keeps the rows about undos.
 */

type Unnumbered = Omit<Message, 'sequence'>

/**
 * Appends the row, or keeps it until `appendKept` while a consumer has the turn. After a lost race, calls `wordedFor`
 * again with the fresh conversation; undefined means that no row is needed.
 */
export async function store(
  conversation: Conversation,
  wordedFor: (current: Conversation) => Promise<Unnumbered | undefined>,
): Promise<void> {
  const attempt = async (current: Conversation) => {
    const row = await wordedFor(current)
    if (!row) return current
    if (current.status !== 'locked') return append(current, [row])
    return Row.store(current, { undoRows: [...current.undoRows, JSON.stringify(written(row))] })
  }
  await Row.contend(conversation, attempt)
}

/** Returns the rows about undos of a run, including rows that wait for the end of a turn. */
export async function ofRun(conversation: Conversation, run: string): Promise<Unnumbered[]> {
  const { messages } = await Transcript.part(conversation, 0, conversation.messageCount, false)
  return [...messages, ...kept(conversation)].filter(
    ({ notice, runId }) => notice === 'undone' && runId === run,
  )
}

/** Returns the rows that wait for the end of a turn. */
const kept = (conversation: Conversation): Unnumbered[] => conversation.undoRows.map(read)

/** Appends the rows that were kept while a consumer had the turn. Returns the changed conversation. */
export async function appendKept(conversation: Conversation): Promise<Conversation> {
  if (conversation.undoRows.length === 0) return conversation
  const attempt = async (current: Conversation) =>
    current.status === 'locked' || current.undoRows.length === 0 ? current : append(current, [])
  return Row.contend(conversation, attempt)
}

/** Stores the kept rows, and then `rows`; undefined after a lost race. */
function append(conversation: Conversation, rows: Unnumbered[]): Promise<Conversation | undefined> {
  const all = [...kept(conversation), ...rows]
  const createdAt = all.at(-1)?.createdAt ?? ''
  const changes = {
    messageCount: conversation.messageCount + all.length,
    updatedAt: conversation.updatedAt > createdAt ? conversation.updatedAt : createdAt,
    undoRows: [],
  }
  return Row.store(conversation, changes, Transcript.append(conversation, all))
}

const written = (row: Unnumbered) => codec.changed(row)

const read = (json: string): Unnumbered => decode({ ...JSON.parse(json), sequence: 0 })
