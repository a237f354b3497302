import type { Actor } from '../../actor.ts'
import * as Table from '../../aws/table.ts'
import type { RecordId } from '../../conversation/schema.ts'
import type { Write, WriteOptions, WriteOutcome, WritePreview } from '../cms.ts'
import { planDelete, planUndelete } from './bin.ts'
import { type Commit, commit } from './commit.ts'
import { shownChanges } from './history.ts'
import type { Row } from './item.ts'
import * as Item from './item.ts'
import { meantBy, type OfRecord } from './meant.ts'
import { mediaFor, withNames } from './media.ts'
import { gap, planMove } from './move.ts'
import { ownId } from './own-id.ts'
import { mayRead } from './permission.ts'
import { after, type Plan, plan } from './plan.ts'
import { type Refusal, toToolError, toVisibleError } from './refusal.ts'
import { tableNamed } from './registry.ts'
import { planRemove } from './remove.ts'
import * as Rows from './rows.ts'
import { open, type Site } from './site.ts'
import { snapshots } from './snapshot.ts'
import { vacancyFor } from './translated.ts'
import { planTranslation } from './translation.ts'
import { titleOf } from './view.ts'

/** Writing as an actor: what it would change, doing it once, and settling what is in doubt. */

/** What the write would change after the earlier ones. Throws ToolError when it is refused. */
export async function preview(site: Site, write: Write, earlier: Write[]): Promise<WritePreview> {
  // Each record once, however many of the writes are about it.
  const targets = new Map(
    [...earlier, write].map((each) => ['uid' in each ? `${each.table}:${each.uid}` : '', each]),
  )
  const rows = await Promise.all([...targets.values()].map((each) => target(site, each)))
  const records = new Map(rows.flatMap((row) => (row ? [[nameOf(row), row] as const] : [])))
  let ground = site
  for (const each of earlier) {
    const planned = await planFor(ground, each, records)
    if ('refused' in planned) continue
    if (planned.before) records.set(nameOf(planned.row), planned.row)
    ground = { ...ground, pages: after(ground.pages, planned) }
  }
  const planned = await planFor(ground, write, records)
  if ('refused' in planned) throw toToolError(planned)
  return previewOf(ground, write, planned)
}

function previewOf(site: Site, write: Write, planned: Plan): WritePreview {
  const { row, before, original } = planned
  const pageUid = row.table === 'pages' && before ? row.uid : row.pid
  const page = row.table === 'pages' && before ? before : site.pages.get(pageUid)
  return {
    table: row.table,
    uid: before?.uid ?? null,
    label: titleOf(before ?? original ?? row),
    page: { uid: pageUid, title: page ? titleOf(page) : '' },
    changes: planned.shown ?? shownChanges(site, row, planned.changes, before === undefined),
    ...(original && { original: original.uid }),
    versions: [versionOf(site, write, before ?? original)].flatMap((version) => version ?? []),
  }
}

/** The basis of a write: the record, for a translation its original, or for another new record its page. */
function versionOf(site: Site, write: Write, before: Row | undefined) {
  const row = before ?? (write.kind === 'create' ? site.pages.get(ownId(write.pid)) : undefined)
  return row && { table: row.table, uid: row.uid, version: String(row.version) }
}

/**
 * Applies the write once per key; with `withSnapshots` the outcome has what it found and left. Throws ToolError when it is
 * refused.
 */
export async function write(
  site: Site,
  wanted: Write,
  options: WriteOptions & { withSnapshots?: boolean },
): Promise<WriteOutcome> {
  const key = Item.writeKey(site.actor.uid, options.key)
  const ended = await Table.get(key, site.store)
  if (ended) return Item.decodeOutcome(ended)
  const row = await target(site, wanted)
  const planned = await planFor(site, wanted, new Map(row ? [[nameOf(row), row]] : []))
  const outcome =
    'refused' in planned
      ? planned
      : await apply(site, wanted, planned, {
          key: options.key,
          runId: options.correlationId,
          versions: options.versions,
          now: options.now,
          ...(options.withSnapshots && { snapshots: snapshots(site, planned) }),
        })
  if (outcome && 'state' in outcome && outcome.state === 'done') return outcome
  // The same write, sent twice at once, may have ended since the key was read: its record is then no longer as planned.
  const endedMeanwhile = await Table.get(key, site.store)
  if (endedMeanwhile || !outcome) return Item.decodeOutcome(endedMeanwhile)
  if ('refused' in outcome) throw toToolError(outcome)
  return outcome
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
  const wanted: Write = { kind: 'update', table: edit.table, uid: edit.uid, fields: edit.fields }
  const row = await target(site, wanted)
  const planned = await planFor(site, wanted, new Map(row ? [[nameOf(row), row]] : []))
  if ('refused' in planned) {
    if (planned.refused === 'unchanged') return { state: 'done', version: edit.version, changed: [] }
    throw toVisibleError(planned, actor.lang)
  }
  const versions = [{ table: edit.table, uid: edit.uid, version: edit.version }]
  const outcome = await apply(site, wanted, planned, { key: null, runId: null, versions, now })
  if (outcome?.state !== 'done') return { state: 'conflict' }
  return { state: 'done', version: outcome.version, changed: outcome.changed }
}

/**
 * Makes a record by hand, hidden and without a run, and answers its uid; `conflict` when its page changed in this
 * moment. Throws VisibleError like `save`.
 */
export async function add(
  store: string,
  actor: Actor,
  draft: { table: string; pid: RecordId; fields: Record<string, unknown> },
  now: number,
): Promise<{ state: 'done'; uid: number } | { state: 'conflict' }> {
  const site = await open(store, actor, now)
  const wanted: Write = { kind: 'create', ...draft }
  const planned = await planFor(site, wanted, new Map())
  if ('refused' in planned) throw toVisibleError(planned, actor.lang)
  const outcome = await apply(site, wanted, planned, { key: null, runId: null, versions: [], now })
  return outcome?.state === 'done' ? { state: 'done', uid: ownId(outcome.uid) } : { state: 'conflict' }
}

/** The end of a write; where there is none yet, `void` is put under its key, and it can no longer happen. */
export async function settle(store: string, actor: Actor, key: string): Promise<WriteOutcome> {
  const item = { ...Item.writeKey(actor.uid, key), state: 'void' }
  if (await Table.put(item, { condition: 'attribute_not_exists(pk)' }, store)) return { state: 'void' }
  return Item.decodeOutcome(await Table.get(Item.writeKey(actor.uid, key), store))
}

/** Commits a plan; undefined when the write under this key has already ended. */
async function apply(
  site: Site,
  wanted: Write,
  planned: Plan,
  options: Pick<Commit, 'key' | 'runId' | 'now' | 'snapshots'> & Pick<WriteOptions, 'versions'>,
): Promise<WriteOutcome | undefined> {
  const { row, before, original, changes } = planned
  const stands = versionOf(site, wanted, before ?? original)
  const expected = options.versions.find(({ table, uid }) => table === stands?.table && uid === stands.uid)
  if (stands && expected && expected.version !== stands.version)
    return { state: 'conflict', table: stands.table, uid: stands.uid }
  const vacancy = planned.vacancy ?? (original && (await vacancyFor(site.store, original, row)))
  if (original && !vacancy) return { state: 'conflict', table: original.table, uid: original.uid }
  const sorted = before || original ? row : await atTheEnd(site, row)
  const onto = before && before.pid !== row.pid ? site.pages.get(row.pid) : undefined
  const guards = onto ? [{ table: 'pages', uid: onto.uid, version: String(onto.version) }] : []
  const committed = await commit(site.store, {
    actor: site.actor,
    action: planned.action ?? (before ? 'modify' : 'add'),
    before,
    row: sorted,
    changes,
    runId: options.runId,
    isUndo: false,
    key: options.key,
    ...(options.snapshots && { snapshots: options.snapshots }),
    guards: before || !stands ? guards : [stands],
    vacancy,
    now: options.now,
  })
  if (committed.state === 'keyTaken') return undefined
  if (committed.state === 'lost')
    return { state: 'conflict', table: stands?.table ?? row.table, uid: stands?.uid ?? row.uid }
  return {
    state: 'done',
    table: row.table,
    uid: committed.uid,
    version: String(committed.version),
    changed: changes.map(({ field }) => field),
    ...options.snapshots,
  }
}

/** A new record that is no translation comes after all others on its page. */
async function atTheEnd(site: Site, row: Row): Promise<Row> {
  if (row.fields.sorting === undefined) return row
  const last = (await rowsOf(site, row.table))
    .filter((other) => other.pid === row.pid)
    .reduce((max, other) => Math.max(max, Item.numberOf(other, 'sorting')), 0)
  return { ...row, fields: { ...row.fields, sorting: last + gap } }
}

/** All records of a table; the pages as the site has them. */
async function rowsOf({ store, pages }: Site, table: string): Promise<Row[]> {
  return table === 'pages' ? [...pages.values()] : Rows.all(store, table)
}

async function planFor(site: Site, write: Write, records: ReadonlyMap<string, Row>): Promise<Plan | Refusal> {
  const row = 'uid' in write ? records.get(`${write.table}:${write.uid}`) : undefined
  if (write.kind === 'move' && row && mayRead(site.rights, site.pages, row))
    return planMove(site, row, write, await rowsOf(site, row.table))
  if (write.kind === 'translate' && row && mayRead(site.rights, site.pages, row))
    return planTranslation(site, row, write, await rowsOf(site, row.table))
  if (write.kind === 'remove' && row) return planRemove(site, row)
  if (write.kind === 'delete' && row && mayRead(site.rights, site.pages, row))
    return planDelete(site, row, records)
  if (write.kind === 'undelete' && row) return planUndelete(site, row)
  const meant = write.kind === 'create' ? write : await meantBy(site, row, ofFields(write))
  if ('refused' in meant) return meant
  const users = 'perms_userid' in meant.fields ? await Rows.all(site.store, 'be_users') : []
  const media = await mediaFor(site, meant)
  const known: Record<string, ReadonlySet<number>> = {
    pages: new Set(site.pages.keys()),
    be_groups: new Set(site.groups.keys()),
    be_users: new Set(users.map((user) => user.uid)),
    media: new Set(media.map((medium) => medium.uid)),
  }
  const planned = plan({ site, row, exists: (table, uid) => known[table]?.has(uid) ?? false }, meant)
  return 'refused' in planned || media.length === 0 ? planned : withNames(site, planned, media)
}

/** A write about a record as a whole that is not there comes to a write of no fields, which is refused for that. */
function ofFields(write: Exclude<Write, { kind: 'create' }>): Exclude<Write, { kind: 'create' | OfRecord }> {
  if (write.kind === 'update' || write.kind === 'state' || write.kind === 'restore') return write
  return { kind: 'update', table: write.table, uid: write.uid, fields: {} }
}

/** The record that a write is about, whether or not the actor may see it, in the bin or not: the plan decides that. */
async function target(site: Site, write: Write): Promise<Row | undefined> {
  if (write.kind === 'create' || !tableNamed(write.table)) return undefined
  return Rows.stored(site.store, write.table, ownId(write.uid))
}

function nameOf(row: Row): string {
  return `${row.table}:${row.uid}`
}
