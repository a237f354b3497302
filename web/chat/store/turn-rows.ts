import type { Conflict, Message, Notice, RecordName } from '../../../core/conversation/transcript/schema.ts'

/** The user's message. */
export type UserRow = { readonly kind: 'user'; readonly key: string; readonly message: Message }

/** The assistant's turn for it: answers, calls and results up to the user's next message. */
export type TurnRow = {
  readonly kind: 'turn'
  readonly key: string
  readonly messages: readonly Message[]
  /** The time of the user's question; null while that message is not loaded. */
  readonly askedAt: string | null
}

export type Row = UserRow | TurnRow

/** The notices of an answer itself. */
const onAnswers: ReadonlySet<Notice | undefined> = new Set([undefined, 'demo', 'truncated'] as const)

/** True for a row that only tells what happened and is no answer. */
export function isNotice(message: Message): boolean {
  return !onAnswers.has(message.notice) && message.role !== 'tool'
}

/**
 * The messages as a reader sees them: what the user wrote, and one turn for all that follows. Rows whose messages
 * are the same as in `before` are the same objects, so that they need not be drawn again.
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
    if (turn.length === 0) {
      turn = []
      rows.push({ kind: 'turn', key: `t${message.sequence}`, messages: turn, askedAt })
    }
    turn.push(message)
  }
  return rows
}

function isSame(a: Row, b: Row): boolean {
  if (a.kind === 'user') return b.kind === 'user' && a.message === b.message
  if (b.kind !== 'turn' || a.askedAt !== b.askedAt || a.messages.length !== b.messages.length) return false
  return a.messages.every((message, index) => message === b.messages[index])
}

/** The text of a turn's answers, one after the other, without notices. */
export function answerOf(turn: TurnRow): string {
  return turn.messages
    .filter((message) => message.role === 'assistant' && !isNotice(message) && message.content)
    .map((message) => message.content)
    .join('\n\n')
}

const fenced = /^<data-(\w+) source="[^"]*">\n([\s\S]*?)\n?<\/data-\1>\s*/

/** The text that the model got from a call, without its fence and without the user's words. */
export function resultText(content: string): string {
  return fenced.exec(content)?.[2] ?? content
}

/** Names of the records that a turn met, by `table:uid`. */
export function titlesOf(turn: TurnRow): Map<string, string> {
  const records = turn.messages.flatMap((message) => message.records ?? [])
  return new Map(records.flatMap(({ table, uid, title }) => (title ? [[`${table}:${uid}`, title]] : [])))
}

/** The undone records of a run, and the conflicts. */
export type Undone = { records: RecordName[]; conflicts: Conflict[] }

/** Collects the undone records of a run from all of the transcript; null if nothing was undone. */
export function undoneOf(messages: readonly Message[], runId: string): Undone | null {
  const rows = messages.filter((message) => message.notice === 'undone' && message.runId === runId)
  const last = rows.at(-1)
  if (!last) return null
  return { records: rows.flatMap((message) => message.records ?? []), conflicts: last.conflicts ?? [] }
}
