import * as z from 'zod'
import { item, json, members, number, type Of, optional, text, time } from '../base/aws/item.ts'
import type { Key, Row } from '../base/aws/table.ts'
import { StoredOutcome } from './write-outcome.ts'

/**
 * The stored form of a run: the run row, an item per step and an item per intended write, all in one partition that
 * names the owner. Details and outcomes are stored as JSON text, so that the table cannot refuse a number or a depth
 * that a model produced.
 */

const Usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
})

/** How the row of a run is stored. */
export const runCodec = item('run', 1, {
  owner: number('be_user'),
  runId: text('run_id'),
  conversationId: text('conversation_id'),
  startedAt: time('started_at'),
  /** Seconds since the epoch; undefined: kept until it is removed. */
  expiresAt: optional(number('expires_at')),
  /** Undos that have begun and are not reported yet, by the names that callers of `beginUndo` give. */
  undoing: optional(members('undoing')),
})

/** One turn's work, from its first model call to its end, pauses included. */
export type Run = Of<typeof runCodec.fields>

/** How a step is stored. */
export const stepCodec = item('step', 1, {
  number: number('number'),
  at: time('at'),
  detail: json('detail', z.record(z.string(), z.unknown()), {}),
})

/** A step as it was recorded: redacted, values beyond the cap cut. */
export type Step = Of<typeof stepCodec.fields>

/** How an intent is stored. */
export const intentCodec = item('intent', 1, {
  key: text('key'),
  callId: text('call_id'),
  tool: text('tool'),
  at: time('at'),
  /** Grows with the writes of a run; 0 for an intent of an earlier release. */
  order: number('number', 0),
  outcome: optional(json('outcome', StoredOutcome, { state: 'void' })),
})

/**
 * A write that was begun. `outcome` is undefined until a consumer stores it, and if it cannot be read: the CMS knows the
 * key and is asked again.
 */
export type Intent = Of<typeof intentCodec.fields>

/** The names of a run: its owner and its id. */
export type RunRef = Pick<Run, 'owner' | 'runId'>

/** The partition of a run and all that belongs to it. */
export const partition = ({ owner, runId }: RunRef) => `run#${owner}#${runId}`
/** Key of a run. */
export const runKey = (run: RunRef): Key => ({ pk: partition(run), sk: 'run' })
/** Key of a step of a run; steps sort by their number. */
export const stepKey = (run: RunRef, number: number): Key => ({
  pk: partition(run),
  sk: `step#${String(number).padStart(6, '0')}`,
})
/** Key of the intent of a write. */
export const intentKey = (run: RunRef, key: string): Key => ({ pk: partition(run), sk: `intent#${key}` })

/** The run of a row. Never throws, as the other ways to read; owner and id are those of the key. */
export function decodeRun(row: Row): Run {
  const [, owner, runId = ''] = String(row.pk).split('#')
  return { ...runCodec.decode(row), owner: Number(owner), runId }
}
/** The step of a row. */
export const decodeStep = (row: Row): Step => stepCodec.decode(row)
/** The intent of a row; its key is that of the item. */
export const decodeIntent = (row: Row): Intent => ({
  ...intentCodec.decode(row),
  key: String(row.sk).slice('intent#'.length),
})

/** The row of a new run. */
export const encodeRun = (run: Run): Row & Key => ({ ...runKey(run), ...runCodec.encode(run) })

/** The tokens that the model calls of these steps used together. */
export function usageOf(steps: Step[]): z.infer<typeof Usage> {
  const sum = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  for (const { detail } of steps) {
    const { data } = Usage.safeParse(detail.usage)
    for (const name of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) sum[name] += data?.[name] ?? 0
  }
  return sum
}

/** Id of the model that a step was a call of; empty for a step of an earlier release. */
export const modelOf = ({ model }: Record<string, unknown>): string =>
  typeof model === 'string' ? model : ''
