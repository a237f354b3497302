import type { Activity, Progress } from '../../../core/conversation/schema.ts'
import type { CallOutcome, Message } from '../../../core/conversation/transcript/schema.ts'
import { askUser, batchOf, singlesOf } from './outcome.ts'
import { isNotice, resultText, type TurnRow } from './turn-rows.ts'

export type ModelStep = {
  kind: 'llm'
  ms: number
  /** True if the step ended with the answer, false if it ended with calls. */
  isFinal: boolean
  /** The id of the model that answered in place of the configured one; null if the configured model answered. */
  standIn: string | null
  error: string | null
  /** True if the model declined to answer. */
  isRefused: boolean
}
export type ToolStep = {
  kind: 'tool'
  ms: number
  callId: string
  tool: string
  arguments: Record<string, unknown>
  /** The text that the model got; null before the result. */
  result: string | null
  /** The outcome; null if the call still runs or never ran. */
  outcome: CallOutcome | null
  error: string | null
  /** The progress of a call about many records: the number of its results, or of the records that it has read. */
  progress: { n: number; total: number; of: 'results' | 'records' } | null
}
export type Step = ModelStep | ToolStep

/**
 * Returns the steps of a turn, in order. Times come from the activity of this turn if it is known, else from the rows.
 */
export function stepsOf(
  turn: TurnRow,
  activity: readonly Activity[] = [],
  progress: Progress | null = null,
): Step[] {
  const steps = fromMessages(turn)
  for (const step of steps) {
    if (step.kind === 'tool' && step.callId === progress?.call && step.result === null)
      step.progress = { n: progress.n, total: progress.total, of: 'records' }
  }
  return [...steps, ...applyActivity(steps, activity).map(ofActivity)]
}

/** Returns the total time of the steps, in milliseconds, without the wait for a decision. */
export const totalMs = (steps: readonly Step[]): number => steps.reduce((sum, step) => sum + step.ms, 0)

function fromMessages(turn: TurnRow): Step[] {
  const results = Map.groupBy(turn.messages, ({ toolCallId = '' }) => batchOf(toolCallId))
  const steps: Step[] = []
  let before = turn.askedAt
  for (const message of turn.messages) {
    const ms = millisecondsBetween(before, message.createdAt)
    if (message.role === 'assistant' && !isNotice(message)) {
      const { toolCalls = [] } = message
      steps.push({ ...usual, ms, isFinal: toolCalls.length === 0 })
      for (const call of toolCalls) steps.push(toolStep(call, results.get(call.id) ?? []))
    }
    if (message.notice === 'refused') steps.push({ ...usual, ms, isRefused: true })
    if (message.role === 'tool') {
      const callId = batchOf(message.toolCallId ?? '')
      const step = steps.find((known) => known.kind === 'tool' && known.callId === callId)
      // The result of a call that needed a decision or an answer came after the wait for the user.
      const isAwaited =
        message.approved !== undefined || message.outcome === 'notRun' || message.toolName === askUser
      if (step && !isAwaited) step.ms = ms
    }
    // A notice is stored together with the answer below it, so it has no time of its own.
    if (!isNotice(message)) before = message.createdAt
  }
  return steps
}

/** The default values of a model step. */
const usual: ModelStep = { kind: 'llm', ms: 0, isFinal: false, standIn: null, error: null, isRefused: false }

function toolStep(call: NonNullable<Message['toolCalls']>[number], results: readonly Message[]): ToolStep {
  const total = singlesOf(call).length
  const whole = results.find(({ toolCallId }) => toolCallId === call.id)
  const isOver = whole !== undefined || results.length >= total
  const texts = results.map(({ content }) => resultText(content))
  const decisive = results.find(({ outcome = 'done' }) => outcome !== 'done') ?? results[0]
  return {
    kind: 'tool',
    ms: 0,
    callId: call.id,
    tool: call.name,
    arguments: call.arguments,
    result: isOver ? texts.slice(0, mostResults).join('\n') : null,
    outcome: isOver ? (decisive?.outcome ?? 'done') : null,
    error: null,
    progress: total > 1 ? { n: results.length, total, of: 'results' } : null,
  }
}

/** The maximum number of results that a call about many records shows. */
const mostResults = 20

/** Gives each step the time, error and model of its activity entry. Returns the entries newer than all steps. */
function applyActivity(steps: Step[], activity: readonly Activity[]): Activity[] {
  let entries = activity.filter((entry) => entry.kind !== 'approval')
  if (steps.length === 0) return entries
  let rest: Activity[] | undefined
  for (const step of steps.toReversed()) {
    if (step.kind === 'tool' && step.result === null) continue
    const index = entries.findLastIndex((entry) => belongs(entry, step))
    const entry = entries[index]
    if (!entry) break
    step.ms = entry.ms
    step.error = entry.error ?? null
    if (step.kind === 'llm') step.standIn = entry.model ?? null
    rest ??= entries.slice(index + 1)
    entries = entries.slice(0, index)
  }
  return rest ?? []
}

const belongs = (entry: Activity, step: Step) =>
  step.kind === 'llm' ? entry.kind === 'llm' && !entry.error : entry.tool === step.tool

function ofActivity(entry: Activity): Step {
  const { ms, error = null, model: standIn = null } = entry
  if (entry.kind === 'llm') return { ...usual, ms, standIn, error }
  const call = { id: '', name: entry.tool ?? '', arguments: {} }
  return { ...toolStep(call, []), ms, outcome: error === null ? null : 'failed', error }
}

function millisecondsBetween(from: string | null, to: string): number {
  return from === null ? 0 : Math.max(0, Date.parse(to) - Date.parse(from))
}
