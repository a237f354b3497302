import type { Actor } from '../../base/actor.ts'
import * as Table from '../../base/aws/table.ts'
import type { RecordId } from '../../conversation/schema.ts'
import { type DryPut, isUndo, type Put, type PutAnswer, type RealPut, type Versions } from '../cms.ts'
import { keptOf } from '../difference.ts'
import { clean } from './clean.ts'
import { type Commit, commit } from './commit.ts'
import * as Item from './item.ts'
import { gap, planDelete, planMove, planPlace, planRemove, planUndelete } from './move.ts'
import { mayRead } from './permission.ts'
import {
  after,
  doneOf,
  fieldsOfState,
  type Ground,
  type Plan,
  planCreate,
  planTranslation,
  planUpdate,
  tableFor,
  versionsOf,
} from './plan.ts'
import { denyFor, Refused } from './refusal.ts'
import { type TableSpec, tableNamed } from './registry.ts'
import * as Rows from './rows.ts'
import { open, type Site } from './site.ts'

/** Putting as an actor: what it would change, doing it once, and settling what is in doubt. */

type Records = ReadonlyMap<string, Item.Row>

/** Shows what a put would change after the earlier ones. Throws ToolError when it is refused. */
export async function show(site: Site, { put, earlier = [], versions }: DryPut): Promise<PutAnswer> {
  // Each record once, however many of the puts are about it.
  const targets = new Map([...earlier, put].map((each) => [`${each.table}:${each.uid}`, each]))
  const rows = await Promise.all([...targets.values()].map(target))
  const records = new Map(rows.flatMap((row) => (row ? [[nameOf(row), row] as const] : [])))
  let ground = site
  for (const each of earlier) {
    const planned = await planFor(ground, each, records).catch(refusedIn)
    if (planned instanceof Refused) continue
    if (planned.before) records.set(nameOf(planned.row), planned.row)
    ground = { ...ground, pages: after(ground.pages, planned) }
  }
  const planned = await planFor(ground, put, records)
  return conflictOf(versionsOf(ground, planned), versions) ?? doneOf(ground, put, planned, planned.row)

  function target(each: Put) {
    return find(site, each)
  }
}

/** Makes a put once per key. Throws ToolError when it is refused. */
export async function make(site: Site, { put, ...options }: RealPut): Promise<PutAnswer> {
  const key = Item.writeKey(site.actor.uid, options.key)
  const ended = await Table.get(key, site.store)
  if (ended) return Item.decodeOutcome(ended)
  const row = await find(site, put)
  const settings = { key: options.key, runId: options.correlationId, now: options.now }
  const answer = await planFor(
    { ...site, isUndo: isUndo(options.correlationId) },
    put,
    new Map(row ? [[nameOf(row), row]] : []),
  )
    .then((planned) => apply(site, put, planned, options.versions, settings))
    .catch(refusedIn)
  if (answer && 'state' in answer && answer.state === 'done') return answer
  // The same put, sent twice at once, may have ended since the key was read: its record is then no longer as planned.
  const endedMeanwhile = await Table.get(key, site.store)
  if (endedMeanwhile || !answer) return Item.decodeOutcome(endedMeanwhile)
  if (answer instanceof Refused) throw answer
  return answer
}

/** The refusal among what was thrown. */
function refusedIn(error: unknown): Refused {
  if (error instanceof Refused) return error
  throw error
}

/** Throws a refusal as a person reads it who edits a record by hand. */
function refusedInForm(error: unknown, lang: string): never {
  throw error instanceof Refused ? error.inForm(lang) : error
}

/** The end of a put; where there is none yet, `void` is put under its key, and it can no longer happen. */
export async function settle(store: string, actor: Actor, key: string): Promise<PutAnswer> {
  const place = Item.writeKey(actor.uid, key)
  const item = Item.encodeOutcome(place, { state: 'void' })
  if (await Table.put(item, { condition: 'attribute_not_exists(pk)' }, store)) return { state: 'void' }
  return Item.decodeOutcome(await Table.get(place, store))
}

/**
 * Changes a record by hand, without a run. `version` is that of the record as the person saw it. Throws VisibleError
 * `record.notFound`, or `request.invalid` with what is wrong with which field.
 */
export async function save(
  store: string,
  actor: Actor,
  edit: { table: string; uid: RecordId; fields: Record<string, unknown>; version: string },
  now: number,
): Promise<{ state: 'done'; version: string; changed: string[] } | { state: 'conflict' }> {
  const site = await open(store, actor, now)
  const { version, ...put } = edit
  const row = await find(site, put)
  const records = new Map(row ? [[nameOf(row), row]] : [])
  const planned = await planFor(site, put, records).catch((error) => refusedInForm(error, actor.lang))
  const changed = planned.changes.map(({ field }) => field)
  if (changed.length === 0) return { state: 'done', version, changed }
  const versions = [{ table: put.table, uid: put.uid, version }]
  const outcome = await apply(site, put, planned, versions, { key: null, runId: null, now })
  return outcome?.state === 'done'
    ? { state: 'done', version: outcome.version, changed }
    : { state: 'conflict' }
}

/**
 * Makes a record by hand, hidden and without a run, and answers its uid; `conflict` when its page changed in this
 * moment. Throws VisibleError like `save`.
 */
export async function add(
  store: string,
  actor: Actor,
  { pid, ...draft }: { table: string; pid: RecordId; fields: Record<string, unknown> },
  now: number,
): Promise<{ state: 'done'; uid: number } | { state: 'conflict' }> {
  const site = await open(store, actor, now)
  const put: Put = { ...draft, uid: null, place: { pid } }
  const planned = await planFor(site, put, new Map()).catch((error) => refusedInForm(error, actor.lang))
  const outcome = await apply(site, put, planned, [], { key: null, runId: null, now })
  return outcome?.state === 'done'
    ? { state: 'done', uid: Item.ownId(outcome.uid ?? 0) }
    : { state: 'conflict' }
}

/** The first of the versions that is not the one expected of its record. */
function conflictOf(stored: Versions, expected: Versions): PutAnswer | undefined {
  const other = stored.find(({ table, uid, version }) =>
    expected.some((one) => one.table === table && one.uid === uid && one.version !== version),
  )
  return other && { state: 'conflict', table: other.table, uid: other.uid }
}

/** Commits a plan; undefined when the put under this key has already ended. */
async function apply(
  site: Site,
  put: Put,
  planned: Plan,
  expected: Versions,
  settings: Pick<Commit, 'key' | 'runId' | 'now'>,
): Promise<PutAnswer | undefined> {
  const { row, before, original, changes } = planned
  const stands = versionsOf(site, planned)
  const conflict = conflictOf(stands, expected)
  if (conflict) return conflict
  if (before && changes.length === 0 && before.deleted === row.deleted)
    return unchanged(site, put, planned, settings)
  const [basis] = stands
  const lost: PutAnswer = { state: 'conflict', table: basis?.table ?? row.table, uid: basis?.uid ?? row.uid }
  const vacancy = planned.vacancy ?? (original && (await Rows.vacancyFor(site.store, original, row)))
  if (original && !vacancy) return lost
  const onto = before && before.pid !== row.pid ? site.pages.get(row.pid) : undefined
  const guards = onto ? [{ table: 'pages', uid: onto.uid, version: String(onto.version) }] : []
  const answerOf = (stored: Item.Row) => doneOf(site, put, planned, stored)
  const committed = await commit(site.store, {
    ...settings,
    actor: site.actor,
    action: planned.action ?? (before ? 'modify' : 'add'),
    before,
    row: before || original || planned.isPlaced ? row : await atTheEnd(site, row),
    changes,
    answerOf,
    guards: before ? guards : stands,
    vacancy,
  })
  if (committed.state === 'keyTaken') return undefined
  return committed.state === 'lost' ? lost : answerOf(committed.row)
}

/** Keeps the answer to a put that changes nothing; undefined when the put under this key has already ended. */
async function unchanged(
  site: Site,
  put: Put,
  planned: Plan,
  { key }: Pick<Commit, 'key'>,
): Promise<PutAnswer | undefined> {
  const answer = doneOf(site, put, planned, planned.row)
  if (key === null) return answer
  const item = Item.encodeOutcome(Item.writeKey(site.actor.uid, key), keptOf(answer))
  const isNew = await Table.put(item, { condition: 'attribute_not_exists(pk)' }, site.store)
  return isNew ? answer : undefined
}

/** A new record that is no translation comes after all others on its page. */
async function atTheEnd(site: Site, row: Item.Row): Promise<Item.Row> {
  if (row.fields.sorting === undefined) return row
  const last = (await rowsOf(site, row.table))
    .filter((other) => other.pid === row.pid)
    .reduce((max, other) => Math.max(max, Item.numberOf(other, 'sorting')), 0)
  return { ...row, fields: { ...row.fields, sorting: last + gap } }
}

/** All records of a table; the pages as the site has them. */
async function rowsOf({ store, pages }: Site, table: string): Promise<Item.Row[]> {
  return table === 'pages' ? [...pages.values()] : Rows.all(store, table)
}

/** Plans a put by its kind, on the records as earlier puts leave them. Throws Refused. */
async function planFor(site: Site, given: Put, records: Records): Promise<Plan> {
  const put = cleanPut(given)
  const { uid, bin, remove, original, place } = put
  const table = tableFor(site, put.table)
  const found = records.get(`${put.table}:${original ?? uid}`)
  // The ways out of the bin and away decide themselves what is there for the actor.
  const isThere = found && (remove || bin === false || mayRead(site.rights, site.pages, found))
  const isNew = uid === null && original === undefined && bin === undefined && !remove
  if (!isThere && !isNew) denyFor({ table: put.table, uid: original ?? uid }, 'missing')
  const row = isThere ? found : undefined
  if (row && remove) return planRemove(site, row)
  if (row && bin !== undefined) return bin ? planDelete(site, row, records) : planUndelete(site, row)
  if (row && original !== undefined) return planTranslation(site, row, put, await rowsOf(site, put.table))
  const exists = await knownFor(site, put)
  if (!row) {
    const planned = planCreate({ site, row: undefined, exists }, table, put)
    return place?.after === undefined
      ? planned
      : planPlace(planned, place.after, await rowsOf(site, put.table))
  }
  const content = planContent({ site, row, exists }, table, put)
  if (!place) return content
  const moved = planMove(site, content.row, place, await rowsOf(site, put.table))
  return { ...moved, before: row, changes: [...content.changes, ...moved.changes] }
}

/** The put with HTML as it is stored. */
function cleanPut(put: Put): Put {
  const html = (tableNamed(put.table)?.fields ?? []).filter(({ kind }) => kind === 'html')
  const texts = html.flatMap(({ name }) => {
    const value = put.fields && Object.hasOwn(put.fields, name) ? put.fields[name] : undefined
    return typeof value === 'string' ? [[name, clean(value)]] : []
  })
  return texts.length === 0 ? put : { ...put, fields: { ...put.fields, ...Object.fromEntries(texts) } }
}

/** The plan of the fields and the state of a put; of a put without them, one that changes nothing. */
function planContent(ground: Ground & { row: Item.Row }, table: TableSpec, { fields, state }: Put): Plan {
  const { row } = ground
  if (!fields && !state) return { row, before: row, changes: [] }
  return planUpdate(ground, table, { ...fields, ...(state && fieldsOfState(row, state)) })
}

/** The records that a relation of a put may name. */
async function knownFor(site: Site, { table, fields = {} }: Put) {
  const names = Object.keys(fields)
  const isMedia = tableNamed(table)?.fields.some(({ name, kind }) => kind === 'media' && names.includes(name))
  const [users, media] = await Promise.all([
    names.includes('perms_userid') ? Rows.all(site.store, 'be_users') : [],
    isMedia ? Rows.all(site.store, 'media') : [],
  ])
  const known: Record<string, ReadonlySet<number>> = {
    pages: new Set(site.pages.keys()),
    be_groups: new Set(site.groups.keys()),
    be_users: new Set(users.map((user) => user.uid)),
    media: new Set(media.filter((row) => mayRead(site.rights, site.pages, row)).map(({ uid }) => uid)),
  }
  return (name: string, uid: number) => known[name]?.has(uid) ?? false
}

/** The record that a put is about, whether or not the actor may see it, in the bin or not: the plan decides that. */
async function find(site: Site, { table, uid, original }: Put): Promise<Item.Row | undefined> {
  const id = original ?? uid
  return id === null || !tableNamed(table) ? undefined : Rows.stored(site.store, table, Item.ownId(id))
}

function nameOf(row: Item.Row): string {
  return `${row.table}:${row.uid}`
}
