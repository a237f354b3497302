import { Stopped } from '../agent/journal.ts'
import { retryingUntil } from '../base/aws/retry.ts'
import type { Clock } from '../base/clock.ts'
import { VisibleError } from '../base/error.ts'
import * as Log from '../base/log.ts'
import * as Metric from '../base/metric/metric.ts'
import { metrics } from '../base/metric/name.ts'
import { followFor } from '../chat/next.ts'
import * as Claim from '../conversation/claim.ts'
import type * as Queue from '../conversation/queue.ts'
import * as Row from '../conversation/row.ts'
import * as UndoRow from '../conversation/transcript/undo-row.ts'
import type { Live } from '../live.ts'
import { breakOff, type JobResult } from './break-off.ts'
import { turn } from './turn.ts'

/** The limits of an invocation for its jobs. */
type JobOptions = {
  /** Milliseconds that the invocation has left; infinite for a worker. */
  remainingMs(): number
  /** Aborted when the process must end; each running turn is then handed over at its next step. */
  stopping?: AbortSignal
}

/**
 * Consumes a job: claims its conversation, works on the turn, and stores the end of the turn. Drops a job whose request
 * id is no longer the stored one. Rejects only if the end of the turn cannot be stored; cleanup then continues the
 * turn.
 */
export async function consume(live: Live, job: Queue.Job, options: JobOptions): Promise<JobResult> {
  const hold = await Claim.claim(job, live.clock.now())
  if (!hold) return 'lost'
  const { id, runId, httpRequestId: requestId } = hold.conversation
  const waited = Claim.waitedMs(hold.conversation)
  if (waited !== undefined) Metric.measure(metrics.queueWaitMs, waited)
  const retryTime = { now: live.clock.now, until: () => hold.beatAt + Claim.tableRetryMs }
  return Log.within({ conversationId: id, turn: runId, requestId }, async () => {
    const { result, first } = await retryingUntil(retryTime, () => runTurn(live, hold, options))
    // The turn has ended even if a later step here fails. The item then still has the undo rows to append, and cleanup
    // finds a waiting message.
    if (result !== 'lost')
      await appendUndos(hold).catch((cause) => Log.error('The row of an undo could not be appended', cause))
    if (result === 'done')
      await followFor(live.cms, hold.conversation, live.clock.now()).catch((cause) =>
        Log.error('A message that waits could not be sent', cause),
      )
    if (first)
      await writeTitle(live, first, options).catch((cause) =>
        Log.failure('A title could not be written', cause),
      )
    return result
  })
}

/** Appends the rows of an undo that were kept while the turn ran. */
async function appendUndos(hold: Claim.Hold): Promise<void> {
  hold.conversation = await UndoRow.appendKept(hold.conversation)
}

/** Lets a model write the title after the first answer. */
async function writeTitle(live: Live, first: NonNullable<Answered>, options: JobOptions): Promise<void> {
  const { giveTitle } = await import('./title.ts')
  const result = await giveTitle(live, first, options)
  if (result !== 'unwanted') Log.info('A title was asked for', { result })
}

/** The first answer of a conversation without a written title; undefined if this turn did not give it. */
type Answered = Awaited<ReturnType<typeof turn>>

/** The result of a job, with the first answer if the turn gave it. */
type JobEnd = { result: JobResult; first?: Answered }

async function runTurn(live: Live, hold: Claim.Hold, { remainingMs, stopping }: JobOptions): Promise<JobEnd> {
  const startedAt = live.clock.now()
  const stop = new AbortController()
  const over = new AbortController()
  const handOver = () => stop.abort(new Stopped('handover'))
  if (stopping?.aborted) handOver()
  stopping?.addEventListener('abort', handOver, { once: true })
  const watching = watch(hold, live.clock, stop, over.signal).catch((error) => stop.abort(error))
  try {
    const first = await turn(live, hold, { remainingMs, signal: stop.signal })
    return { result: report('done'), first }
  } catch (error) {
    return { result: report(await breakOff(live, hold, error)) }
  } finally {
    stopping?.removeEventListener('abort', handOver)
    over.abort()
    await watching
  }

  function report(result: JobResult): JobResult {
    const metric = counted[result]
    const { errorCode } = hold.conversation
    if (metric) Metric.count(metric, 1, result === 'failed' && errorCode ? { code: errorCode } : undefined)
    const ms = live.clock.now() - startedAt
    Metric.measure(metrics.turnMs, ms)
    Log.info('A turn ended', { ending: result, status: hold.conversation.status, ms })
    return result
  }
}

/** The metrics of the results. `lost` has no metric, because the new consumer of the turn counts it. */
const counted = {
  done: metrics.turnsDone,
  failed: metrics.turnsFailed,
  handedOver: metrics.turnsHandedOver,
  deferred: metrics.turnsDeferred,
  lost: undefined,
} as const

/** The time between two checks of the stored turn for a cancel or a lost claim, in milliseconds. */
const lookMs = 1_500

/**
 * Watches a turn until `over` is aborted. Sends a heartbeat every 20 seconds, and reads the row often enough to notice
 * a cancel within 2 seconds. Aborts `stop` when the turn must not go on.
 */
async function watch(
  hold: Claim.Hold,
  clock: Clock,
  stop: AbortController,
  over: AbortSignal,
): Promise<void> {
  let beatAt = clock.now()
  while (!over.aborted) {
    await clock.sleep(lookMs, over).catch(() => undefined)
    if (over.aborted) return
    const stored = await Claim.look(hold)
    if (stored !== 'mine') return stop.abort(new Stopped(stored))
    // Steps are signs of life too, but only a heartbeat moves the turn's entry in the list of busy turns.
    if (clock.now() - beatAt < Claim.heartbeatMs) continue
    beatAt = clock.now()
    if (!(await Claim.heartbeat(hold, beatAt))) return stop.abort(new Stopped('lost'))
  }
}

/**
 * Returns the job of a conversation that waits for a consumer, otherwise undefined. Rejects with
 * `conversation.notFound` if the conversation does not exist.
 */
export async function jobOf(conversationId: string): Promise<Queue.Job | undefined> {
  const conversation = await Row.read(conversationId)
  if (!conversation) throw new VisibleError('conversation.notFound')
  return conversation.status === 'processing'
    ? { conversationId, requestId: conversation.requestId }
    : undefined
}
