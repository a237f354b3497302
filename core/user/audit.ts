import { ulid } from 'ulid'
import * as z from 'zod'
import { auditPrefix } from '../base/aws/indexes.ts'
import { item, json, number, time } from '../base/aws/item.ts'
import * as Table from '../base/aws/table.ts'
import { sha256 } from '../base/hash.ts'
import { objectOf } from '../base/lazy-schema.ts'
import { version as release } from '../base/version.ts'

/** Appends logins, approvals, changes, undos, exports, erasures and refusals to the audit stream of the stage. */

/** Writes an audit entry on its own, not in a transaction; throws if the write fails. */
export async function note(event: Audited, retainDays: number | null, now: number): Promise<void> {
  await Table.put(encode(event, retainDays, now), { condition: 'attribute_not_exists(pk)' })
}

/** A refusal to audit. */
export type Refusal = Omit<Audited, 'act'> & { act?: 'logon' | 'refuse'; refusal: string }

/**
 * Audits a refusal once a minute for the same caller, operation and code: a client that keeps retrying cannot fill the
 * table.
 */
export async function noteRefusal(event: Refusal, retainDays: number | null, now: number): Promise<void> {
  const minute = now - (now % 60_000)
  const same = [event.uid, event.ip, event.operation, event.refusal, event.reason].join(' ')
  const id = sha256(same).slice(0, 26)
  const row = encode({ act: 'refuse', ...event }, retainDays, now, id)
  await Table.put(
    { ...row, sk: `${new Date(minute).toISOString()}#${id}` },
    { condition: 'attribute_not_exists(pk)' },
  )
}

/**
 * Yields the audit entries of a day (`YYYY-MM-DD`, UTC) in order of time; only the entries of one user if `uid` is
 * given.
 */
export async function* entries(day: string, uid?: number): AsyncGenerator<AuditEntry> {
  const days = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': partition(day) } }
  for await (const rows of Table.queried(days))
    for (const row of rows) {
      const { uid: by, entry } = codec.decode(row)
      if (uid === undefined || by === uid) yield entry
    }
}

/** The version of the Open Cybersecurity Schema Framework (OCSF) of the entries. */
const version = '1.3.0'

const Endpoint = z.object({ ip: z.string().optional(), name: z.string().optional() })
const User = z.object({ uid: z.string().optional(), type_id: z.int() })

/** An audit entry, as stored and printed. */
export const AuditEntry = objectOf(() => ({
  metadata: z.object({
    version: z.string(),
    uid: z.string(),
    product: z.object({ name: z.string(), version: z.string() }),
    /** The id of the run in which the act happened. */
    correlation_uid: z.string().optional(),
  }),
  /** Milliseconds since the epoch. */
  time: z.int(),
  class_uid: z.int(),
  category_uid: z.int(),
  activity_id: z.int(),
  activity_name: z.string(),
  /** `class_uid` * 100 + `activity_id`. */
  type_uid: z.int(),
  severity_id: z.int(),
  /** 1: done; 2: refused. */
  status_id: z.int(),
  /** The code of the refusal in the contract. */
  status_code: z.string().optional(),
  /** The detailed reason for the operator, if the contract has one code for several reasons. */
  status_detail: z.string().optional(),
  actor: z.object({ user: User }),
  /** The user of a login, if known. */
  user: User.optional(),
  api: z.object({ operation: z.string() }).optional(),
  src_endpoint: Endpoint,
  resources: z.array(z.object({ type: z.string(), uid: z.string() })).optional(),
}))
export type AuditEntry = z.infer<typeof AuditEntry>

/** OCSF's class and activity numbers of each act; 99 is OCSF's number for an activity with its own name. */
const kinds = {
  logon: { class: 3002, activity: 1, name: 'Logon' },
  logoff: { class: 3002, activity: 2, name: 'Logoff' },
  approve: { class: 6003, activity: 99, name: 'Approve' },
  decline: { class: 6003, activity: 99, name: 'Decline' },
  change: { class: 6003, activity: 3, name: 'Update' },
  undo: { class: 6003, activity: 99, name: 'Undo' },
  read: { class: 6003, activity: 2, name: 'Read' },
  export: { class: 6003, activity: 2, name: 'Read' },
  erase: { class: 6003, activity: 4, name: 'Delete' },
  refuse: { class: 6003, activity: 99, name: 'Refuse' },
} as const

/** An act that the stage audits. */
type Act = keyof typeof kinds

/** An act, as its caller describes it. */
export type Audited = {
  act: Act
  /** The user who acted; undefined if unknown, as after a wrong password. */
  uid: number | undefined
  /** The code of the refusal; absent if the act was done. */
  refusal?: string
  /** Details of the refusal for the operator, without anything that the caller sent. */
  reason?: string
  /** The route or command; defaults to the name of the act. */
  operation?: string
  /** Network address of the caller. */
  ip?: string
  /** The part of the service that did the act. */
  source: 'web' | 'consumer' | 'command'
  runId?: string
  resources?: { type: string; uid: number | string }[]
}

/** Returns the partition of a day, `YYYY-MM-DD`. */
const partition = (day: string) => `${auditPrefix}${day}`

const nothing: AuditEntry = {
  metadata: { version, uid: '', product: { name: '', version: '' } },
  time: 0,
  class_uid: 0,
  category_uid: 0,
  activity_id: 0,
  activity_name: '',
  type_uid: 0,
  severity_id: 0,
  status_id: 0,
  actor: { user: { type_id: 0 } },
  src_endpoint: {},
}

/**
 * The stored form of the audit: one partition for each day, entries by time. The service writes each entry under a new
 * key; its roles cannot update or delete a row of these partitions. `uid` is 0 if no user is known.
 */
export const codec = item('audit', 1, {
  uid: number('be_user', 0),
  at: time('at'),
  entry: json('entry', AuditEntry, nothing),
})

/**
 * Builds the entry of an act. A login has the class Authentication (3002), any other act has API Activity (6003). An
 * entry names users, records and runs by id. It contains no message text, no title and no field value.
 */
function entryOf(event: Audited, id: string, now: number): AuditEntry {
  const { act, uid, refusal, reason, operation = act, ip, source, runId, resources } = event
  const { class: of, activity, name } = kinds[act]
  const user = uid === undefined ? { type_id: 0 } : { uid: String(uid), type_id: 1 }
  return {
    metadata: {
      version,
      uid: id,
      product: { name: 'backend-ai-chat', version: release },
      ...(runId && { correlation_uid: runId }),
    },
    time: now,
    class_uid: of,
    category_uid: Math.floor(of / 1_000),
    activity_id: activity,
    activity_name: name,
    type_uid: of * 100 + activity,
    severity_id: refusal === undefined ? 1 : 2,
    status_id: refusal === undefined ? 1 : 2,
    ...(refusal !== undefined && { status_code: refusal }),
    ...(reason !== undefined && { status_detail: reason }),
    actor: { user },
    ...(of === 3002 ? { user } : { api: { operation } }),
    src_endpoint: { name: source, ...(ip && { ip }) },
    ...(resources && { resources: resources.map(({ type, uid }) => ({ type, uid: String(uid) })) }),
  }
}

/** Builds the row of an act, which expires after `retainDays`; null: never. */
export function encode(
  event: Audited,
  retainDays: number | null,
  now: number,
  id = ulid(now).toLowerCase(),
): Table.Row & Table.Key {
  const at = new Date(now).toISOString()
  return {
    pk: partition(at.slice(0, 10)),
    sk: `${at}#${id}`,
    ...codec.encode({ uid: event.uid ?? 0, at, entry: entryOf(event, id, now) }),
    ...Table.expiresAfter(retainDays, now),
  }
}

/** Returns the write that audits an act, for the transaction of the act. */
export function write(event: Audited, retainDays: number | null, now: number): Table.Write {
  return Table.putWrite(encode(event, retainDays, now), { condition: 'attribute_not_exists(pk)' })
}
