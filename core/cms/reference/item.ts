import * as z from 'zod'
import type { Actor } from '../../base/actor.ts'
import type { Key } from '../../base/aws/table.ts'
import { objectOf } from '../../base/lazy-schema.ts'
import type { RecordId } from '../../conversation/schema.ts'
import type { Cms, PutAnswer } from '../cms.ts'

/**
 * The stored form of the reference CMS; its table has no index. Every question is one query or one batch:
 *   pk `table#<name>`             sk `<uid>`      a record; in the log and the history, uids are in the order of time
 *   pk `history#<table>#<uid>`    sk `<uid>`      the uid of a history row of the record
 *   pk `write#<user>#<key>`       sk `write`      the answer to a put
 *   pk `counter`                  sk `counter`    the last uid of each table
 *   pk `translation#<table>#<uid>` sk `language#<id>`  the one translation of a record into a language
 *   pk `site`                     sk `site`       name and languages; stored when the site is created
 * A list that is filtered by rights reads every record of its table; that suits a site of some thousand records.
 */

/** A stored value of a field. */
export const Value = z.union([z.string(), z.number(), z.boolean(), z.null()])
export type Value = z.infer<typeof Value>

/** A record as it is stored. Times are milliseconds since the epoch; `version` grows by one with every change. */
const Stored = z.object({
  uid: z.int(),
  pid: z.int(),
  deleted: z.boolean(),
  version: z.int(),
  createdAt: z.number(),
  changedAt: z.number(),
  changedBy: z.string().nullable(),
  fields: z.record(z.string(), Value),
})
/** A record of a table. */
export type Row = { table: string } & z.infer<typeof Stored>

/** Returns a new record without uid, version and times. */
export const blank = (table: string, pid: number, fields: Row['fields']): Row => ({
  table,
  uid: 0,
  pid,
  deleted: false,
  version: 0,
  createdAt: 0,
  changedAt: 0,
  changedBy: null,
  fields,
})

/** The attributes of a user's row besides its fields: never shown, never part of a record. */
type Credentials = { password: string; effective_groups: number[] }

const order = (uid: number) => String(uid).padStart(12, '0')

/** Returns the key of a record. */
export const recordKey = (table: string, uid: number): Key => ({ pk: `table#${table}`, sk: order(uid) })
/** Returns the partition of all records of a table. */
export const tablePartition = (table: string): string => `table#${table}`
/** Returns the partition that lists the history of a record. */
export const historyPartition = (table: string, uid: number): string => `history#${table}#${uid}`
/** Returns the key of a history row within a list. */
export const trailKey = (partition: string, historyUid: number): Key => ({
  pk: partition,
  sk: order(historyUid),
})
/** Returns the key of the answer to a put. */
export const writeKey = (owner: number, key: string): Key => ({ pk: `write#${owner}#${key}`, sk: 'write' })
/** Returns the key of the entry that reserves a language for the translation of a record. */
export const translationKey = (table: string, original: number, language: number): Key => ({
  pk: `translation#${table}#${original}`,
  sk: `language#${language}`,
})
/** Key of the counter that hands out the uids of a table. */
export const counterKey: Key = { pk: 'counter', sk: 'counter' }
/** Key of the item with the data of the whole site. */
export const siteKey: Key = { pk: 'site', sk: 'site' }

/** Returns the item of a record; the item of a user also has the credentials. */
export const encode = (
  { table, ...stored }: Row,
  credentials?: Credentials,
): Key & Record<string, unknown> => ({ ...recordKey(table, stored.uid), ...stored, ...credentials })

/** Returns the record of an item. */
export const decode = (table: string, item: unknown): Row => ({ table, ...Stored.parse(item) })

const Outlined = z.lazy(() =>
  Stored.pick({ uid: true, pid: true, deleted: true, createdAt: true }).extend({
    fields: Stored.shape.fields.default({}),
  }),
)
/** The attributes of a record that is not read whole: its position, and the data for the rights to read it. */
export type Outline = { table: string } & z.infer<typeof Outlined>

/** The part of a query that reads outlines instead of whole records. */
export const outlined = {
  ProjectionExpression: 'uid, pid, deleted, createdAt, #fields.#sorting, #fields.#date',
  ExpressionAttributeNames: { '#fields': 'fields', '#sorting': 'sorting', '#date': 'date' },
}

/** The part of a query that reads only the versions of records. */
export const versioned = {
  ProjectionExpression: 'uid, #version',
  ExpressionAttributeNames: { '#version': 'version' },
}

/** Returns the record of an item, or its outline if only the outline was read. */
export const decodeEither = (table: string, item: Record<string, unknown>): Row | Outline =>
  'version' in item ? decode(table, item) : { table, ...Outlined.parse(item) }

/** True for a record that was read whole. */
export const isWhole = (row: Row | Outline): row is Row => 'version' in row

/** Returns the item that stores the outcome of a put. */
export const encodeOutcome = (key: Key, answer: PutAnswer): Key & Record<string, unknown> => ({
  ...key,
  answer: JSON.stringify(answer),
})

/** Reads the outcome of a put from the item under its key. */
export function decodeOutcome(item: unknown): PutAnswer {
  return JSON.parse(z.object({ answer: z.string() }).parse(item).answer) as PutAnswer
}

const SiteItem = objectOf(() => ({
  name: z.string(),
  languages: z.array(z.object({ id: z.int(), title: z.string(), locale: z.string() })),
}))
type SiteItem = z.infer<typeof SiteItem>

/** Returns name and languages of the site; an empty name and English if nothing is stored yet. */
export function decodeSite(item: unknown): SiteItem {
  return item ? SiteItem.parse(item) : { name: '', languages: [{ id: 0, title: 'English', locale: 'en' }] }
}

/** Returns the value of a text field; empty if the value is no text. */
export const textOf = (row: Row, field: string): string => {
  const value = row.fields[field]
  return typeof value === 'string' ? value : ''
}

/** Returns the value of a number field; 0 if the value is no number. */
export const numberOf = (row: Pick<Row, 'fields'>, field: string): number => {
  const value = row.fields[field]
  return typeof value === 'number' ? value : 0
}

/** Compares records of a page by their manual order. */
export const bySorting = (a: Outline, b: Outline): number =>
  numberOf(a, 'sorting') - numberOf(b, 'sorting') || a.uid - b.uid

/** True for a record that is the translation of another one. */
export const isTranslation = (row: Row): boolean => numberOf(row, 'original') !== 0

/** Returns the items of a comma-separated list. */
export const membersOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Returns the members of a list field. */
export const listOf = (row: Row, field: string): string[] => membersOf(textOf(row, field))

/** Returns the uids of a list field. */
export const uidsOf = (row: Row, field: string): number[] =>
  listOf(row, field)
    .map(Number)
    .filter((uid) => Number.isInteger(uid))

/** Converts an id to a uid, which is a number in this CMS. Text that is no number gives -1, the uid of no record. */
export function ownId(id: RecordId): number {
  if (typeof id === 'number') return id
  return /^[1-9][0-9]{0,14}$/.test(id) ? Number(id) : -1
}

const Effective = z.object({ effective_groups: z.array(z.int()) })

/**
 * Returns the actor of a user's item; undefined if the user is gone, disabled or outside the active period. A save of
 * users or groups stores the effective groups in the item, so this item alone identifies the actor.
 */
export function actorOf(item: Record<string, unknown> | undefined, now: number): Actor | undefined {
  if (!item) return undefined
  const row = decode('be_users', item)
  if (!isActive(row, now)) return undefined
  return {
    uid: row.uid,
    username: textOf(row, 'username'),
    name: textOf(row, 'name') || textOf(row, 'username'),
    isAdmin: row.fields.admin === true,
    groups: Effective.parse(item).effective_groups,
    lang: textOf(row, 'lang') || 'en',
  }
}

/** Returns the key of a user's row in the table, and the function that reads the actor from it. */
export function userRow(table: string): NonNullable<Cms['userRow']> {
  return { table, key: (uid) => recordKey('be_users', uid), decode: actorOf }
}

/** True if the user may act now. `now` is milliseconds since the epoch; the end of the period is exclusive. */
export function isActive(user: Row, now: number): boolean {
  if (user.deleted || user.fields.disable === true) return false
  const { starttime, endtime } = user.fields
  if (typeof starttime === 'string' && Date.parse(starttime) > now) return false
  return !(typeof endtime === 'string' && Date.parse(endtime) <= now)
}
