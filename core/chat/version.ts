import type { Actor } from '../base/actor.ts'
import * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import { type Conversation, summary } from '../conversation/item.ts'
import { leftWith, versionsOf } from '../conversation/path.ts'
import * as Row from '../conversation/row.ts'
import type { Summary } from '../conversation/schema.ts'
import * as Activity from '../conversation/transcript/activity.ts'
import * as Transcript from '../conversation/transcript/transcript.ts'
import { type Acting, endProposal, title } from './conversation.ts'
import { unanswered } from './send.ts'

/**
 * Manages versions of a transcript: an edit leaves an older version, which the user can show again. No stored row
 * changes for this.
 */

/**
 * Returns the changes and writes that leave the shown version. That version keeps its path, its proposal ends without a
 * decision, and clients read the transcript from the start. The caller adds the new path and its number of rows.
 */
export async function leave(
  actor: Pick<Actor, 'lang'>,
  conversation: Conversation,
  reason: 'superseded' | 'cancelled',
  now: number,
): Promise<{ changes: Row.Changes; writes: Table.Write[] }> {
  const ended = await endProposal(actor, conversation, reason, now)
  const messageCount = ended.changes.messageCount ?? conversation.messageCount
  // Clients also count steps that a lost consumer stored beside the row. The new version must be higher than that
  // count.
  const steps = Activity.decode(await Table.get(Activity.key(conversation.id)), conversation)
  const version = summary(conversation, steps.version).version + 1
  return {
    changes: {
      ...ended.changes,
      left: [...conversation.left, { path: conversation.path, messageCount, files: conversation.files }],
      version,
      cutVersion: version,
      activityVersion: Math.max(conversation.activityVersion, steps.version),
      updatedAt: new Date(now).toISOString(),
    },
    writes: ended.writes,
  }
}

/** Shows another version of a message with everything after it; the version shown before is kept. */
export async function choose(
  { actor, now }: Acting,
  conversation: Conversation,
  { sequence, version }: { sequence: number; version: number },
): Promise<Summary> {
  const attempt = async (current: Conversation) => {
    Row.refuseDeleted(current)
    Row.refuseBusy(current)
    if (versionsOf(current).some((one) => one.sequence === sequence && one.at === version)) return current
    const chosen = leftWith(current, sequence, version)
    if (!chosen) throw new VisibleError('conversation.changed')
    const leaving = await leave(actor, current, 'cancelled', now)
    const changes: Row.Changes = {
      ...leaving.changes,
      ...chosen,
      ...(sequence === 0 && (await titleOf({ ...current, ...chosen }))),
      left: (leaving.changes.left ?? []).filter((one) => one !== chosen),
      status: 'idle',
      errorCode: undefined,
      errorMessage: undefined,
      activityKey: '',
      // The user wrote the waiting messages for the version that this change leaves.
      nextHeld: true,
    }
    return Row.store(current, changes, [...leaving.writes, ...unanswered(current)])
  }
  return summary(await Row.contend(conversation, attempt))
}

/** Returns the title from the first message of the shown version, unless the title is fixed. */
async function titleOf(conversation: Conversation): Promise<Pick<Row.Changes, 'title'>> {
  const first = conversation.titleFixed ? undefined : await Transcript.at(conversation, 0)
  return first?.role === 'user' ? { title: title(first.content, first.fileName, first.mentions) } : {}
}
