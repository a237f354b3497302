import * as Table from '../../base/aws/table.ts'
import type { Settled } from '../../chat/doubt.ts'
import * as Claim from '../../conversation/claim.ts'
import { type Conversation, still } from '../../conversation/item.ts'
import * as Queue from '../../conversation/queue.ts'
import * as Row from '../../conversation/row.ts'
import type { FailureCode } from '../../conversation/schema.ts'
import { ending, failureWrites } from '../../conversation/transcript/ending.ts'
import * as Transcript from '../../conversation/transcript/transcript.ts'
import * as UndoRow from '../../conversation/transcript/undo-row.ts'
import { stuckMs } from '../../conversation/turn-failure.ts'
import * as Usage from '../../stage/usage/usage.ts'
import { ago, busyUntil, count, type Step } from './queries.ts'

/**
 * The steps of cleanup for turns that no consumer works on. Each step decides by the row that it read, and writes only
 * if the row still has this version. So it disturbs neither a turn that is still alive nor a second cleanup.
 */

/** The time without a consumer, in milliseconds, after which a turn has probably lost its queue message. */
const lostMessageMs = 60_000

const silence = (conversation: Conversation, now: number) => now - Date.parse(Claim.lastSign(conversation))

/** Sends queue messages again for turns that no consumer has claimed for a minute. */
export function requeue(now: number): Step {
  const isLost = (conversation: Conversation) =>
    conversation.status === 'processing' && silence(conversation, now) <= stuckMs
  return {
    find: (limit) => busyUntil(ago(now, lostMessageMs), limit, isLost),
    act: async (conversation) => {
      await Queue.sendTurn(conversation, conversation.requestId)
      return true
    },
  }
}

/** Gives turns whose consumer has been silent for 90 seconds to another consumer, at most twice for each turn. */
export function resume(now: number): Step {
  const hasLapsed = (conversation: Conversation) =>
    conversation.status === 'locked' &&
    silence(conversation, now) <= stuckMs &&
    conversation.lapses < Claim.maxLapses
  return {
    find: (limit) => busyUntil(ago(now, Claim.leaseMs), limit, hasLapsed),
    act: (conversation) => hand(conversation, now),
  }
}

/**
 * Queues the turns of an earlier start of the stage again, because its consumers are gone. The time between the starts
 * does not count as work.
 */
export async function takeOver(now: number): Promise<number> {
  const found = await busyUntil(new Date(now).toISOString(), 1_000)
  return count(
    found.filter(
      ({ status, lapses }) => status === 'processing' || (status === 'locked' && lapses < Claim.maxLapses),
    ),
    (conversation) => hand(conversation, now),
  )
}

/** Supplies the sentence for a failed turn, and the outcome of its last write. */
type Telling = {
  /** Returns the sentence for the owner in their language. */
  sentence(code: FailureCode, owner: number): Promise<string>
  /** Settles the write that the last consumer had begun; undefined if that is not possible now. */
  settle(conversation: Conversation, key: string): Promise<Settled | undefined>
}

/**
 * Sets turns without progress for more than `stuckMs` to `failed` (specification, States and transitions). Also adds
 * the outcome of a write that had begun to the transcript. If the CMS does not answer, the next turn adds the outcome.
 */
export function fail(now: number, telling: Telling): Step {
  const isStuck = (conversation: Conversation) => silence(conversation, now) > stuckMs
  return {
    find: (limit) => busyUntil(ago(now, stuckMs), limit, isStuck),
    act: (conversation) => failTurn(conversation, telling, now),
  }
}

async function failTurn(
  conversation: Conversation,
  { sentence, settle }: Telling,
  now: number,
): Promise<boolean> {
  const { owner, runId, writing } = conversation
  const errorCode = conversation.status === 'processing' ? 'turn.notStarted' : 'turn.stuck'
  const pending = conversation.awaitingUntil ? (await Transcript.beside(conversation)).pending : undefined
  // Releases the usage before the row changes: if a cleanup dies between the two, the next cleanup finds the turn
  // again.
  const { isCounted } = await Usage.release(owner, runId, now)
  const counted = failureWrites(conversation, { model: '', isCounted }, now)
  const settled = writing === undefined ? undefined : await settle(conversation, writing)
  const { messages, writes: noted } = settled ?? { messages: [], writes: [] }
  const errorMessage = await sentence(errorCode, owner)
  const failed = { status: 'failed', errorCode, errorMessage, messages, pending } as const
  const { changes, writes } = ending(conversation, failed, now)
  const requestId = Claim.newRequestId()
  const all = { ...changes, ...(settled && { writing: undefined }), requestId }
  const { write } = Row.change(conversation, all, isSilent(conversation))
  const { done } = await Table.transact([write, ...writes, ...noted, ...counted])
  const failedRow = done && conversation.undoRows.length > 0 ? await Row.read(conversation.id) : undefined
  if (failedRow) await UndoRow.appendKept(failedRow)
  return done
}

/** Queues a turn again, for the next consumer. */
async function hand(conversation: Conversation, now: number): Promise<boolean> {
  const queued = Claim.enqueue(now)
  const isLapse = conversation.status !== 'processing'
  const changes = {
    ...queued,
    // A turn that no consumer took keeps its place in the queue.
    ...(!isLapse && { queuedAt: conversation.queuedAt }),
    lapses: conversation.lapses + (isLapse ? 1 : 0),
    workedMs: isLapse
      ? Claim.workedMs(conversation, Date.parse(conversation.progressAt))
      : conversation.workedMs,
  }
  const { write } = Row.change(conversation, changes, isSilent(conversation))
  const done = await Table.writeOnce(write)
  if (done) await Queue.sendTurn(conversation, queued.requestId)
  return done
}

/**
 * Returns the condition that the last sign of life is the one that was read; a heartbeat does not change the version.
 */
const isSilent = (conversation: Conversation) => still(conversation, 'progress_at', conversation.progressAt)
