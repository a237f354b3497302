import { ulid } from 'ulid'
import { item, json, number, time } from '../aws/item.ts'
import type * as Table from '../aws/table.ts'
import { config } from '../stage/config.ts'
import { version as release } from '../stage/version.ts'
import { type Act, type Audited, Entry, prefix, version } from './schema.ts'

/**
 * The stored form of the audit: one partition a day, entries by their time. The service puts each entry under a new key,
 * and its roles may change and delete nothing in these partitions.
 */

/** The partition of a day, `YYYY-MM-DD`. */
export const partition = (day: string) => `${prefix}${day}`

const nothing: Entry = {
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

/** How an entry is stored; `uid` is 0 where no user is known. */
export const codec = item('audit', 1, {
  uid: number('be_user', 0),
  at: time('at'),
  entry: json('entry', Entry, nothing),
})

/** Class and activity of each act, as OCSF numbers them; 99 is its number for an activity with a name of its own. */
const kinds: Record<Act, { class: 3002 | 6003; activity: number; name: string }> = {
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
}

/** The entry of an act; `now` in milliseconds since the epoch. */
export function entryOf(event: Audited, id: string, now: number): Entry {
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

/** The row of an act, kept for so many days; null: for ever. */
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
    ...(retainDays !== null && { expires_at: Math.ceil(now / 1000) + retainDays * 86_400 }),
  }
}

/** The write that audits an act in the transaction that does it. */
export function write(event: Audited, retainDays: number | null, now: number): Table.Write {
  const condition = { ConditionExpression: 'attribute_not_exists(pk)' }
  return { Put: { TableName: config().table, Item: encode(event, retainDays, now), ...condition } }
}
