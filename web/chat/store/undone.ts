import type { Conflict, Message, RecordName } from '../../../core/conversation/transcript/schema.ts'

/** The undone records of a run, and the conflicts. */
export type Undone = { records: RecordName[]; conflicts: Conflict[] }

/** Collects the undone records of a run from all of the transcript; null if nothing was undone. */
export function undoneOf(messages: readonly Message[], runId: string): Undone | null {
  const rows = messages.filter((message) => message.notice === 'undone' && message.runId === runId)
  const last = rows.at(-1)
  if (!last) return null
  return { records: rows.flatMap((message) => message.records ?? []), conflicts: last.conflicts ?? [] }
}
