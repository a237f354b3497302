import * as z from 'zod'
import { userDataPrefix } from '../../base/aws/indexes.ts'
import { choice, field, item, number, type Of, optional, time } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'
import * as Audit from '../../user/audit.ts'

/**
 * The record that an export or an erasure leaves of itself: stored before anything is done, completed with the counts at the end. One
 * without an end was interrupted, and the next call of the same kind goes on with it.
 */

const Kind = z.enum(['export', 'erase'])
export type Kind = z.infer<typeof Kind>

const Numbers = z.object({
  conversations: z.number(),
  runs: z.number(),
  sessions: z.number(),
  files: z.number(),
  /** Items of the table, all of the above included. */
  items: z.number(),
})

/** The counts of a user's data: each number counts the items that were exported, or erased. */
export type Counts = z.infer<typeof Numbers>

/** Nothing was found yet. */
export const none: Counts = { conversations: 0, runs: 0, sessions: 0, files: 0, items: 0 }

/** The stored form of a record. */
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

/** The records of a user, oldest first of each kind. */
export async function records(uid: number): Promise<Record[]> {
  return (await Table.below({ pk: partitionOf(uid) })).map(codec.decode)
}

/** The record of an interrupted call of this kind, else a new one. */
export async function beginRecord(uid: number, kind: Kind, now: number): Promise<Record> {
  const open = (await records(uid)).findLast((it) => it.kind === kind && it.endedAt === undefined)
  if (open) return open
  const record = { uid, kind, startedAt: new Date(now).toISOString(), endedAt: undefined, counts: none }
  await Table.put({ ...key(record), ...codec.encode(record) })
  return record
}

/** Stores the progress; with `isEnded`, that it is whole, in one transaction with its entry in the audit. */
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
  const expires =
    retainAuditDays === null ? {} : { expires_at: Math.ceil(now / 1000) + retainAuditDays * 86_400 }
  const resources = [{ type: 'user', uid: record.uid }]
  const operation = `user-data ${record.kind}`
  await Table.transact([
    Table.putWrite({ ...row, ...expires }),
    Audit.write(
      { act: record.kind, uid: undefined, operation, source: 'command', resources },
      retainAuditDays,
      now,
    ),
  ])
  return next
}
