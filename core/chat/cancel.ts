import type { Actor } from '../base/actor.ts'
import * as Claim from '../conversation/claim.ts'
import { type Conversation, summary } from '../conversation/item.ts'
import * as Row from '../conversation/row.ts'
import type { Summary } from '../conversation/schema.ts'
import { dismiss, ending } from '../conversation/transcript/ending.ts'
import { isReply } from '../conversation/transcript/notice.ts'
import { batches, type Message } from '../conversation/transcript/schema.ts'
import * as Transcript from '../conversation/transcript/transcript.ts'
import * as UndoRow from '../conversation/transcript/undo-row.ts'
import * as Usage from '../stage/usage/usage.ts'
import { openCalls } from './open-calls.ts'

/**
 * Stops a turn; does nothing if no turn runs or waits. A turn that no consumer works on ends at once. Otherwise only
 * `cancelRequested` is stored, and the consumer stops at its next step. The same holds for a turn with a write of
 * unknown outcome, which a consumer must settle first. It also holds for an undo, whose consumer restores the state
 * before the undo.
 */
export async function cancel(actor: Actor, conversation: Conversation, now: number): Promise<Summary> {
  const ended = await Row.contend(conversation, (current) => cancelOnce(actor, current, now))
  return summary(await UndoRow.appendKept(ended))
}

async function cancelOnce(
  actor: Actor,
  conversation: Conversation,
  now: number,
): Promise<Conversation | undefined> {
  Row.refuseDeleted(conversation)
  if (conversation.status === 'idle' || conversation.status === 'failed') return conversation
  if (
    conversation.status === 'locked' ||
    conversation.writing !== undefined ||
    conversation.undoing !== undefined
  ) {
    return conversation.cancelRequested
      ? conversation
      : Row.store(conversation, { cancelRequested: true, nextHeld: true })
  }
  // No consumer works on this turn, so its open calls get their results here.
  const [{ pending }, messages] = await Promise.all([
    Transcript.beside(conversation),
    rowsOfStop(conversation, actor.lang, now),
  ])
  const ended = ending(conversation, { status: 'idle', messages, pending }, now)
  const { writes } = ended
  // After a stopped turn, waiting messages stay in the queue until the user acts.
  const changes = { ...ended.changes, nextHeld: true }
  if (conversation.status === 'awaiting_approval') return Row.store(conversation, changes, writes)
  // A consumer that died may have left reserved tokens, and cleanup skips idle conversations.
  await Usage.release(conversation.owner, conversation.runId, now)
  return Row.store(conversation, { ...changes, requestId: Claim.newRequestId() }, writes)
}

/** Returns the last rows of a stopped turn: a result for each call that has none, and the notice. */
export async function rowsOfStop(conversation: Conversation, lang: string, now: number) {
  const { runId } = conversation
  const rows: Message[] = []
  for (let at = conversation.messageCount - 1; at >= 0 && !(rows[0] && isReply(rows[0])); at--)
    rows.unshift(...[await Transcript.at(conversation, at)].filter((row) => row !== undefined))
  const open = batches(openCalls(rows.filter((row) => row.runId === runId)))
  return dismiss({ open, runId }, 'cancelled', lang, new Date(now).toISOString())
}
