import * as Table from '../../base/aws/table.ts'
import { sha256 } from '../../base/hash.ts'
import { type AuditEntry, type Audited, codec, encode, partition } from './item.ts'

/** Appends logins, approvals, changes, undos, exports, erasures and refusals to the audit stream of the stage. */

/** Audits an act outside of a transaction; throws if the write fails. */
export async function note(event: Audited, retainDays: number | null, now: number): Promise<void> {
  await Table.put(encode(event, retainDays, now), { condition: 'attribute_not_exists(pk)' })
}

/**
 * Audits a refusal once a minute for the same caller, operation and code, so that a client that keeps retrying cannot
 * fill the table.
 */
export async function noteRefusal(
  event: Omit<Audited, 'act'> & { act?: 'logon' | 'refuse'; refusal: string },
  retainDays: number | null,
  now: number,
): Promise<void> {
  const minute = now - (now % 60_000)
  const same = [event.uid, event.ip, event.operation, event.refusal, event.reason].join(' ')
  const id = sha256(same).slice(0, 26)
  const row = encode({ act: 'refuse', ...event }, retainDays, now, id)
  await Table.put(
    { ...row, sk: `${new Date(minute).toISOString()}#${id}` },
    { condition: 'attribute_not_exists(pk)' },
  )
}

/** Yields the entries of a day (`YYYY-MM-DD`, UTC) in order of time, page by page; of one user if `uid` is given. */
export async function* entries(day: string, uid?: number): AsyncGenerator<AuditEntry> {
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
