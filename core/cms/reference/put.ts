import type { Actor } from '../../base/actor.ts'
import * as Table from '../../base/aws/table.ts'
import type { RecordId } from '../../conversation/schema.ts'
import {
  type Done,
  type DryPut,
  isUndo,
  type Put,
  type PutAnswer,
  type RealPut,
  type Versions,
} from '../cms.ts'
import { trimAnswer } from '../difference.ts'
import { clean } from './clean.ts'
import { type Commit, commit } from './commit.ts'
import * as Item from './item.ts'
import { gap, planDelete, planMove, planPlace, planRemove, planUndelete } from './move.ts'
import { mayRead } from './permission.ts'
import * as Planning from './plan.ts'
import { denyFor, Refused } from './refusal.ts'
import { tableNamed } from './registry.ts'
import * as Rows from './rows.ts'
import { open, rowsOf, type Site } from './site.ts'

/** Previews a put for an actor, makes it once, and settles a put with an unknown outcome. */

/** The stored records that the puts name, keyed by the result of `nameOf`. */
type Records = ReadonlyMap<string, Item.Row>

const nameOf = ({ table, uid, original }: Pick<Put, 'table' | 'uid' | 'original'>) =>
  `${table}:${original ?? uid}`

/**
 * Returns the records of the puts, each once, also those in the bin. Checks no rights, because the plan checks them.
 */
async function recordsOfPuts({ store }: Site, puts: Put[]): Promise<Map<string, Item.Row>> {
  const targets = new Map(puts.map((put) => [nameOf(put), put]))
  const stored = async ({ table, uid, original }: Put) => {
    const id = original ?? uid
    return id === null || !tableNamed(table) ? undefined : Rows.stored(store, table, Item.ownId(id))
  }
  const rows = await Promise.all([...targets.values()].map(stored))
  return new Map(rows.flatMap((row) => (row ? [[nameOf(row), row]] : [])))
}

/** Previews a put after the earlier puts. Throws ToolError if it is refused. */
export async function show(site: Site, { put, earlier = [], versions }: DryPut): Promise<PutAnswer> {
  const records = await recordsOfPuts(site, [...earlier, put])
  let ground = site
  for (const each of earlier) {
    const planned = await planFor(ground, each, records).catch(refusedIn)
    if (planned instanceof Refused) continue
    if (planned.before) records.set(nameOf(planned.row), planned.row)
    ground = { ...ground, pages: Planning.pagesAfter(ground.pages, planned) }
  }
  const planned = await planFor(ground, put, records)
  const conflict = conflictOf(Planning.versionsOf(ground, planned), versions)
  return conflict ?? Planning.doneOf(ground, put, planned, planned.row)
}

/** Makes a put once per key. Throws ToolError if it is refused. */
export async function make(site: Site, { put, ...options }: RealPut): Promise<PutAnswer> {
  const key = Item.writeKey(site.actor.uid, options.key)
  const ended = await Table.get(key, site.store)
  if (ended) return Item.decodeOutcome(ended)
  const settings = { key: options.key, runId: options.correlationId, now: options.now }
  const ground = { ...site, isUndo: isUndo(options.correlationId) }
  const answer = await planFor(ground, put, await recordsOfPuts(site, [put]))
    .then((planned) => apply(site, put, planned, options.versions, settings))
    .catch(refusedIn)
  if (answer && 'state' in answer && answer.state === 'done') return answer
  // Another request may have completed the same put meanwhile. That looks like a conflict, so the key is read again.
  const endedMeanwhile = await Table.get(key, site.store)
  if (endedMeanwhile || !answer) return Item.decodeOutcome(endedMeanwhile)
  if (answer instanceof Refused) throw answer
  return answer
}

/** Returns a thrown refusal; throws any other error again. */
function refusedIn(error: unknown): Refused {
  if (error instanceof Refused) return error
  throw error
}

/**
 * Returns the outcome of a put. If there is none yet, stores `void` under its key, so that the put can no longer
 * happen.
 */
export async function settle(store: string, actor: Actor, key: string): Promise<PutAnswer> {
  const place = Item.writeKey(actor.uid, key)
  const item = Item.encodeOutcome(place, { state: 'void' })
  if (await Table.put(item, { condition: 'attribute_not_exists(pk)' }, store)) return { state: 'void' }
  return Item.decodeOutcome(await Table.get(place, store))
}

/**
 * Changes a record for a person, without a run. `version` is the version of the record that the person saw. Throws
 * VisibleError `record.notFound`, or `request.invalid` with the problem of each field.
 */
export async function save(
  store: string,
  actor: Actor,
  { version, ...put }: { table: string; uid: RecordId; fields: Record<string, unknown>; version: string },
  now: number,
): Promise<{ state: 'done'; version: string; changed: string[] } | { state: 'conflict' }> {
  const { answer, changed } = await byHand(store, actor, put, [{ ...put, version }], now)
  if (changed.length === 0) return { state: 'done', version, changed }
  return answer?.state === 'done'
    ? { state: 'done', version: answer.version, changed }
    : { state: 'conflict' }
}

/**
 * Creates a hidden record for a person, without a run. Returns its uid, or `conflict` if its page changed at the same
 * time. Throws VisibleError like `save`.
 */
export async function add(
  store: string,
  actor: Actor,
  { pid, ...draft }: { table: string; pid: RecordId; fields: Record<string, unknown> },
  now: number,
): Promise<{ state: 'done'; uid: number } | { state: 'conflict' }> {
  const { answer } = await byHand(store, actor, { ...draft, uid: null, place: { pid } }, [], now)
  return answer?.state === 'done'
    ? { state: 'done', uid: Item.ownId(answer.uid ?? 0) }
    : { state: 'conflict' }
}

/** Makes a put for a person, without a run; a refusal is in the language of that person. */
async function byHand(store: string, actor: Actor, put: Put, versions: Versions, now: number) {
  const site = await open(store, actor, now)
  const planned = await planFor(site, put, await recordsOfPuts(site, [put])).catch((error) => {
    throw error instanceof Refused ? error.inForm(actor.lang) : error
  })
  const answer = await apply(site, put, planned, versions, { key: null, runId: null, now })
  return { answer, changed: planned.changes.map(({ field }) => field) }
}

/** Returns the first version that differs from the expected version of its record. */
function conflictOf(stored: Versions, expected: Versions): PutAnswer | undefined {
  const other = stored.find(({ table, uid, version }) =>
    expected.some((one) => one.table === table && one.uid === uid && one.version !== version),
  )
  return other && { state: 'conflict', table: other.table, uid: other.uid }
}

/** Commits a plan; undefined if the put under this key has already ended. */
async function apply(
  site: Site,
  put: Put,
  planned: Planning.Plan,
  expected: Versions,
  settings: Pick<Commit, 'key' | 'runId' | 'now'>,
): Promise<PutAnswer | undefined> {
  const { row, before, original, changes } = planned
  const answerOf = (stored: Item.Row) => Planning.doneOf(site, put, planned, stored)
  const stands = Planning.versionsOf(site, planned)
  const conflict = conflictOf(stands, expected)
  if (conflict) return conflict
  if (before && changes.length === 0 && before.deleted === row.deleted)
    return unchanged(site, answerOf(row), settings)
  const { table, uid } = stands[0] ?? row
  const vacancy = planned.vacancy ?? (original && (await Rows.vacancyFor(site.store, original, row)))
  if (original && !vacancy) return { state: 'conflict', table, uid }
  const isPlaced = before || original || put.place?.after !== undefined
  const onto = before && before.pid !== row.pid ? site.pages.get(row.pid) : undefined
  const guards = onto ? [{ table: 'pages', uid: onto.uid, version: String(onto.version) }] : []
  const committed = await commit(site.store, {
    ...settings,
    actor: site.actor,
    action: planned.action ?? (before ? 'modify' : 'add'),
    before,
    row: isPlaced ? row : await atTheEnd(site, row),
    changes,
    answerOf,
    guards: before ? guards : stands,
    vacancy,
  })
  if (committed.state === 'keyTaken') return undefined
  return committed.state === 'lost' ? { state: 'conflict', table, uid } : answerOf(committed.row)
}

/** Stores the answer to a put that changes nothing; undefined if the put under this key has already ended. */
async function unchanged(
  { store, actor }: Site,
  answer: Done,
  { key }: Pick<Commit, 'key'>,
): Promise<PutAnswer | undefined> {
  if (key === null) return answer
  const item = Item.encodeOutcome(Item.writeKey(actor.uid, key), trimAnswer(answer))
  const isNew = await Table.put(item, { condition: 'attribute_not_exists(pk)' }, store)
  return isNew ? answer : undefined
}

/** Places a new record after all others on its page, unless it is a translation. */
async function atTheEnd(site: Site, row: Item.Row): Promise<Item.Row> {
  if (row.fields.sorting === undefined) return row
  const last = (await rowsOf(site, row.table))
    .filter((other) => other.pid === row.pid)
    .reduce((max, other) => Math.max(max, Item.numberOf(other, 'sorting')), 0)
  return { ...row, fields: { ...row.fields, sorting: last + gap } }
}

/** Plans a put by its kind, based on the records after earlier puts. Throws Refused. */
async function planFor(site: Site, given: Put, records: Records): Promise<Planning.Plan> {
  const put = cleanPut(given)
  const { bin, remove, original, place } = put
  const uid = original ?? put.uid
  const table = Planning.tableFor(site, put.table)
  const found = records.get(nameOf(put))
  // The operations to restore and to remove check themselves if the actor sees the record.
  const isThere = found && (remove || bin === false || mayRead(site.rights, site.pages, found))
  const isNew = uid === null && bin === undefined && !remove
  if (!isThere && !isNew) denyFor({ table: put.table, uid }, 'missing')
  if (!isThere) {
    const planned = await Planning.planCreate(site, table, put)
    if (place?.after === undefined) return planned
    return planPlace(planned, place.after, await rowsOf(site, put.table))
  }
  if (remove) return planRemove(site, found, records)
  if (bin !== undefined) return bin ? planDelete(site, found, records) : planUndelete(site, found)
  if (original !== undefined) return Planning.planTranslation(site, found, put, await rowsOf(site, put.table))
  const planned = await Planning.planUpdate(site, found, put)
  return place ? planMove(site, planned, place, await rowsOf(site, put.table)) : planned
}

/** Returns the put with its HTML in stored form. */
function cleanPut(put: Put): Put {
  const html = (tableNamed(put.table)?.fields ?? []).filter(({ kind }) => kind === 'html')
  const texts = html.flatMap(({ name }) => {
    const value = put.fields && Object.hasOwn(put.fields, name) ? put.fields[name] : undefined
    return typeof value === 'string' ? [[name, clean(value)]] : []
  })
  return texts.length === 0 ? put : { ...put, fields: { ...put.fields, ...Object.fromEntries(texts) } }
}
