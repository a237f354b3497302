import * as z from 'zod'
import { item, json, members, number, type Of, optional, text, time } from '../base/aws/item.ts'
import type { Key } from '../base/aws/table.ts'
import * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import { StoredOutcome, storable } from './write-outcome.ts'

/**
 * Stores the record of a turn's work. It holds what `activity` must not hold (arguments, results, usage, errors): one
 * item for each step, redacted and with an expiry. It also holds the intents that make each write happen at most once.
 * Every put succeeds only once, so a consumer can repeat a step after a crash without harm.
 */

/**
 * Returns the run with this id; stores a new run if none has the id. The run is kept for `retainDays` from its start;
 * null: until its conversation is removed.
 */
export async function start(
  owner: number,
  conversationId: string,
  runId: string,
  now: number,
  retainDays: number | null,
): Promise<Run> {
  const { expires_at: expiresAt } = Table.expiresAfter(retainDays, now)
  const startedAt = new Date(now).toISOString()
  const run = { owner, runId, conversationId, startedAt, expiresAt, undoing: undefined }
  const row = { ...runKey(run), ...runCodec.encode(run) }
  const isNew = await Table.put(row, {
    condition: 'attribute_not_exists(pk) OR expires_at <= :now',
    values: { ':now': now / 1000 },
  })
  return (isNew ? undefined : await find(owner, runId, now)) ?? run
}

/** Returns the owner's run with this id; undefined if it does not exist or has expired. */
export async function find(owner: number, runId: string, now: number): Promise<Run | undefined> {
  const row = await Table.get(runKey({ owner, runId }))
  if (!row) return undefined
  // Owner and id come from the key.
  const run = { ...runCodec.decode(row), owner, runId }
  return run.expiresAt !== undefined && run.expiresAt <= now / 1000 ? undefined : run
}

/** Returns the run if it belongs to this conversation; otherwise rejects with `run.notFound`. */
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
 * Records a step under its number in the run. Changes nothing if the run was removed. Also changes nothing if the
 * number is taken, so that no step is recorded twice.
 */
export async function step(
  run: Run,
  number: number,
  detail: Record<string, unknown>,
  now: number,
): Promise<void> {
  await Table.transact([
    stepWrite(run, number, detail, now, { condition: 'attribute_not_exists(pk)' }),
    Table.checkWrite(runKey(run), stillThere),
  ])
}

/**
 * Returns the write that records a step, for a transaction under the claim. The claim prevents a second record, because
 * no two claims share a number. The usage of a run is the sum over its steps: a total in its row would cost another
 * write.
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

/** Returns the recorded steps of a run in order. */
export async function steps(run: RunRef): Promise<Step[]> {
  const rows = await Table.below({ pk: partition(run), sk: 'step#' })
  // From the 1,000th claim on, numbers have more digits than the keys are padded to.
  return rows.map(stepCodec.decode).sort((one, other) => one.number - other.number)
}

/**
 * Returns the table write that stores, under `key`, the intent to make a CMS write. The caller stores the intent before
 * the CMS write; a turn does so in one transaction with its claim. The table write fails if the intent exists. An
 * intent without outcome never expires.
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

/** Stores once how an intended write ended, in the form that `kept` returns; false if an outcome is already stored. */
export async function conclude(
  run: RunRef & Pick<Run, 'expiresAt'>,
  key: string,
  outcome: StoredOutcome,
): Promise<boolean> {
  const write = Table.assignWrite(intentKey(run, key), {
    set: { outcome: JSON.stringify(outcome), expires_at: run.expiresAt },
    condition: 'attribute_exists(pk) AND attribute_not_exists(#outcome)',
  })
  return Table.writeOnce(write)
}

/** Removes the intent of a write that was not done, so that its key can be used again. */
export async function forget(run: RunRef, key: string): Promise<void> {
  await Table.remove(intentKey(run, key), { condition: 'attribute_not_exists(outcome)' })
}

/** Returns the intents of a run. For an intent without outcome, only the CMS knows whether the write happened. */
export async function intents(run: RunRef): Promise<Intent[]> {
  const rows = await Table.below({ pk: partition(run), sk: intentPrefix })
  return rows.map((row) => ({ ...intentCodec.decode(row), key: String(row.sk).slice(intentPrefix.length) }))
}

/** Stores that an undo of the run has begun. `name` says what is undone; `endUndo` removes the entry. */
export async function beginUndo(run: RunRef, name: string): Promise<void> {
  await Table.assign(runKey(run), { add: { undoing: new Set([name]) }, ...stillThere })
}

/** Notes that the undos with these names have their rows in the transcript. */
export async function endUndo(run: RunRef, names: string[]): Promise<void> {
  await Table.assign(runKey(run), { take: { undoing: new Set(names) }, ...stillThere })
}

/** Prevents the write from creating a run that expired meanwhile. */
const stillThere = { condition: 'attribute_exists(pk)' }

/** Removes a run with all its items; the run's row goes last, so that an interrupted removal can be repeated. */
export async function remove(owner: number, runId: string): Promise<void> {
  const place = runKey({ owner, runId })
  const keys = (await Table.below({ pk: place.pk })).map(({ sk }) => ({ pk: place.pk, sk: String(sk) }))
  await Table.removeAll(keys.filter(({ sk }) => sk !== place.sk))
  await Table.remove(place)
}

const Usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
})

/**
 * The stored form of a run's row. The run's partition names the owner, and also holds an item for each step and each
 * intended write. Details and outcomes are JSON text, so that the table refuses no number or depth from a model.
 */
export const runCodec = item('run', 1, {
  owner: number('be_user'),
  runId: text('run_id'),
  conversationId: text('conversation_id'),
  startedAt: time('started_at'),
  /** Seconds since the epoch; undefined: kept until it is removed. */
  expiresAt: optional(number('expires_at')),
  /** The undos that have begun and are not reported yet, by the names given to `beginUndo`. */
  undoing: optional(members('undoing')),
})

/** The work of one turn, from its first model call to its end, with pauses. */
export type Run = Of<typeof runCodec.fields>

/** The stored form of a step. */
export const stepCodec = item('step', 1, {
  number: number('number'),
  at: time('at'),
  detail: json('detail', z.record(z.string(), z.unknown()), {}),
})

/** A recorded step: redacted, with values beyond the limit cut. */
export type Step = Of<typeof stepCodec.fields>

/** The stored form of an intent. */
export const intentCodec = item('intent', 1, {
  key: text('key'),
  callId: text('call_id'),
  tool: text('tool'),
  at: time('at'),
  /** Grows with each write of a run; 0 for an intent of an earlier release. */
  order: number('number', 0),
  outcome: optional(json('outcome', StoredOutcome, { state: 'void' })),
})

/**
 * A write that was begun. `outcome` is undefined if it is not stored yet, or cannot be read. In both cases the CMS is
 * asked again with the same key.
 */
export type Intent = Of<typeof intentCodec.fields>

/** The owner and the id that identify a run. */
export type RunRef = Pick<Run, 'owner' | 'runId'>

/** Returns the partition of a run and all its items. */
export const partition = ({ owner, runId }: RunRef) => `run#${owner}#${runId}`
const runKey = (run: RunRef): Key => ({ pk: partition(run), sk: 'run' })
const intentPrefix = 'intent#'
const intentKey = (run: RunRef, key: string): Key => ({ pk: partition(run), sk: `${intentPrefix}${key}` })

/** Returns the sum of the tokens that the model calls of these steps used. */
export function usageOf(steps: Step[]): z.infer<typeof Usage> {
  const sum = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  for (const { detail } of steps) {
    const { data } = Usage.safeParse(detail.usage)
    for (const name of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) sum[name] += data?.[name] ?? 0
  }
  return sum
}

/** Returns the id of the model that a step called; empty for other steps and steps of an earlier release. */
export const modelOf = ({ model }: Record<string, unknown>): string =>
  typeof model === 'string' ? model : ''
