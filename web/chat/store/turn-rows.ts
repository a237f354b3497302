import type { Conflict, Message, Notice, RecordName } from '../../../core/conversation/transcript/schema.ts'

/** The row of a user's message. */
export type UserRow = { readonly kind: 'user'; readonly key: string; readonly message: Message }

/** The assistant's turn for a user's message: answers, calls and results up to the user's next message. */
export type TurnRow = {
  readonly kind: 'turn'
  readonly key: string
  readonly messages: readonly Message[]
  /** The time of the user's message; null if that message is not loaded. */
  readonly askedAt: string | null
}

export type Row = UserRow | TurnRow

/** The notices that are attached to an answer. A row with any other notice contains no answer. */
const onAnswers: ReadonlySet<Notice | undefined> = new Set([undefined, 'demo', 'truncated'] as const)

/** True for a row that only reports an event and contains no answer. */
export function isNotice(message: Message): boolean {
  return !onAnswers.has(message.notice) && message.role !== 'tool'
}

/**
 * Groups the messages as the log shows them. Each message of the user has a row, and the messages that follow it share
 * one row. A row with the same messages as in `before` is the same object and need not be drawn again.
 */
export function toRows(messages: readonly Message[], before: readonly Row[] = []): Row[] {
  const known = new Map(before.map((row) => [row.key, row]))
  return grouped(messages).map((row) => {
    const old = known.get(row.key)
    return old && isSame(old, row) ? old : row
  })
}

function grouped(messages: readonly Message[]): Row[] {
  const rows: Row[] = []
  let askedAt: string | null = null
  let turn: Message[] = []
  for (const message of messages) {
    if (message.role === 'user' && !isNotice(message)) {
      turn = []
      askedAt = message.createdAt
      rows.push({ kind: 'user', key: `u${message.sequence}`, message })
      continue
    }
    if (turn.length === 0) rows.push({ kind: 'turn', key: `t${message.sequence}`, messages: turn, askedAt })
    turn.push(message)
  }
  return rows
}

function isSame(a: Row, b: Row): boolean {
  if (a.kind === 'user') return b.kind === 'user' && a.message === b.message
  if (b.kind !== 'turn' || a.askedAt !== b.askedAt || a.messages.length !== b.messages.length) return false
  return a.messages.every((message, index) => message === b.messages[index])
}

/** Returns the text of a turn's answers in order, without notices. */
export function answerOf(turn: TurnRow): string {
  return turn.messages
    .filter((message) => message.role === 'assistant' && !isNotice(message) && message.content)
    .map((message) => message.content)
    .join('\n\n')
}

const fenced = /^<data-(\w+) source="[^"]*">\n([\s\S]*?)\n?<\/data-\1>\s*/

/** Returns the text that the model got from a call, without the fence around untrusted data and the user's words. */
export const resultText = (content: string): string => fenced.exec(content)?.[2] ?? content

/** Returns the names of the records that a turn found, by `table:uid`. */
export function titlesOf(turn: TurnRow): Map<string, string> {
  const records = turn.messages.flatMap((message) => message.records ?? [])
  return new Map(records.flatMap(({ table, uid, title }) => (title ? [[`${table}:${uid}`, title]] : [])))
}

/** Returns the id of the run that wrote the newest message of a turn; undefined if no message names its run. */
export function runOf({ messages }: TurnRow): string | undefined {
  return messages.findLast(({ runId }) => runId)?.runId
}

/** The undone records of a run, and the conflicts of its last undo. */
export type Undone = { records: RecordName[]; conflicts: Conflict[] }

/** Collects the undone records of a run from the whole transcript; null if nothing was undone. */
export function undoneOf(messages: readonly Message[], runId: string): Undone | null {
  const rows = messages.filter((message) => message.notice === 'undone' && message.runId === runId)
  const last = rows.at(-1)
  if (!last) return null
  return { records: rows.flatMap((message) => message.records ?? []), conflicts: last.conflicts ?? [] }
}
