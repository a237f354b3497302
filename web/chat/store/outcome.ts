import type { Mark, Message, ToolCall } from '../../../core/transcript/schema.ts'
import { type Decision, decisionKey } from './conversation.ts'
import { remarkOf, resultText, type TurnRow } from './turns.ts'

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
  table: string
  /** null: a new record that is not there yet, or never will be. */
  uid: number | null
  arguments: Record<string, unknown>
  state: 'waiting' | 'done' | 'failed' | 'denied'
  /** Why the user denied it, as far as the transcript tells. */
  reason: string | null
}

/** Tools whose calls wait for a decision; the stage's status may name more. */
export const writingTools = ['update_record', 'create_page_draft', 'create_content_draft']

/** The decided proposals of a turn, in order. Calls that were never decided on (withdrawn, expired) are left out. */
export function outcomesOf(
  turn: TurnRow,
  decisions: ReadonlyMap<string, Decision>,
  writing: ReadonlySet<string>,
): Outcome[] {
  const results = new Map(turn.messages.flatMap((one) => (one.toolCallId ? [[one.toolCallId, one]] : [])))
  return turn.messages.flatMap((message) => {
    const calls = (message.toolCalls ?? []).filter((call) => writing.has(call.name))
    const decided = calls.flatMap((call) => {
      const decision = decisions.get(decisionKey(message.runId, call.id))
      const write = decide(call, results.get(call.id), decision)
      return write ? [write] : []
    })
    const [first] = calls
    if (!first || decided.length === 0) return []
    const at = decisions.get(decisionKey(message.runId, first.id))?.at
    return [
      {
        key: decisionKey(message.runId, first.id),
        runId: message.runId ?? null,
        approved: decided.some((write) => write.state !== 'denied'),
        at: at ? new Date(at).toISOString() : (results.get(first.id)?.createdAt ?? message.createdAt),
        writes: decided,
      },
    ]
  })
}

const denied: Mark = 'Denied by the user: '
const notRun: Mark = 'Not run: '
const unseen: Mark = 'was not found, or the user may not see it.'

/** Why a call has no result, by the words in which the stage tells the model; `failed` for all others. */
export function faultOf(result: string): 'denied' | 'notRun' | 'missing' | 'failed' {
  if (result.startsWith(denied)) return 'denied'
  if (result.startsWith(notRun)) return 'notRun'
  return result.includes(unseen) ? 'missing' : 'failed'
}

function decide(
  call: ToolCall,
  result: Message | undefined,
  decision: Decision | undefined,
): Write | undefined {
  if (!result) return decision && written(call, decision.approved ? 'waiting' : 'denied', null)
  const { content } = result
  if (!result.isError) return written(call, 'done', content)
  if (faultOf(resultText(content)) === 'denied') return written(call, 'denied', content)
  return decision?.approved ? written(call, 'failed', null) : undefined
}

function written({ name, arguments: args }: ToolCall, state: Write['state'], result: string | null): Write {
  const table =
    name === 'create_page_draft' ? 'pages' : name === 'create_content_draft' ? 'content' : args.table
  const created = /\b[a-z][a-z0-9_]* \[(\d+)\]|\[[a-z_]+:(\d+)\]|\[(\d+)\]/.exec(resultText(result ?? ''))
  const uid = typeof args.uid === 'number' ? args.uid : Number(created?.[1] ?? created?.[2] ?? created?.[3])
  const reason = result && remarkOf(result)
  return { tool: name, table: String(table), uid: uid > 0 ? uid : null, arguments: args, state, reason }
}
