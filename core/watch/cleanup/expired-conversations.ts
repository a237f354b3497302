import * as Run from '../../agent/run-record.ts'
import * as Table from '../../base/aws/table.ts'
import { dayMs } from '../../base/clock.ts'
import * as Log from '../../base/log.ts'
import { endProposal, undeleteMs } from '../../chat/conversation.ts'
import { followFor } from '../../chat/next.ts'
import type { Cms } from '../../cms/cms.ts'
import { type Conversation, isDue, key, partition } from '../../conversation/item.ts'
import { filesOf } from '../../conversation/path.ts'
import * as Quota from '../../conversation/quota.ts'
import * as Row from '../../conversation/row.ts'
import { approvalExpiryMs } from '../../conversation/transcript/pending.ts'
import { releaseWrites } from '../../file/references.ts'
import * as Due from '../../file/removal.ts'
import { ago, count, placedUntil } from './queries.ts'

/** The work of cleanup on conversations at rest. */

/** Ends proposals whose time for a decision is over. */
export async function expire(
  now: number,
  limit: number,
  isDryRun: boolean,
  langOf: (owner: number) => Promise<string>,
): Promise<number> {
  // A time that cannot be read counts from the last change.
  const end = (conversation: Conversation) =>
    Date.parse(conversation.awaitingUntil ?? conversation.updatedAt) +
    (conversation.awaitingUntil ? 0 : approvalExpiryMs)
  const isOld = (conversation: Conversation) =>
    conversation.status === 'awaiting_approval' && end(conversation) <= now
  const old = await placedUntil('awaiting', ago(now, 0), limit, isOld)
  if (isDryRun) return old.length
  return count(old, async (conversation) => {
    const { changes, writes } = await endProposal(
      { lang: await langOf(conversation.owner) },
      conversation,
      'expired',
      now,
    )
    return (await Row.store(conversation, changes, writes)) !== undefined
  })
}

/** Sends messages that waited for a turn whose consumer died behind its end, or for a place among the active. */
export async function follow(cms: Cms, now: number, limit: number, isDryRun: boolean): Promise<number> {
  const due = await placedUntil('next', ago(now, 0), limit, isDue)
  if (isDryRun) return due.length
  return count(due, (conversation) => followFor(cms, conversation, now))
}

/** Archives conversations that are idle, not pinned and unchanged for `days`; null: never. */
export async function archive(
  now: number,
  limit: number,
  isDryRun: boolean,
  days: number | null,
): Promise<number> {
  if (days === null) return 0
  const until = ago(now, days * dayMs)
  const isInactive = (conversation: Conversation) =>
    conversation.status === 'idle' &&
    !conversation.pinned &&
    !conversation.archived &&
    !conversation.deletedAt &&
    conversation.updatedAt <= until
  const inactive = await placedUntil('idle', until, limit, isInactive)
  if (isDryRun) return inactive.length
  const archivedAt = new Date(now).toISOString()
  return count(
    inactive,
    async (conversation) => (await Row.store(conversation, { archived: true, archivedAt })) !== undefined,
  )
}

/** Removes what was deleted a day ago or archived so many days ago (null: never), with its runs and files. */
export async function remove(
  now: number,
  limit: number,
  isDryRun: boolean,
  days: number | null,
): Promise<number> {
  const isDue = ({ deletedAt }: Conversation) =>
    deletedAt !== undefined && Date.parse(deletedAt) <= now - undeleteMs
  const deleted = await placedUntil('deleted', ago(now, undeleteMs), limit, isDue)
  const archived = await longArchived(now, limit - deleted.length, days)
  if (isDryRun) return deleted.length + archived.length
  const gone = await count(archived, (conversation) => giveUp(conversation, now))
  const removed = await count(deleted, (conversation) => purge(conversation, now))
  for (const file of await Due.due(now, limit)) {
    try {
      await Due.remove(file, now)
    } catch (error) {
      Log.error('Cleanup could not remove a file', error, { pk: file.pk, sk: file.sk })
    }
  }
  return gone + removed
}

async function longArchived(now: number, limit: number, days: number | null): Promise<Conversation[]> {
  if (days === null || limit <= 0) return []
  const until = ago(now, days * dayMs)
  const isDue = (conversation: Conversation) =>
    conversation.archived &&
    !conversation.pinned &&
    !conversation.deletedAt &&
    (conversation.archivedAt ?? conversation.updatedAt) <= until
  return placedUntil('archived', until, limit, isDue)
}

/** A conversation that its owner might bring back this moment is deleted first, under the version that was read. */
async function giveUp(conversation: Conversation, now: number): Promise<boolean> {
  const given = await Row.store(conversation, { deletedAt: ago(now, undeleteMs) }, [
    Quota.uncount(conversation.owner),
  ])
  return given !== undefined && purge(given, now)
}

/** Children first, the row last: whatever interrupts this, the next cleanup finds the row and goes on. */
async function purge(conversation: Conversation, now: number): Promise<boolean> {
  const runs = new Set(conversation.runId ? [conversation.runId] : [])
  const keys = await children(conversation.id, runs)
  const files = releaseWrites(
    conversation.owner,
    [...filesOf(conversation), ...conversation.next.map(([, fileUid]) => fileUid)].filter(
      (fileUid) => fileUid > 0,
    ),
    conversation.id,
    now,
  )
  if (files.length > 0) await Table.transact(files)
  for (const runId of runs) await Run.remove(conversation.owner, runId)
  await Table.removeAll(keys)
  return Table.remove(key(conversation.id), { condition: 'attribute_exists(deleted_at)' })
}

async function children(id: string, runs: Set<string>): Promise<Table.Key[]> {
  const rows = await Table.all({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partition(id) },
    ProjectionExpression: 'pk, sk, run_id',
  })
  for (const row of rows) if (typeof row.run_id === 'string' && row.run_id) runs.add(row.run_id)
  return rows
    .filter(({ sk }) => sk !== 'conversation')
    .map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) }))
}
