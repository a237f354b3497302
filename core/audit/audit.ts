import { createHash } from 'node:crypto'
import * as Table from '../aws/table.ts'
import { codec, encode, partition } from './item.ts'
import type { Audited, Entry } from './schema.ts'

/** Who logged in, approved, changed, undid, exported, erased and was refused: an append-only stream of the stage. */

/** Audits an act that was done outside of a transaction; throws where the table does not take it. */
export async function note(event: Audited, retainDays: number | null, now: number): Promise<void> {
  await Table.put(encode(event, retainDays, now), { condition: 'attribute_not_exists(pk)' })
}

/**
 * Audits a refusal once a minute for the same caller, operation and code, so that a client that tries again and again
 * fills no table.
 */
export async function noteRefusal(
  event: Omit<Audited, 'act'> & { act?: 'logon' | 'refuse'; refusal: string },
  retainDays: number | null,
  now: number,
): Promise<void> {
  const minute = now - (now % 60_000)
  const same = [event.uid, event.ip, event.operation, event.refusal, event.reason].join(' ')
  const id = createHash('sha256').update(same).digest('hex').slice(0, 26)
  const row = encode({ act: 'refuse', ...event }, retainDays, now, id)
  await Table.put(
    { ...row, sk: `${new Date(minute).toISOString()}#${id}` },
    { condition: 'attribute_not_exists(pk)' },
  )
}

/** The entries of a day (`YYYY-MM-DD`, UTC) in order of time, a page at a time; of one user where one is named. */
export async function* entries(day: string, uid?: number): AsyncGenerator<Entry> {
  let from: Table.Row | undefined
  do {
    const page = await Table.query({
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': partition(day) },
      ...(from && { ExclusiveStartKey: from }),
    })
    for (const row of page.rows) {
      const { uid: by, entry } = codec.decode(row)
      if (uid === undefined || by === uid) yield entry
    }
    from = page.next
  } while (from)
}
