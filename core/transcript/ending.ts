import type * as Table from '../aws/table.ts'
import { workedMs } from '../conversation/claim.ts'
import type { Conversation } from '../conversation/item.ts'
import * as Quota from '../conversation/quota.ts'
import type { Changes } from '../conversation/row.ts'
import type { FailureCode } from '../conversation/schema.ts'
import { isBusy } from '../conversation/state.ts'
import * as Pending from './pending.ts'
import type { Message } from './schema.ts'
import * as Transcript from './transcript.ts'

/** The state that a turn leaves behind, with what belongs to that state alone. */
type Outcome =
  | { status: 'idle' }
  | { status: 'failed'; errorCode: FailureCode; errorMessage: string }
  | { status: 'awaiting_approval'; proposal: Pending.Proposed }

/** How a turn ends or pauses. */
export type How = Outcome & {
  /** The last messages of the turn, stored together with its end. */
  messages?: Omit<Message, 'sequence'>[]
  /** Pending calls as stored now: the end removes them, decided or not. */
  pending?: Pending.Pending | undefined
}

/** What the end of a turn changes of the row, and the other writes of the same transaction. */
export type Ending = { changes: Changes & { messageCount: number }; writes: Table.Write[] }

/**
 * Every end of a turn: done, paused, failed, cancelled, cut off by an edit, put away. The caller stores both parts in
 * one transaction. Reserved tokens are not part of it: a caller that ends a busy turn gives them back first
 * (`Usage.release`), because cleanup looks for them only while the turn is busy.
 */
export function ending(it: Conversation, how: How, now: number): Ending {
  const { messages = [], pending } = how
  const isPaused = how.status === 'awaiting_approval'
  const isFailed = how.status === 'failed'
  const stored = isPaused ? Pending.store(it.id, how.proposal) : []
  // A decision must not outlive its turn: a later retry would carry out what the user approved long ago.
  const cleared = pending ? without(Pending.clear(it.id, pending), stored) : []
  return {
    changes: {
      status: how.status,
      errorCode: isFailed ? how.errorCode : undefined,
      errorMessage: isFailed ? how.errorMessage : undefined,
      awaitingUntil: isPaused ? how.proposal.until : undefined,
      cancelRequested: false,
      workedMs: it.status === 'locked' ? workedMs(it, now) : it.workedMs,
      messageCount: it.messageCount + messages.length,
      updatedAt: new Date(now).toISOString(),
    },
    writes: [
      ...Transcript.append(it, messages),
      ...stored,
      ...cleared,
      // Only a busy turn holds a place among the active conversations of its owner.
      ...(isBusy(it.status) ? [Quota.release(it.owner, it.id)] : []),
    ],
  }
}

/** A transaction may name an item once, so an item that is stored again is not deleted. */
function without(deletes: Table.Write[], puts: Table.Write[]): Table.Write[] {
  const kept = new Set(puts.map((write) => write.Put?.Item?.sk))
  return deletes.filter((write) => !kept.has(write.Delete?.Key?.sk))
}
