import * as z from 'zod'
import { auditPrefix, userDataPrefix } from '../../base/aws/indexes.ts'
import { choice, field, item, number, type Of, optional, time } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'
import * as Audit from '../../user/audit.ts'

/**
 * Keeps the record of each export or erasure. It is stored before any work and completed with the counts at the end. A
 * record without an end belongs to an interrupted call; the next call of the same kind continues it.
 */

const Kind = z.enum(['export', 'erase'])
export type Kind = z.infer<typeof Kind>

const Numbers = z.object({
  conversations: z.number(),
  runs: z.number(),
  sessions: z.number(),
  files: z.number(),
  /** All items of the table, including the items counted above. */
  items: z.number(),
})

/** The counts of a user's data that was exported or erased. */
export type Counts = z.infer<typeof Numbers>

/** The counts before anything was found. */
export const none: Counts = { conversations: 0, runs: 0, sessions: 0, files: 0, items: 0 }

/** The stored form of the record of an export or erasure. */
export const codec = item('record of user data', 1, {
  uid: number('be_user'),
  kind: choice('kind', Kind, 'export'),
  startedAt: time('started_at'),
  endedAt: optional(time('ended_at')),
  counts: field('counts', Numbers, none),
})
export type Record = Of<typeof codec.fields>

const partitionOf = (uid: number) => `${userDataPrefix}${uid}`
const key = ({ uid, kind, startedAt }: Pick<Record, 'uid' | 'kind' | 'startedAt'>): Table.Key => ({
  pk: partitionOf(uid),
  sk: `${kind}#${startedAt}`,
})

/** Returns the user's records of both kinds, each kind oldest first. */
export async function records(uid: number): Promise<Record[]> {
  return (await Table.below({ pk: partitionOf(uid) })).map(codec.decode)
}

/** Returns the record of an interrupted call of this kind, or stores and returns a new one. */
export async function beginRecord(uid: number, kind: Kind, now: number): Promise<Record> {
  const open = (await records(uid)).findLast((it) => it.kind === kind && it.endedAt === undefined)
  if (open) return open
  const record = { uid, kind, startedAt: new Date(now).toISOString(), endedAt: undefined, counts: none }
  await Table.put({ ...key(record), ...codec.encode(record) })
  return record
}

/** Stores the progress. With `isEnded`, also stores the end, in one transaction with the audit entry. */
export async function store(
  record: Record,
  counts: Counts,
  isEnded: boolean,
  retainAuditDays: number | null,
  now: number,
): Promise<Record> {
  const next = { ...record, counts, ...(isEnded && { endedAt: new Date(now).toISOString() }) }
  const row = { ...key(next), ...codec.encode(next) }
  if (!isEnded) {
    await Table.put(row)
    return next
  }
  const expires = Table.expiresAfter(retainAuditDays, now)
  const act = { act: record.kind, uid: undefined, operation: `user-data ${record.kind}` }
  const audited = { ...act, source: 'command' as const, resources: [{ type: 'user', uid: record.uid }] }
  await Table.transact([Table.putWrite({ ...row, ...expires }), Audit.write(audited, retainAuditDays, now)])
  return next
}

/** The kind of a partition: the first part of its key. */
type PartitionKind = 'user' | 'conversation' | 'run' | 'session' | 'exchanged'

/** A partition of the table with data of the user. */
export type Partition = { kind: PartitionKind; pk: string }

/** Called with the number of rows read so far; a large table takes minutes. */
export type Tell = (rows: number) => void

/** Called with the number of partitions with data; throws if the work must not begin. */
export type Admit = (found: number) => Promise<void>

/**
 * Returns every partition with data of the user, except the audit and the records of exports and erasures. No index
 * lists sessions and runs by user, so it reads the whole table. This also finds what a crash left, and costs an operator
 * a few cents for each gigabyte.
 */
export async function partitionsOf(uid: number, tell?: Tell): Promise<Partition[]> {
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
  for await (const rows of Table.pages(filter, tell)) for (const { pk } of rows) found.add(String(pk))
  return [...found].sort().map((pk) => ({ kind: pk.slice(0, pk.indexOf('#')) as PartitionKind, pk }))
}

/** Returns the user's entries in the audit, oldest first. */
export async function auditOf(uid: number, tell?: Tell): Promise<Audit.AuditEntry[]> {
  const found: Audit.AuditEntry[] = []
  const filter = {
    FilterExpression: 'begins_with(pk, :audit) AND be_user = :uid',
    ExpressionAttributeValues: { ':audit': auditPrefix, ':uid': uid },
  }
  for await (const rows of Table.pages(filter, tell))
    found.push(...rows.map((row) => Audit.codec.decode(row).entry))
  return found.sort((one, other) => one.time - other.time)
}

/** Returns all items of a partition. */
export async function rowsOf({ pk }: Partition): Promise<(Table.Row & Table.Key)[]> {
  return (await Table.below({ pk })) as (Table.Row & Table.Key)[]
}
