import type { Message, RecordName, ToolCall } from '../../../core/conversation/transcript/schema.ts'
import { type Decision, decisionKey } from './open-conversation.ts'
import type { TurnRow } from './turn-rows.ts'

/** The outcome of one proposal: the calls of one model reply that needed a decision. */
export type Outcome = {
  /** A key that stays the same from the decision to the last result. */
  key: string
  runId: string | null
  approved: boolean
  /** The time of the decision, ISO 8601; for a decision before the page was loaded, the time of its first result. */
  at: string
  writes: Write[]
}

export type Write = {
  tool: string
  /** `without`: the write was not made, because the new record that it needs was not created. */
  state: 'waiting' | 'done' | 'denied' | 'without' | 'conflict' | 'unknown' | 'failed'
  /** The record; null if no row names it yet, or if a new record was not created. */
  record: RecordName | null
  /** The number of changed fields. */
  count: number
  /** The user's words with the decision, if the transcript has them. */
  reason: string | null
  /** True if the user replaced the proposed words. */
  isReworded: boolean
}

/** Returns the outcome of a reply's calls; null if no call was decided (all withdrawn, expired, or still pending). */
export function outcomeOf(
  turn: TurnRow,
  { runId, toolCalls, createdAt }: Message,
  decisions: ReadonlyMap<string, Decision>,
): Outcome | null {
  const results = Map.groupBy(
    turn.messages.filter((one) => one.toolCallId !== undefined && one.runId === runId),
    ({ toolCallId = '' }) => toolCallId,
  )
  const decided = (toolCalls ?? []).filter(isProposal).flatMap((call) => {
    const singles = singlesOf(call).map(
      ({ id }): ProposedCall => ({
        id,
        tool: call.name,
        isOnNew: ['uid', 'page', 'parent'].some((name) => String(call.arguments[name]).startsWith('new:')),
        result: results.get(id)?.[0],
        decision: decisions.get(decisionKey(runId, id)),
      }),
    )
    const some = singles.filter(isDecided)
    // While a batch runs, the outcome also lists its calls that have no result yet.
    return some.length === 0 || results.has(call.id)
      ? some
      : [...some, ...singles.filter((one) => !isDecided(one))]
  })
  const [first] = decided
  if (!first) return null
  const writes = decided.map(written)
  return {
    key: decisionKey(runId, first.id),
    runId: runId ?? null,
    approved: writes.some((write) => write.state !== 'denied'),
    at: first.decision ? new Date(first.decision.at).toISOString() : (first.result?.createdAt ?? createdAt),
    writes,
  }
}

/** False for a question to the user, because the user answers it and does not approve it. */
const isProposal = ({ name }: ToolCall) => name !== askUser

/** The tool that asks the user. */
export const askUser = 'ask_user'

type ProposedCall = {
  id: string
  tool: string
  /** True if the call changes a record that another call of the reply creates, or a record below it. */
  isOnNew: boolean
  result: Message | undefined
  decision: Decision | undefined
}

const isDecided = ({ result, decision }: ProposedCall) =>
  result ? result.approved !== undefined : decision !== undefined

function written(call: ProposedCall): Write {
  const { records: [record = null] = [], count = 1, remark = null, edited } = call.result ?? {}
  return {
    tool: call.tool,
    state: stateOf(call),
    record,
    count,
    reason: remark,
    isReworded: edited !== undefined,
  }
}

function stateOf({ isOnNew, result, decision }: ProposedCall): Write['state'] {
  if (!result) return decision?.approved === false ? 'denied' : 'waiting'
  const { outcome } = result
  const isNamed =
    outcome === 'done' || outcome === 'denied' || outcome === 'conflict' || outcome === 'unknown'
  if (isNamed) return outcome
  return isOnNew && outcome === 'notRun' ? 'without' : 'failed'
}

/** Returns the id of the batch for the id of one call in it; returns any other id unchanged. */
export const batchOf = (id: string): string => id.replace(/#[0-9]+$/, '')

/**
 * Splits a call about many records into one call per record, as the user decided on them. For any other call, returns a
 * list with only this call.
 */
export function singlesOf<C extends Pick<ToolCall, 'id' | 'arguments'>>(call: C): C[] {
  const { changes, records } = call.arguments
  const parts = changes ?? records
  if (!Array.isArray(parts) || parts.length < 2) return [call]
  return parts.map((_, at) => ({ ...call, id: `${call.id}#${at}` }))
}
