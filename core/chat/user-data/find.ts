import { auditPrefix } from '../../base/aws/indexes.ts'
import * as Table from '../../base/aws/table.ts'
import { pages } from '../../base/aws/table.ts'
import { type AuditEntry, codec } from '../../user/audit.ts'

/**
 * The places in the table with data of a user. Sessions and runs are in no index by user, so the whole table is read: that finds
 * also what a crash left behind, and costs an operator a few cents for each gigabyte.
 */

/** The kind of a partition, by the beginning of its key. */
export type Kind = 'user' | 'conversation' | 'run' | 'session' | 'exchanged'

/** A partition with data of the user. */
export type Place = { kind: Kind; pk: string }

/** Hears how many rows of the table were read; a large one takes minutes. */
export type Tell = (rows: number) => void

/** Every partition that holds data of the user; the audit and the records of exports and erasures are not among them. */
export async function places(uid: number, tell?: Tell): Promise<Place[]> {
  const found = new Set<string>()
  const filter = {
    FilterExpression:
      'pk IN (:user, :exchanged) OR begins_with(pk, :conversation) OR begins_with(pk, :run) OR begins_with(pk, :session)',
    ExpressionAttributeValues: {
      ':user': `user#${uid}`,
      ':exchanged': `exchanged#${uid}`,
      ':conversation': `conversation#${uid}-`,
      ':run': `run#${uid}#`,
      ':session': `session#${uid}#`,
    },
    ProjectionExpression: 'pk',
  }
  for await (const rows of pages(filter, tell)) for (const { pk } of rows) found.add(String(pk))
  return [...found].sort().map((pk) => ({ kind: pk.slice(0, pk.indexOf('#')) as Kind, pk }))
}

/** The acts of the user in the audit, the oldest first. */
export async function auditOf(uid: number, tell?: Tell): Promise<AuditEntry[]> {
  const found: AuditEntry[] = []
  const filter = {
    FilterExpression: 'begins_with(pk, :audit) AND be_user = :uid',
    ExpressionAttributeValues: { ':audit': auditPrefix, ':uid': uid },
  }
  for await (const rows of pages(filter, tell)) found.push(...rows.map((row) => codec.decode(row).entry))
  return found.sort((one, other) => one.time - other.time)
}

/** All items of a partition. */
export async function rowsOf({ pk }: Place): Promise<(Table.Row & Table.Key)[]> {
  return (await Table.below({ pk })) as (Table.Row & Table.Key)[]
}
