import * as Run from '../agent/run-record.ts'
import type { Task } from '../agent/task.ts'
import { batchOf, type ToolCall } from '../conversation/transcript/schema.ts'
import type { Work } from './work.ts'

/** The words that the user put in the place of the model's in the proposal of this run. */
export function wordingOf({ run, pending }: Work): Task['wording'] {
  const calls = pending?.runId === run.runId ? pending.calls : []
  return Object.fromEntries(calls.flatMap(({ id, wording }) => (wording ? [[id, wording]] : [])))
}

/** The decision that was made on these very calls, if one was. */
export async function decisionOn({ run, pending }: Work, open: ToolCall[]): Promise<Task['decision']> {
  if (!pending?.decision || pending.runId !== run.runId || open.length === 0) return undefined
  const calls = new Set(pending.open.map(({ id }) => id))
  if (!open.every(({ id }) => calls.has(batchOf(id)))) return undefined
  const intents = await Run.intents(run)
  const { decision, digest, versions, definitions } = pending
  const begun = intents.filter(({ callId }) => calls.has(batchOf(callId)))
  return { ...decision, digest, versions, definitions, begun }
}
