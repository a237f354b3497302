import { indexes } from '../../base/aws/indexes.ts'
import * as Table from '../../base/aws/table.ts'
import * as Log from '../../base/log.ts'
import { lastSign } from '../../conversation/claim.ts'
import * as Item from '../../conversation/item.ts'
import type { Job } from '../../conversation/queue.ts'
import { isBusy } from '../../conversation/schema.ts'
import { stuckMs } from '../../conversation/turn-failure.ts'

/** Finds conversations by index, the oldest first. The index may be out of date, so each row is read and checked. */

/** Returns the moment `ms` milliseconds before `now`, in the form that rows have (ISO 8601); never before 1970. */
export const ago = (now: number, ms: number) => new Date(Math.max(0, now - ms)).toISOString()

/** Returns busy conversations whose last sign of life is at or before `until` (ISO 8601). */
export function busyUntil(
  until: string,
  limit: number,
  wanted: (conversation: Item.Conversation) => boolean = () => true,
): Promise<Item.Conversation[]> {
  // A step of a turn does not update the index; only the row has the true time of the last sign of life.
  const holds = (conversation: Item.Conversation) =>
    isBusy(conversation.status) && lastSign(conversation) <= until && wanted(conversation)
  return find(Item.shardNames.map(Item.busyPartition), { index: indexes.byProgress, until, limit, holds })
}

/**
 * Returns the conversations that the index has listed in `group` since `until` or longer, and whose row confirms it.
 */
export function placedUntil(
  group: Item.StateGroup,
  until: string,
  limit: number,
  holds: (conversation: Item.Conversation) => boolean,
): Promise<Item.Conversation[]> {
  const partitions = Item.shardNames.map((shard) => Item.statePartition(group, shard))
  return find(partitions, { index: indexes.byState, until, limit, holds })
}

/** Counts the busy conversations, and the busy conversations without progress for `stuckMs`; at most 1,000 each. */
export async function busy(now: number): Promise<{ all: number; stuck: number }> {
  const found = await busyUntil(new Date(now).toISOString(), 1_000)
  const stuck = found.filter((conversation) => now - Date.parse(lastSign(conversation)) > stuckMs)
  return { all: found.length, stuck: stuck.length }
}

/** Returns the job that has waited longest for a consumer. */
export async function oldestJob(now: number): Promise<Job | undefined> {
  const [first] = await busyUntil(ago(now, 0), 1, ({ status }) => status === 'processing')
  return first && { conversationId: first.id, requestId: first.requestId }
}

type Search = {
  index: { name: string; pk: string; sk: string }
  until: string
  limit: number
  holds: (conversation: Item.Conversation) => boolean
}

async function find(partitions: string[], search: Search): Promise<Item.Conversation[]> {
  const shards = await Promise.all(partitions.map((partition) => inPartition(partition, search)))
  return shards
    .flat()
    .sort((a, b) => (a.sortKey < b.sortKey ? -1 : 1))
    .slice(0, search.limit)
    .map(({ conversation }) => conversation)
}

/**
 * Reads further pages while the rows contradict their index entries, so that stale entries hide no other conversation.
 */
async function inPartition(
  partition: string,
  { index, until, limit, holds }: Search,
): Promise<{ sortKey: string; conversation: Item.Conversation }[]> {
  const found: { sortKey: string; conversation: Item.Conversation }[] = []
  const pages = Table.queried({
    IndexName: index.name,
    KeyConditionExpression: `${index.pk} = :pk AND ${index.sk} <= :until`,
    // `~` sorts after the separator, so that the time `until` itself is included.
    ExpressionAttributeValues: { ':pk': partition, ':until': `${until}~` },
    Limit: pageSize,
  })
  for await (const page of pages) {
    const sortKeys = page.map((row) => String(row[index.sk]))
    const rows = await Table.rowsOf(sortKeys.map((sortKey) => Item.key(Item.idOf(sortKey))))
    for (const [at, row] of rows.entries()) {
      const conversation = Item.decode(row)
      if (conversation && holds(conversation)) found.push({ sortKey: sortKeys[at] as string, conversation })
    }
    if (found.length >= limit) break
  }
  return found.slice(0, limit)
}

/** Number of index entries per page: one request reads the rows of this many. */
const pageSize = 100

/** A step of cleanup. `find` returns conversations, the oldest first; `act` returns false if it changed nothing. */
export type Step = {
  find(limit: number): Promise<Item.Conversation[]>
  act(conversation: Item.Conversation): Promise<boolean>
}

/**
 * Acts on one conversation after the other and counts those that it changed. Logs the error of a conversation and goes
 * on; the next run tries that conversation again.
 */
export async function count(all: Item.Conversation[], act: Step['act']): Promise<number> {
  let done = 0
  for (const conversation of all) {
    try {
      if (await act(conversation)) done++
    } catch (error) {
      Log.error('Cleanup could not serve a conversation', error, { conversationId: conversation.id })
    }
  }
  return done
}
