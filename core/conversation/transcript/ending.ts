import type * as Table from '../../base/aws/table.ts'
import * as Usage from '../../stage/usage/usage.ts'
import { workedMs } from '../claim.ts'
import { bornAt, type Conversation } from '../item.ts'
import * as Quota from '../quota.ts'
import type { Changes } from '../row.ts'
import { type FailureCode, isBusy } from '../schema.ts'
import { notice } from './notice.ts'
import * as Pending from './pending.ts'
import { resultRow } from './result.ts'
import { approvalExpiryDays, type Message, notRun } from './schema.ts'
import * as Transcript from './transcript.ts'

/** The state after a turn, with the values that only this state has. */
type Outcome =
  | { status: 'idle' }
  | { status: 'failed'; errorCode: FailureCode; errorMessage: string }
  | { status: 'awaiting_approval'; proposal: Pending.Proposed }

/** The end or pause of a turn. */
export type How = Outcome & {
  /** The last messages of the turn, stored together with its end. */
  messages?: Omit<Message, 'sequence'>[]
  /** The stored pending calls. The end of the turn removes them, even if no decision was made. */
  pending?: Pending.Pending | undefined
}

/** The changes of the conversation's row at the end of a turn, and the other writes of the same transaction. */
export type Ending = { changes: Changes & { messageCount: number }; writes: Table.Write[] }

/**
 * Builds every end of a turn: done, paused, failed, cancelled, or cut off because the conversation is edited, archived
 * or deleted. The caller stores both parts in one transaction. The writes do not release reserved tokens. A caller that
 * ends a busy turn releases them first (`Usage.release`): cleanup looks for them only during the turn.
 */
export function ending(conversation: Conversation, how: How, now: number): Ending {
  const { pending } = how
  const at = new Date(now).toISOString()
  const isPaused = how.status === 'awaiting_approval'
  const isFailed = how.status === 'failed'
  const stored = isPaused ? Pending.store(conversation.id, how.proposal) : []
  // A retry of an undo continues only the undo, not the proposal that waited behind it.
  const lost = isFailed && conversation.undoing !== undefined ? pending : undefined
  const messages = [...(how.messages ?? []), ...(lost ? dismiss(lost, 'failed', 'en', at) : [])]
  // A decision must not outlive its turn: a later retry would run calls that the user approved long ago.
  const cleared = pending ? without(Pending.clear(conversation.id, pending), stored) : []
  return {
    changes: {
      status: how.status,
      errorCode: isFailed ? how.errorCode : undefined,
      errorMessage: isFailed ? how.errorMessage : undefined,
      awaitingUntil: isPaused ? how.proposal.until : undefined,
      cancelRequested: false,
      // A retry continues an undo that failed.
      undoing: isFailed ? conversation.undoing : undefined,
      workedMs: conversation.status === 'locked' ? workedMs(conversation, now) : conversation.workedMs,
      messageCount: conversation.messageCount + messages.length,
      updatedAt: at,
    },
    writes: [
      ...Transcript.append(conversation, messages),
      ...stored,
      ...cleared,
      // Only a busy turn holds a place among the active conversations of its owner.
      ...(isBusy(conversation.status) ? [Quota.release(conversation.owner, conversation.id)] : []),
    ],
  }
}

/** Returns the writes that count a failed turn in its owner's usage. */
export function failureWrites(
  { owner, runId, undoing }: Conversation,
  failure: { model: string; isCounted: boolean },
  now: number,
): Table.Write[] {
  // An undo is no turn of its own.
  return undoing ? [] : [Usage.failure(owner, { runId, begunAt: bornAt(runId), ...failure }, now)]
}

/** Returns the deletes, except of items that are stored again, because a transaction may name each item only once. */
function without(deletes: Table.Write[], puts: Table.Write[]): Table.Write[] {
  const kept = new Set(puts.map((write) => write.Put?.Item?.sk))
  return deletes.filter((write) => !kept.has(write.Delete?.Key?.sk))
}

/** The reasons why proposed calls will never run. */
export type Reason = 'superseded' | 'cancelled' | 'expired' | 'archived' | 'deleted' | 'failed'

const texts: Record<Reason, string> = {
  superseded: `${notRun}the user wrote a new message instead of deciding. Do not assume that anything changed.`,
  cancelled: `${notRun}the user stopped the turn before this call. It changed nothing.`,
  expired: `${notRun}the user did not decide within ${approvalExpiryDays} days. Nothing changed.`,
  archived: `${notRun}the user archived the conversation before deciding. Nothing changed.`,
  deleted: `${notRun}the user deleted the conversation before deciding. Nothing changed.`,
  failed: `${notRun}an undo failed before the user decided. Nothing changed.`,
}

/**
 * Returns the rows that end a proposal without a decision. Every open call gets a result, because every call needs one.
 * For some reasons, the user also gets a notice.
 */
export function dismiss(
  pending: Pick<Pending.Pending, 'open' | 'runId'> & Partial<Pick<Pending.Pending, 'calls'>>,
  reason: Reason,
  lang: string,
  at: string,
): Omit<Message, 'sequence'>[] {
  const result = { text: texts[reason], isError: true, outcome: 'notRun' } as const
  const results = pending.open.map((call) => resultRow(call, result, at, pending.runId))
  const isQuestion = pending.calls?.some(({ question }) => question) ?? false
  if (reason === 'failed') return results
  // The result row of a question says that it has no answer; only a stopped turn also gets a notice.
  if (isQuestion && reason !== 'cancelled') return results
  return [...results, notice(reason, lang, at, pending.runId)]
}
