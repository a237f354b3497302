import { schemaAttribute } from '../base/aws/item.ts'
import * as Table from '../base/aws/table.ts'
import { config } from '../base/config.ts'
import {
  decodeIntent,
  decodeRun,
  decodeStep,
  encodeRun,
  type Intent,
  intentCodec,
  intentKey,
  partition,
  type Run,
  type RunRef,
  runKey,
  type Step,
  stepCodec,
  stepKey,
} from './run-item.ts'
import { storable } from './storable.ts'
import type { StoredOutcome } from './write-outcome.ts'

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
  const isNew = await Table.put(encodeRun(run), {
    condition: 'attribute_not_exists(pk) OR expires_at <= :now',
    values: { ':now': now / 1000 },
  })
  const known = isNew ? undefined : await find(owner, runId, now)
  return known ?? decodeRun(encodeRun(run))
}

/** The run, if the owner has one of this id that is still kept. */
export async function find(owner: number, runId: string, now: number): Promise<Run | undefined> {
  const row = await Table.get(runKey({ owner, runId }))
  if (!row) return undefined
  const run = decodeRun(row)
  return run.expiresAt !== undefined && run.expiresAt <= now / 1000 ? undefined : run
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
  const { Put } = stepWrite(run, number, detail, now)
  const row = { TableName: config().table, Key: runKey(run) }
  await Table.transact([
    { Put: { ...Put, ConditionExpression: 'attribute_not_exists(pk)' } },
    { ConditionCheck: { ...row, ConditionExpression: 'attribute_exists(pk)' } },
  ])
}

/**
 * The write that records a step, to go into a transaction under the claim: that alone keeps a step from being recorded
 * twice, since no two claims share a number. What the run used is the sum over its steps: a sum in its row would cost
 * as much as the step.
 */
export function stepWrite(
  run: Run,
  number: number,
  detail: Record<string, unknown>,
  now: number,
): { Put: NonNullable<Table.Write['Put']> } {
  const item = {
    ...stepKey(run, number),
    number,
    at: new Date(now).toISOString(),
    detail: storable(detail),
    [schemaAttribute]: stepCodec.schema,
    expires_at: run.expiresAt,
  }
  return { Put: { TableName: config().table, Item: item } }
}

/** The recorded steps of a run in order. */
export async function steps(run: RunRef): Promise<Step[]> {
  const rows = await under(run, 'step#')
  return rows.map(decodeStep)
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
  const item = {
    ...intentKey(run, key),
    key,
    call_id: call.id,
    tool: call.tool,
    number: call.order,
    at: new Date(now).toISOString(),
    [schemaAttribute]: intentCodec.schema,
  }
  return { Put: { TableName: config().table, Item: item, ConditionExpression: 'attribute_not_exists(pk)' } }
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
  await Table.transact([
    {
      Delete: {
        TableName: config().table,
        Key: intentKey(run, key),
        ConditionExpression: 'attribute_not_exists(outcome)',
      },
    },
  ])
}

/** The intents of a run. Where an intent has no outcome, only the CMS knows whether the write happened. */
export async function intents(run: RunRef): Promise<Intent[]> {
  const rows = await under(run, 'intent#')
  return rows.map(decodeIntent)
}

/** Notes that an undo of the run begins, under a name for what it takes back; `endUndo` takes the note away. */
export async function beginUndo(run: RunRef, name: string): Promise<void> {
  await changeUndoing(run, { add: { undoing: new Set([name]) } })
}

/** Notes that the undos of the run under these names have their rows. */
export async function endUndo(run: RunRef, names: string[]): Promise<void> {
  await changeUndoing(run, { take: { undoing: new Set(names) } })
}

async function changeUndoing(run: RunRef, change: Pick<Table.Assignment, 'add' | 'take'>): Promise<void> {
  // A run that expired meanwhile is not begun again.
  await Table.assign(runKey(run), { ...change, condition: 'attribute_exists(pk)' })
}

/** Removes a run with all that belongs to it; its row last, so that what was interrupted can be repeated. */
export async function remove(owner: number, runId: string): Promise<void> {
  const run = { owner, runId }
  const rows = await under(run, '')
  const keys = rows.map((row) => ({ pk: partition(run), sk: String(row.sk) }))
  await Table.removeAll(keys.filter((key) => key.sk !== 'run'))
  await Table.removeAll([runKey(run)])
}

function under(run: RunRef, prefix: string): Promise<Table.Row[]> {
  return Table.all({
    KeyConditionExpression: prefix ? 'pk = :pk AND begins_with(sk, :prefix)' : 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partition(run), ...(prefix && { ':prefix': prefix }) },
  })
}
