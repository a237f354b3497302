import * as Run from '../../agent/run-record.ts'
import * as Table from '../../base/aws/table.ts'
import { dayMs } from '../../base/clock.ts'
import * as Log from '../../base/log.ts'
import { endProposal, undeleteMs } from '../../chat/conversation.ts'
import { followFor } from '../../chat/next.ts'
import type { Cms } from '../../cms/cms.ts'
import { type Conversation, isDue, key, partition, restingSince } from '../../conversation/item.ts'
import { filesOf } from '../../conversation/path.ts'
import * as Quota from '../../conversation/quota.ts'
import * as Row from '../../conversation/row.ts'
import { approvalExpiryMs } from '../../conversation/transcript/pending.ts'
import { releaseWrites } from '../../file/references.ts'
import * as Removal from '../../file/removal.ts'
import { ago, placedUntil, type Step } from './queries.ts'

/** The steps of cleanup for conversations that no turn is working on. */

/** Ends proposals whose time for a decision is over. */
export function expire(now: number, langOf: (owner: number) => Promise<string>): Step {
  // If the time cannot be read, it is computed from the last change.
  const end = ({ awaitingUntil, updatedAt }: Conversation) =>
    awaitingUntil ? Date.parse(awaitingUntil) : Date.parse(updatedAt) + approvalExpiryMs
  const isOld = (conversation: Conversation) =>
    conversation.status === 'awaiting_approval' && end(conversation) <= now
  return {
    find: (limit) => placedUntil('awaiting', ago(now, 0), limit, isOld),
    act: async (conversation) => {
      const reader = { lang: await langOf(conversation.owner) }
      const { changes, writes } = await endProposal(reader, conversation, 'expired', now)
      return (await Row.store(conversation, changes, writes)) !== undefined
    },
  }
}

/**
 * Sends messages that still wait after the end of the turn before them: because their consumer died, or because they
 * waited for a place among the active turns.
 */
export function follow(cms: Cms, now: number): Step {
  return {
    find: (limit) => placedUntil('next', ago(now, 0), limit, (conversation) => isDue(conversation, now)),
    act: (conversation) => followFor(cms, conversation, now),
  }
}

/** Archives conversations that are idle, not pinned and for `days` neither changed nor kept; null: never. */
export function archive(now: number, days: number | null): Step {
  const until = ago(now, (days ?? 0) * dayMs)
  const isInactive = (conversation: Conversation) =>
    conversation.status === 'idle' &&
    !conversation.pinned &&
    !conversation.archived &&
    !conversation.deletedAt &&
    restingSince(conversation) <= until
  const archivedAt = new Date(now).toISOString()
  return {
    find: async (limit) => (days === null ? [] : placedUntil('idle', until, limit, isInactive)),
    act: async (conversation) =>
      (await Row.store(conversation, { archived: true, archivedAt })) !== undefined,
  }
}

/**
 * Removes conversations with their runs and files, if they were deleted a day ago or archived `days` ago (null: never).
 */
export function remove(now: number, days: number | null): Step {
  const isGone = ({ deletedAt }: Conversation) =>
    deletedAt !== undefined && Date.parse(deletedAt) <= now - undeleteMs
  return {
    find: async (limit) => {
      const deleted = await placedUntil('deleted', ago(now, undeleteMs), limit, isGone)
      return [...(await longArchived(now, limit - deleted.length, days)), ...deleted]
    },
    act: (conversation) => (isGone(conversation) ? purge(conversation, now) : giveUp(conversation, now)),
  }
}

/**
 * Removes files that nothing refers to any more; returns their number. The next run retries files that could not be
 * removed.
 */
export async function removeFiles(now: number, limit: number): Promise<number> {
  let removed = 0
  for (const file of await Removal.due(now, limit)) {
    try {
      await Removal.remove(file, now)
      removed++
    } catch (error) {
      Log.error('Cleanup could not remove a file', error, { pk: file.pk, sk: file.sk })
    }
  }
  return removed
}

async function longArchived(now: number, limit: number, days: number | null): Promise<Conversation[]> {
  if (days === null || limit <= 0) return []
  const until = ago(now, days * dayMs)
  const isOld = (conversation: Conversation) =>
    conversation.archived &&
    !conversation.pinned &&
    !conversation.deletedAt &&
    restingSince(conversation) <= until
  return placedUntil('archived', until, limit, isOld)
}

/**
 * Deletes the conversation first, under the version that was read, because its owner might restore it at this moment.
 */
async function giveUp(conversation: Conversation, now: number): Promise<boolean> {
  const given = await Row.store(conversation, { deletedAt: ago(now, undeleteMs) }, [
    Quota.uncount(conversation.owner),
  ])
  return given !== undefined && purge(given, now)
}

/** Removes the children first and the row last: after an interruption, the next cleanup finds the row and goes on. */
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
  for (const some of Table.chunks(files, 100)) await Table.transact(some)
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
