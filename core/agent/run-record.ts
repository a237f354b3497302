import * as z from 'zod'
import { item, json, members, number, type Of, optional, text, time } from '../base/aws/item.ts'
import type { Key } from '../base/aws/table.ts'
import * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import { StoredOutcome, storable } from './write-outcome.ts'

/**
 * The record of a turn's work: what `activity` must not hold (arguments, results, usage, errors), each step an item of
 * its own, redacted, with an expiry; and the intents by which a write happens at most once. Every put succeeds only
 * once, so that a consumer that repeats a step after a crash does no harm.
 */

/**
 * The run of this id, begun now if there was none. Kept for `retainDays` from its start, null: until it is removed with
 * its conversation.
 */
export async function start(
  owner: number,
  conversationId: string,
  runId: string,
  now: number,
  retainDays: number | null,
): Promise<Run> {
  const expiresAt = retainDays === null ? undefined : Math.ceil(now / 1000) + retainDays * 86_400
  const startedAt = new Date(now).toISOString()
  const run = { owner, runId, conversationId, startedAt, expiresAt, undoing: undefined }
  const row = { ...runKey(run), ...runCodec.encode(run) }
  const isNew = await Table.put(row, {
    condition: 'attribute_not_exists(pk) OR expires_at <= :now',
    values: { ':now': now / 1000 },
  })
  return (isNew ? undefined : await find(owner, runId, now)) ?? run
}

/** The run, if the owner has one of this id that is still kept. */
export async function find(owner: number, runId: string, now: number): Promise<Run | undefined> {
  const row = await Table.get(runKey({ owner, runId }))
  if (!row) return undefined
  // Owner and id are those of the key.
  const run = { ...runCodec.decode(row), owner, runId }
  return run.expiresAt !== undefined && run.expiresAt <= now / 1000 ? undefined : run
}

/** The run, if it is one of this conversation. Throws `run.notFound`. */
export async function ofConversation(
  owner: number,
  conversationId: string,
  runId: string,
  now: number,
): Promise<Run> {
  const run = await find(owner, runId, now)
  if (run?.conversationId !== conversationId) throw new VisibleError('run.notFound')
  return run
}

/**
 * Records a step under its number within the run. A number that is taken is left as it is, so nothing is recorded
 * twice; a run that was removed records nothing more.
 */
export async function step(
  run: Run,
  number: number,
  detail: Record<string, unknown>,
  now: number,
): Promise<void> {
  await Table.transact([
    stepWrite(run, number, detail, now, { condition: 'attribute_not_exists(pk)' }),
    Table.checkWrite(runKey(run), { condition: 'attribute_exists(pk)' }),
  ])
}

/**
 * The write that records a step, for a transaction under the claim. The claim alone keeps a step from being recorded
 * twice: no two claims share a number. The usage of a run is the sum over its steps: a total in its row would cost as
 * much as the step.
 */
export function stepWrite(
  run: Run,
  number: number,
  detail: Record<string, unknown>,
  now: number,
  condition: Table.Condition = {},
): Table.Write {
  const key = { pk: partition(run), sk: `step#${String(number).padStart(6, '0')}` }
  const step = { number, at: new Date(now).toISOString(), detail: storable(detail) }
  return Table.putWrite({ ...key, ...stepCodec.encode(step), expires_at: run.expiresAt }, condition)
}

/** The recorded steps of a run in order. */
export async function steps(run: RunRef): Promise<Step[]> {
  return (await Table.below({ pk: partition(run), sk: 'step#' })).map(stepCodec.decode)
}

/**
 * The write that stores, before a write in the CMS, that it is about to happen under `key`; it goes into a transaction
 * with the claim, and fails when the intent is there already. An open intent never expires.
 */
export function intention(
  run: RunRef,
  call: { id: string; tool: string; order: number },
  key: string,
  now: number,
): Table.Write {
  const { id: callId, tool, order } = call
  const intent = { key, callId, tool, order, at: new Date(now).toISOString(), outcome: undefined }
  return Table.putWrite(
    { ...intentKey(run, key), ...intentCodec.encode(intent) },
    { condition: 'attribute_not_exists(pk)' },
  )
}

/** Stores how an intended write ended, as `kept` leaves its outcome, once; false: the first one stays. */
export async function conclude(
  run: RunRef & Pick<Run, 'expiresAt'>,
  key: string,
  outcome: StoredOutcome,
): Promise<boolean> {
  return Table.assign(intentKey(run, key), {
    set: { outcome: JSON.stringify(outcome), expires_at: run.expiresAt },
    condition: 'attribute_exists(pk) AND attribute_not_exists(#outcome)',
  })
}

/** Removes the intent of a write that was not done, so that its key can be intended again. */
export async function forget(run: RunRef, key: string): Promise<void> {
  await Table.remove(intentKey(run, key), { condition: 'attribute_not_exists(outcome)' })
}

/** The intents of a run. Where an intent has no outcome, only the CMS knows whether the write happened. */
export async function intents(run: RunRef): Promise<Intent[]> {
  const rows = await Table.below({ pk: partition(run), sk: intentPrefix })
  return rows.map((row) => ({ ...intentCodec.decode(row), key: String(row.sk).slice(intentPrefix.length) }))
}

/** Notes that an undo of the run begins, under a name for what it takes back; `endUndo` takes the note away. */
export async function beginUndo(run: RunRef, name: string): Promise<void> {
  await Table.assign(runKey(run), { add: { undoing: new Set([name]) }, ...stillThere })
}

/** Notes that the undos of the run under these names have their rows. */
export async function endUndo(run: RunRef, names: string[]): Promise<void> {
  await Table.assign(runKey(run), { take: { undoing: new Set(names) }, ...stillThere })
}

/** A run that expired meanwhile is not begun again. */
const stillThere = { condition: 'attribute_exists(pk)' }

/** Removes a run with all that belongs to it; its row last, so that what was interrupted can be repeated. */
export async function remove(owner: number, runId: string): Promise<void> {
  const place = runKey({ owner, runId })
  const keys = (await Table.below({ pk: place.pk })).map(({ sk }) => ({ pk: place.pk, sk: String(sk) }))
  await Table.removeAll(keys.filter(({ sk }) => sk !== place.sk))
  await Table.remove(place)
}

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
const runKey = (run: RunRef): Key => ({ pk: partition(run), sk: 'run' })
const intentPrefix = 'intent#'
const intentKey = (run: RunRef, key: string): Key => ({ pk: partition(run), sk: `${intentPrefix}${key}` })

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
