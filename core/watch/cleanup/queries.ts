import { indexes } from '../../base/aws/indexes.ts'
import * as Table from '../../base/aws/table.ts'
import * as Log from '../../base/log.ts'
import { lastSign } from '../../conversation/claim.ts'
import {
  busyPartition,
  type Conversation,
  decode,
  idOf,
  key,
  type Place,
  placePartition,
  shardNames,
} from '../../conversation/item.ts'
import type { Job } from '../../conversation/queue.ts'
import { isBusy } from '../../conversation/schema.ts'
import { stuckMs } from '../../conversation/turn-failure.ts'

/** Finds conversations by index, the oldest first. The index is a hint: the rows are read and looked at. */

/** The moment so many milliseconds before `now`, as rows have it. */
export const ago = (now: number, ms: number) => new Date(now - ms).toISOString()

/** Busy conversations whose last sign of life is at or before `until` (ISO 8601). */
export function busyUntil(
  until: string,
  limit: number,
  wanted: (conversation: Conversation) => boolean = () => true,
): Promise<Conversation[]> {
  // Steps do not move the index: the row has the true time of the last sign of life.
  const holds = (conversation: Conversation) =>
    isBusy(conversation.status) && lastSign(conversation) <= until && wanted(conversation)
  return find(shardNames.map(busyPartition), { index: indexes.byProgress, until, limit, holds })
}

/** Conversations that have been in a place since `until` or longer, and of which that still holds. */
export function placedUntil(
  place: Place,
  until: string,
  limit: number,
  holds: (conversation: Conversation) => boolean,
): Promise<Conversation[]> {
  const partitions = shardNames.map((shard) => placePartition(place, shard))
  return find(partitions, { index: indexes.byState, until, limit, holds })
}

/** Counts the conversations that are busy now, and those of them without progress for `stuckMs`. At most 1,000 each. */
export async function busy(now: number): Promise<{ all: number; stuck: number }> {
  const found = await busyUntil(new Date(now).toISOString(), 1_000)
  const stuck = found.filter((conversation) => now - Date.parse(lastSign(conversation)) > stuckMs)
  return { all: found.length, stuck: stuck.length }
}

/** The job that has waited longest for a consumer. */
export async function oldestJob(now: number): Promise<Job | undefined> {
  const [first] = await busyUntil(
    new Date(now).toISOString(),
    1,
    (conversation) => conversation.status === 'processing',
  )
  return first && { conversationId: first.id, requestId: first.requestId }
}

type Search = {
  index: { name: string; pk: string; sk: string }
  until: string
  limit: number
  holds: (conversation: Conversation) => boolean
}

async function find(partitions: string[], search: Search): Promise<Conversation[]> {
  const shards = await Promise.all(partitions.map((partition) => inPartition(partition, search)))
  return shards
    .flat()
    .sort((a, b) => (a.sortKey < b.sortKey ? -1 : 1))
    .slice(0, search.limit)
    .map(({ conversation }) => conversation)
}

/** Pages on while the index names conversations whose rows say otherwise, so that they hide no other. */
async function inPartition(
  partition: string,
  { index, until, limit, holds }: Search,
): Promise<{ sortKey: string; conversation: Conversation }[]> {
  const found: { sortKey: string; conversation: Conversation }[] = []
  let start: Table.Row | undefined
  do {
    const page = await Table.query({
      IndexName: index.name,
      KeyConditionExpression: '#pk = :pk AND #sk <= :until',
      ExpressionAttributeNames: { '#pk': index.pk, '#sk': index.sk },
      // `~` sorts behind the separator, so that a time itself is included.
      ExpressionAttributeValues: { ':pk': partition, ':until': `${until}~` },
      Limit: pageSize,
      ...(start && { ExclusiveStartKey: start }),
    })
    const sortKeys = page.rows.map((row) => String(row[index.sk]))
    const rows = await Table.rowsOf(sortKeys.map((sortKey) => key(idOf(sortKey))))
    for (const [at, row] of rows.entries()) {
      const conversation = decode(row)
      if (conversation && holds(conversation)) found.push({ sortKey: sortKeys[at] as string, conversation })
    }
    start = page.next
  } while (start && found.length < limit)
  return found.slice(0, limit)
}

/** Index entries that are read at once: as many as one request gets rows for. */
const pageSize = 100

/** A step of cleanup: it finds conversations, the oldest first, and acts on each; false if that changed nothing. */
export type Step = {
  find(limit: number): Promise<Conversation[]>
  act(conversation: Conversation): Promise<boolean>
}

/**
 * Acts on one conversation after the other and counts those that it changed. Logs a conversation that fails and goes
 * on; the next run tries it again.
 */
export async function count(all: Conversation[], act: Step['act']): Promise<number> {
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
