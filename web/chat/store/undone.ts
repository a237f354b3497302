import type { Conflict, Message, RecordName } from '../../../core/transcript/schema.ts'

/** What was taken back of a run, and what was not. */
export type Undone = { records: RecordName[]; conflicts: Conflict[] }

/** What the transcript tells of a run that was taken back, wherever it tells so; null: nothing was. */
export function undoneOf(messages: readonly Message[], runId: string): Undone | null {
  const rows = messages.filter((message) => message.notice === 'undone' && message.runId === runId)
  const last = rows.at(-1)
  if (!last) return null
  return { records: rows.flatMap((message) => message.records ?? []), conflicts: last.conflicts ?? [] }
}
