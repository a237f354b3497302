import * as Table from '../../base/aws/table.ts'
import type { Row } from './item.ts'
import * as Item from './item.ts'
import { tableNamed } from './registry.ts'

/** The stored records of the reference CMS, without any check of rights. Only `stored` returns deleted records. */

/** The records that a process has read, by table; a record never changes without its version. */
const kept = new Map<string, ReadonlyMap<number, Row>>()

/** Returns all records of a table, in the order of their uids. */
export async function all(store: string, table: string): Promise<Row[]> {
  return tableNamed(table)?.isUnversioned ? whole(store, table) : [...(await current(store, table)).values()]
}

/**
 * Returns all records of a versioned table by uid. Later calls in a process read versions, and only those records whose
 * version is new.
 */
export async function current(store: string, table: string): Promise<ReadonlyMap<number, Row>> {
  const place = `${store} ${table}`
  const known = kept.get(place)
  const rows = known ? await renewed(store, table, known) : await whole(store, table)
  const now = new Map(rows.map((row) => [row.uid, row]))
  kept.set(place, now)
  return now
}

async function whole(store: string, table: string): Promise<Row[]> {
  const rows: Row[] = []
  for await (const item of items(store, Item.tablePartition(table), true)) rows.push(Item.decode(table, item))
  return rows
}

async function renewed(store: string, table: string, known: ReadonlyMap<number, Row>): Promise<Row[]> {
  const rows: Row[] = []
  const stale: Table.Key[] = []
  for await (const item of items(store, Item.tablePartition(table), true, { first: Item.versioned })) {
    const row = known.get(Number(item.uid))
    if (row && row.version === item.version) rows.push(row)
    else stale.push(Item.recordKey(table, Number(item.uid)))
  }
  const found = await Promise.all(stale.map(reader(store)))
  const changed = found.flatMap((item) => (item ? Item.decode(table, item) : []))
  return [...rows, ...changed.filter(({ deleted }) => !deleted)].sort((a, b) => a.uid - b.uid)
}

/**
 * Returns the candidates of a list: all records of a table, by uid. The first response has whole records, which is
 * enough for most tables; further responses have only outlines.
 */
export async function listed(store: string, table: string): Promise<(Row | Item.Outline)[]> {
  const rows: (Row | Item.Outline)[] = []
  for await (const item of items(store, Item.tablePartition(table), true, { later: Item.outlined }))
    rows.push(Item.decodeEither(table, item))
  return rows
}

/** Yields the records of a table, newest first; reads the next page only when it is needed. */
export async function* newest(store: string, table: string): AsyncGenerator<Row> {
  for await (const item of items(store, Item.tablePartition(table), false)) yield Item.decode(table, item)
}

/** Returns a record; undefined if it does not exist. */
export async function find(store: string, table: string, uid: number): Promise<Row | undefined> {
  const row = await stored(store, table, uid)
  return row?.deleted ? undefined : row
}

/** Returns a record, in the bin or not; undefined if it does not exist. */
export async function stored(store: string, table: string, uid: number): Promise<Row | undefined> {
  const item = await Table.get(Item.recordKey(table, uid), store)
  return item && Item.decode(table, item)
}

/** Yields the history rows in a partition, newest first. */
export async function* trail(store: string, partition: string): AsyncGenerator<Row> {
  const keys: Table.Key[] = []
  for await (const item of items(store, partition, false))
    keys.push({ pk: Item.tablePartition('sys_history'), sk: String(item.sk) })
  for (const some of Table.chunks(keys, 50)) {
    const found = await Table.batch(some.map((key) => ({ table: store, key })))
    for (const item of found) if (item) yield Item.decode('sys_history', item)
  }
}

/** Returns new uids, one for each given table, in one atomic step. */
export async function allocate<T extends string>(store: string, tables: T[]): Promise<Record<T, number>> {
  const add = Object.fromEntries(tables.map((table) => [table, 1]))
  const row = await Table.assigned(Item.counterKey, { add }, store)
  return Object.fromEntries(tables.map((table) => [table, Number(row?.[table])])) as Record<T, number>
}

type Projection = { ProjectionExpression?: string; ExpressionAttributeNames?: Record<string, string> }

/**
 * Yields the items of a partition that are not in the bin: the bin can be larger than the site. `first` and `later` say
 * which attributes the first request and further ones read; all by default.
 */
async function* items(
  store: string,
  partition: string,
  ascending: boolean,
  { first = {}, later = first }: { first?: Projection; later?: Projection } = {},
): AsyncGenerator<Table.Row> {
  let start: Table.Row | undefined
  do {
    const { rows, next } = await Table.query({
      TableName: store,
      KeyConditionExpression: 'pk = :pk',
      FilterExpression: 'attribute_not_exists(deleted) OR deleted = :no',
      ExpressionAttributeValues: { ':pk': partition, ':no': false },
      ScanIndexForward: ascending,
      ...(!ascending && { Limit: 100 }),
      ...(start ? { ExclusiveStartKey: start, ...later } : first),
    })
    yield* rows
    start = next
  } while (start)
}

/** A function that reads an item of one table by key. */
export type Reader = (key: Table.Key) => Promise<Table.Row | undefined>

/** The maximum number of keys in one request. */
const atOnce = 100

/** Creates a reader with strong consistency; keys requested at the same moment share one request. */
export function reader(store: string): Reader {
  let asked: { key: Table.Key; done: (rows: Promise<Table.Row | undefined>) => void }[] = []
  const read = () => {
    const now = asked
    asked = []
    for (const some of Table.chunks(now, atOnce)) {
      const rows = Table.batch(some.map(({ key }) => ({ table: store, key })))
      for (const [nth, { done }] of some.entries()) done(rows.then((found) => found[nth]))
    }
  }
  return (key) =>
    new Promise((done) => {
      if (asked.length === 0) setImmediate(read)
      asked.push({ key, done })
    })
}

/**
 * The single entry for the translation of a record into a language; `gone` is the uid of a deleted translation that
 * still holds it.
 */
export type Vacancy = { key: Table.Key; gone: number }

/** Returns the free entry for a new translation; undefined if another translation has taken it meanwhile. */
export async function vacancyFor(
  store: string,
  original: Row,
  translation: Row,
): Promise<Vacancy | undefined> {
  const { table } = original
  const key = Item.translationKey(table, original.uid, Item.numberOf(translation, 'language'))
  const gone = Number((await Table.get(key, store))?.taken_by ?? 0)
  return gone > 0 && (await find(store, table, gone)) ? undefined : { key, gone }
}

/** Returns the write that gives the entry to a translation; it fails if another translation has taken it. */
export const occupy = (store: string, { key, gone }: Vacancy, uid: number): Table.Write =>
  Table.putWrite(
    { ...key, taken_by: uid },
    { condition: 'attribute_not_exists(pk) OR taken_by = :gone', values: { ':gone': gone } },
    store,
  )
