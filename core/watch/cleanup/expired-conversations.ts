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
import * as Due from '../../file/orphans.ts'
import { releaseWrites } from '../../file/references.ts'
import { ago, count, placedUntil } from './queries.ts'

/** The work of cleanup on conversations at rest. */

/** Ends proposals that are undecided after seven days. */
export async function expire(
  now: number,
  limit: number,
  isDryRun: boolean,
  langOf: (owner: number) => Promise<string>,
): Promise<number> {
  // A time that cannot be read is that of the last change, and the proposal ends seven days later.
  const end = (it: Conversation) =>
    Date.parse(it.awaitingUntil ?? it.updatedAt) + (it.awaitingUntil ? 0 : 7 * dayMs)
  const isOld = (it: Conversation) => it.status === 'awaiting_approval' && end(it) <= now
  const old = await placedUntil('awaiting', ago(now, 0), limit, isOld)
  if (isDryRun) return old.length
  return count(old, async (it) => {
    const { changes, writes } = await endProposal({ lang: await langOf(it.owner) }, it, 'expired', now)
    return (await Row.store(it, changes, writes)) !== undefined
  })
}

/** Sends messages that waited for a turn whose consumer died behind its end, or for a place among the active. */
export async function follow(cms: Cms, now: number, limit: number, isDryRun: boolean): Promise<number> {
  const due = await placedUntil('next', ago(now, 0), limit, isDue)
  if (isDryRun) return due.length
  return count(due, (it) => followFor(cms, it, now))
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
  const isInactive = (it: Conversation) =>
    it.status === 'idle' && !it.pinned && !it.archived && !it.deletedAt && it.updatedAt <= until
  const inactive = await placedUntil('idle', until, limit, isInactive)
  if (isDryRun) return inactive.length
  const archivedAt = new Date(now).toISOString()
  return count(inactive, async (it) => (await Row.store(it, { archived: true, archivedAt })) !== undefined)
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
  const gone = await count(archived, (it) => giveUp(it, now))
  const removed = await count(deleted, (it) => purge(it, now))
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
  const isDue = (it: Conversation) =>
    it.archived && !it.pinned && !it.deletedAt && (it.archivedAt ?? it.updatedAt) <= until
  return placedUntil('archived', until, limit, isDue)
}

/** A conversation that its owner might bring back this moment is deleted first, under the version that was read. */
async function giveUp(it: Conversation, now: number): Promise<boolean> {
  const given = await Row.store(it, { deletedAt: ago(now, undeleteMs) }, [Quota.uncount(it.owner)])
  return given !== undefined && purge(given, now)
}

/** Children first, the row last: whatever interrupts this, the next cleanup finds the row and goes on. */
async function purge(it: Conversation, now: number): Promise<boolean> {
  const runs = new Set(it.runId ? [it.runId] : [])
  const keys = await children(it.id, runs)
  const files = releaseWrites(
    it.owner,
    [...filesOf(it), ...it.next.map(([, fileUid]) => fileUid)].filter((fileUid) => fileUid > 0),
    it.id,
    now,
  )
  if (files.length > 0) await Table.transact(files)
  for (const runId of runs) await Run.remove(it.owner, runId)
  await Table.removeAll(keys)
  return Table.remove(key(it.id), { condition: 'attribute_exists(deleted_at)' })
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
