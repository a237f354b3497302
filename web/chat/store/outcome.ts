import type { Message, RecordName } from '../../../core/transcript/schema.ts'
import { type Decision, decisionKey } from './conversation.ts'
import type { TurnRow } from './turns.ts'

/** What became of one proposal: the calls of one reply that needed a decision. */
export type Outcome = {
  /** Stays the same from the decision to the last result. */
  key: string
  runId: string | null
  approved: boolean
  /** When the decision was made, ISO 8601; of an older one, when its first result was there. */
  at: string
  writes: Write[]
}

export type Write = {
  tool: string
  state: 'waiting' | 'done' | 'denied' | 'conflict' | 'unknown' | 'failed'
  /** null: it is not told yet, or a new record that is not there. */
  record: RecordName | null
  /** How many fields it changed. */
  count: number
  /** What the user said with the decision, as far as the transcript tells. */
  reason: string | null
}

/** What became of the calls of a reply that were decided on; null: none was (all withdrawn, expired, or not yet). */
export function outcomeOf(
  turn: TurnRow,
  { runId, toolCalls, createdAt }: Message,
  decisions: ReadonlyMap<string, Decision>,
): Outcome | null {
  const decided = (toolCalls ?? []).flatMap((call) => {
    const result = turn.messages.find((one) => one.toolCallId === call.id && one.runId === runId)
    const decision = decisions.get(decisionKey(runId, call.id))
    const isDecided = result ? result.approved !== undefined : decision !== undefined
    return isDecided ? [{ call, result, decision }] : []
  })
  const [first] = decided
  if (!first) return null
  const writes = decided.map(({ call, result, decision }) => written(call.name, result, decision))
  return {
    key: decisionKey(runId, first.call.id),
    runId: runId ?? null,
    approved: writes.some((write) => write.state !== 'denied'),
    at: first.decision ? new Date(first.decision.at).toISOString() : (first.result?.createdAt ?? createdAt),
    writes,
  }
}

function written(tool: string, result: Message | undefined, decision: Decision | undefined): Write {
  const { records: [record = null] = [], count = 1, remark = null } = result ?? {}
  return { tool, state: stateOf(result, decision), record, count, reason: remark }
}

function stateOf(result: Message | undefined, decision: Decision | undefined): Write['state'] {
  if (!result) return decision?.approved ? 'waiting' : 'denied'
  const { outcome } = result
  const isNamed =
    outcome === 'done' || outcome === 'denied' || outcome === 'conflict' || outcome === 'unknown'
  return isNamed ? outcome : 'failed'
}
