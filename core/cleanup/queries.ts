import { indexes } from '../aws/indexes.ts'
import * as Table from '../aws/table.ts'
import { lastSign, stuckMs } from '../conversation/claim.ts'
import {
  busyPartition,
  type Conversation,
  decode,
  idOf,
  key,
  type Place,
  placePartition,
  shardNames,
} from '../conversation/item.ts'
import type { Job } from '../conversation/queue.ts'
import { isBusy } from '../conversation/state.ts'
import * as Log from '../log.ts'
import { config } from '../stage/config.ts'

/** Finds conversations by index, the oldest first. The index is a hint: the rows are read and looked at. */

/** The moment so many milliseconds before `now`, as rows have it. */
export const ago = (now: number, ms: number) => new Date(now - ms).toISOString()

/** Busy conversations whose last sign of life is at or before `until` (ISO 8601). */
export function busyUntil(until: string, limit: number): Promise<Conversation[]> {
  const { name, pk, sk } = indexes.byProgress
  // Steps do not move the index: how old the last sign of life really is, the row says.
  const holds = (it: Conversation) => isBusy(it.status) && lastSign(it) <= until
  return find(shardNames.map(busyPartition), { name, pk, sk }, until, limit, holds)
}

/** Conversations that have been in a place since `until` or longer. */
export function placedUntil(place: Place, until: string, limit: number): Promise<Conversation[]> {
  const { name, pk, sk } = indexes.byState
  const partitions = shardNames.map((shard) => placePartition(place, shard))
  return find(partitions, { name, pk, sk }, until, limit, () => true)
}

/** How many conversations are busy now, and how many of them without progress for five minutes. At most 1,000 each. */
export async function busy(now: number): Promise<{ all: number; stuck: number }> {
  const found = await busyUntil(new Date(now).toISOString(), 1_000)
  const stuck = found.filter((it) => now - Date.parse(lastSign(it)) > stuckMs)
  return { all: found.length, stuck: stuck.length }
}

/** The job that has waited longest for a consumer. */
export async function oldestJob(now: number): Promise<Job | undefined> {
  const found = await busyUntil(new Date(now).toISOString(), 100)
  const first = found.find((it) => it.status === 'processing')
  return first && { conversationId: first.id, requestId: first.requestId }
}

async function find(
  partitions: string[],
  index: { name: string; pk: string; sk: string },
  until: string,
  limit: number,
  holds: (it: Conversation) => boolean,
): Promise<Conversation[]> {
  const pages = await Promise.all(
    partitions.map((partition) =>
      Table.query({
        IndexName: index.name,
        KeyConditionExpression: '#pk = :pk AND #sk <= :until',
        ExpressionAttributeNames: { '#pk': index.pk, '#sk': index.sk },
        // `~` sorts behind the separator, so that a time itself is included.
        ExpressionAttributeValues: { ':pk': partition, ':until': `${until}~` },
        Limit: limit,
      }),
    ),
  )
  const sortKeys = pages.flatMap(({ rows }) => rows.map((row) => String(row[index.sk])))
  const ids = sortKeys.sort().slice(0, limit).map(idOf)
  const found: Conversation[] = []
  for (let at = 0; at < ids.length; at += 100) {
    const rows = await Table.batch(
      ids.slice(at, at + 100).map((id) => ({ table: config().table, key: key(id) })),
    )
    for (const row of rows) {
      const it = readable(row)
      if (it && holds(it)) found.push(it)
    }
  }
  return found
}

/** A row that cannot be read must not keep cleanup from the others. */
function readable(row: Table.Row | undefined): Conversation | undefined {
  try {
    return decode(row)
  } catch (error) {
    Log.error('A conversation cannot be read', error, { conversationId: String(row?.id) })
    return undefined
  }
}
