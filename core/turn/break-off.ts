import { Stopped } from '../agent/journal.ts'
import { TableUnavailable } from '../base/aws/retry.ts'
import type * as Table from '../base/aws/table.ts'
import * as Log from '../base/log.ts'
import { rowsOfStop } from '../chat/cancel.ts'
import { CmsFailure } from '../cms/cms.ts'
import * as Claim from '../conversation/claim.ts'
import * as Queue from '../conversation/queue.ts'
import * as Row from '../conversation/row.ts'
import { type FailureCode, isBusy } from '../conversation/schema.ts'
import { ending, failureWrites, type How } from '../conversation/transcript/ending.ts'
import * as Transcript from '../conversation/transcript/transcript.ts'
import { Failure, sentenceOf } from '../conversation/turn-failure.ts'
import type { Live } from '../live.ts'
import { ModelError } from '../model/model.ts'
import * as Usage from '../stage/usage/usage.ts'

/** The result of a job. `lost`: another consumer has or had the turn. */
export type JobResult = 'done' | 'failed' | 'handedOver' | 'deferred' | 'lost'

/** Stores the end of a turn whose work threw an error, and returns the result of the job. */
export async function breakOff(live: Live, hold: Claim.Hold, error: unknown): Promise<JobResult> {
  if (error instanceof Stopped && error.reason === 'lost') {
    Log.warn('A consumer lost its claim and stopped')
    await abandon(live, hold)
    return 'lost'
  }
  const { owner, runId } = hold.conversation
  const { isCounted } = await Usage.release(owner, runId, live.clock.now())
  if (!(error instanceof Stopped)) return fail(live, hold, error, isCounted)
  if (error.reason === 'cancelled') return cancelled(live, hold)
  if (error.reason === 'deferred') return defer(live, hold, error)
  if (error.reason === 'handover' && hold.conversation.handovers < Claim.maxHandovers)
    return handOver(live, hold)
  return fail(live, hold, new Failure('turn.tooLong', 'The turn took too long.'), isCounted)
}

/** Releases the run's reserved tokens unless another consumer still works on the run. */
async function abandon(live: Live, { conversation }: Claim.Hold): Promise<void> {
  const stored = await Row.read(conversation.id)
  if (stored?.runId === conversation.runId && isBusy(stored.status)) return
  await Usage.release(conversation.owner, conversation.runId, live.clock.now())
}

async function fail(live: Live, hold: Claim.Hold, error: unknown, isCounted: boolean): Promise<JobResult> {
  const errorCode = codeOf(error)
  Log.failure('A turn failed', error, { code: errorCode })
  const technical = hasCode(error) ? error.message : undefined
  const counted = failureWrites(hold.conversation, { model: hold.model, isCounted }, live.clock.now())
  const how = async (actor: Reader): Promise<How> => ({
    status: 'failed',
    errorCode,
    errorMessage: sentenceOf(errorCode, actor, technical),
  })
  return (await storeEnd(live, hold, how, counted)) ? 'failed' : 'lost'
}

/** True for an error with a code for the user and technical words for administrators. */
function hasCode(error: unknown): error is Failure | ModelError | CmsFailure {
  return error instanceof Failure || error instanceof ModelError || error instanceof CmsFailure
}

function codeOf(error: unknown): FailureCode {
  if (hasCode(error)) return error.code
  if (error instanceof TableUnavailable) return 'table.unavailable'
  return 'internal.error'
}

async function cancelled(live: Live, hold: Claim.Hold): Promise<JobResult> {
  const how = async ({ lang }: Reader, now: number): Promise<How> => ({
    status: 'idle',
    messages: await rowsOfStop(hold.conversation, lang, now),
  })
  return (await storeEnd(live, hold, how)) ? 'done' : 'lost'
}

/** The owner of a turn, as far as the end of the turn depends on them. */
type Reader = Parameters<typeof sentenceOf>[1]

/** Stores the end of the turn under the claim; false when the claim is lost. */
async function storeEnd(
  { clock, cms }: Live,
  hold: Claim.Hold,
  howFor: (actor: Reader, now: number) => Promise<How>,
  others: Table.Write[] = [],
): Promise<boolean> {
  const actor = await cms.user(hold.conversation.owner).catch(() => undefined)
  // The table may have done the last transaction although its answer was lost.
  if (!(await Claim.refresh(hold))) return false
  const { conversation } = hold
  const now = clock.now()
  const how = await howFor(actor ?? { lang: 'en', isAdmin: false }, now)
  const pending = conversation.awaitingUntil ? (await Transcript.beside(conversation)).pending : undefined
  const { changes, writes } = ending(conversation, { ...how, pending }, now)
  return Claim.save(hold, changes, [...writes, ...others], now)
}

/** Queues the same turn and run again, with a new request id, for the next invocation. */
async function handOver(live: Live, hold: Claim.Hold): Promise<JobResult> {
  const now = live.clock.now()
  const changes = { ...Claim.enqueue(now), handovers: hold.conversation.handovers + 1 }
  return (await queueAgain(hold, changes, now)) ? 'handedOver' : 'lost'
}

/**
 * Queues the same turn and run again for `until`, in milliseconds since the epoch, so that no consumer waits. At
 * `until`, the turn may call its model; if `isBooked` is false, it may book the call. Returns `lost` when the claim is
 * lost.
 */
async function defer(
  { clock }: Pick<Live, 'clock'>,
  hold: Claim.Hold,
  { until, isBooked }: Pick<Stopped, 'until' | 'isBooked'>,
): Promise<JobResult> {
  const now = clock.now()
  const delayed = async () => {
    // The user may have cancelled the turn before it was queued again; then a consumer must end it at once.
    const stored = await Row.read(hold.conversation.id)
    return stored?.cancelRequested ? 0 : Math.ceil(Math.max(0, until - now) / 1000)
  }
  return (await queueAgain(hold, Claim.defer(until, isBooked), now, delayed)) ? 'deferred' : 'lost'
}

/** Stores the changes and queues the turn after a delay in seconds; false when the claim is lost. */
async function queueAgain(
  hold: Claim.Hold,
  changes: ReturnType<typeof Claim.enqueue>,
  now: number,
  delay?: () => Promise<number>,
): Promise<boolean> {
  const { conversation } = hold
  const worked = { ...changes, workedMs: Claim.workedMs(conversation, now) }
  if (!(await Claim.save(hold, worked, [], now))) return false
  await Queue.sendTurn(conversation, changes.requestId, await delay?.())
  return true
}
