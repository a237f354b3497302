import { inLanguage } from '../../base/language.ts'
import type { RecordId } from '../../conversation/schema.ts'
import type { Done, Put } from '../cms.ts'
import type { Change } from './history.ts'
import { bySorting, isTranslation, numberOf, ownId, type Row, textOf } from './item.ts'
import { denyCreate, denyDelete, denyEdit, mayRead, mayShow, type Pages, rootline } from './permission.ts'
import type { Plan } from './plan.ts'
import { denyFor, refuse } from './refusal.ts'
import { keptTables, tableOf, tables } from './registry.ts'
import * as Rows from './rows.ts'
import { rowsOf, type Site } from './site.ts'
import { uniqueSlug } from './slug.ts'
import { titleOf } from './view.ts'

/** The initial distance between two records in the manual order, so that others fit between them. */
export const gap = 256

/** Adds a move to a plan, for the actor of the site; `records` are all records of the table. Throws Refused. */
export function planMove(
  site: Site,
  { row, before, changes }: Plan,
  place: NonNullable<Put['place']>,
  records: Row[],
): Plan {
  denyFor(row, denyEdit(site.rights, site.pages, row))
  const pid = place.pid === undefined ? row.pid : ownId(place.pid)
  const isOnto = pid !== row.pid
  if (isOnto) refuseOn(site, row, pid)
  const isSorted = tableOf(row.table).order === 'sorting'
  if (place.after !== undefined && !isSorted)
    refuse(`Records of ${row.table} have no order by hand. Leave "after" out.`)
  const siblings = siblingsOf(row, pid, records)
  const at = placeIn(siblings, row, place.after)
  const own = siblingsOf(row, row.pid, records)
  const was = own.filter((other) => numberOf(other, 'sorting') < numberOf(row, 'sorting')).length
  const isSortedAnew = isSorted && (isOnto || was !== at)
  const sorting = between(siblings[at - 1], siblings[at])
  const moved: Change[] = isOnto ? [{ field: 'pid', before: row.pid, after: pid }] : []
  const sorted: Change[] = isSortedAnew
    ? [{ field: 'sorting', before: row.fields.sorting ?? 0, after: sorting }]
    : []
  const placed = (page: number, first: Row | undefined) => ({
    place: { pid: page, ...(isSorted && { after: first?.uid ?? 0 }) },
  })
  return {
    row: { ...row, pid, fields: { ...row.fields, ...(isSortedAnew && { sorting }) } },
    before,
    changes: [...changes, ...moved, ...sorted],
    action: 'move',
    beside: { before: placed(row.pid, own[was - 1]), after: placed(pid, siblings[at - 1]) },
  }
}

/**
 * Returns the other records on a page in their order; content elements have a separate order for each column and
 * language.
 */
function siblingsOf(row: Row, pid: number, records: Row[]): Row[] {
  return records
    .filter((other) => other.pid === pid && other.uid !== row.uid)
    .filter((other) =>
      ['column', 'language'].every((field) => numberOf(other, field) === numberOf(row, field)),
    )
    .sort(bySorting)
}

/** Throws Refused if the actor may not put the record on the page. */
function refuseOn({ rights, pages }: Site, row: Row, pid: number): void {
  const denial = denyCreate(rights, pages, tableOf(row.table), { pid, language: numberOf(row, 'language') })
  denyFor({ table: denial === 'missing' ? 'pages' : row.table, uid: pid }, denial)
  if (row.table === 'pages' && isBelow(pages, pid, row.uid)) refuse('A page cannot be moved below itself.')
}

const isBelow = (pages: Pages, pid: number, uid: number) =>
  rootline(pages, pid)?.some((page) => page.uid === uid) ?? false

/** Returns the number of siblings before the new position. Throws Refused if `after` is no sibling. */
function placeIn(siblings: Row[], { table }: Row, after: NonNullable<Put['place']>['after']): number {
  if (after === undefined) return siblings.length
  if (after === 0 || after === '0') return 0
  const at = siblings.findIndex(({ uid }) => uid === ownId(after))
  return at < 0 ? refusePlace(table, after) : at + 1
}

function refusePlace(table: string, after: RecordId): never {
  refuse(
    `There is no ${table} [${after}] on this page, in the same column and language, to put the record behind.`,
  )
}

/** Returns a number between the order numbers of two records; a fraction if no whole number is free. */
function between(before: Row | undefined, behind: Row | undefined): number {
  const low = before ? numberOf(before, 'sorting') : 0
  if (!behind) return low + gap
  const middle = (low + numberOf(behind, 'sorting')) / 2
  return Math.floor(middle) > low ? Math.floor(middle) : middle
}

/** Returns the plan of a new record, placed after another record. Throws Refused. */
export function planPlace(planned: Plan, after: RecordId, records: Row[]): Plan {
  const { row } = planned
  if (tableOf(row.table).order !== 'sorting') refusePlace(row.table, after)
  const siblings = siblingsOf(row, row.pid, records)
  const at = placeIn(siblings, row, after)
  const sorting = between(siblings[at - 1], siblings[at])
  return { ...planned, row: { ...row, fields: { ...row.fields, sorting } } }
}

const noBin = 'Records of this table have no bin.'
const into = { before: { bin: false }, after: { bin: true } }
const outOf = { before: { bin: true }, after: { bin: false } }

/**
 * Plans the move of a record into the bin, by the actor of the site. The bin keeps records for the operation that
 * restores them. A record on a deleted page goes along and comes back with that page, unchanged. `records` has the
 * records as earlier writes of the same proposal leave them. Throws Refused.
 */
export async function planDelete(site: Site, row: Row, records: ReadonlyMap<string, Row>): Promise<Plan> {
  const { rights, pages } = site
  if (!keptTables.includes(row.table)) refuse(noBin)
  denyFor(row, denyDelete(rights, pages, row))
  const isPage = row.table === 'pages'
  const siblings = await untranslated(site, row, records)
  if (isPage && siblings.some(({ pid }) => pid === row.uid))
    refuse('There are pages below this page. Delete or move them first.')
  const along = isPage ? alive(await lyingOn(site, row.uid), records) : []
  if (along.some((other) => denyDelete(rights, pages, other)))
    refuse('This user may not delete something on this page.')
  return { ...gone(row), along: alongOf(site, along), beside: into }
}

/** Returns the records of the table that are not in the bin; `records` has them as earlier writes leave them. */
const alive = (rows: Row[], records: ReadonlyMap<string, Row>): Row[] =>
  rows.map((row) => records.get(`${row.table}:${row.uid}`) ?? row).filter(({ deleted }) => !deleted)

/** Returns all records of the row's table. Throws Refused if one of them is a translation of the row. */
async function untranslated(site: Site, row: Row, records: ReadonlyMap<string, Row>): Promise<Row[]> {
  const siblings = alive(await rowsOf(site, row.table), records)
  if (siblings.some((other) => numberOf(other, 'original') === row.uid))
    refuse('This record has a translation. Delete that first.')
  return siblings
}

const gone = (row: Row): Plan => ({
  row: { ...row, deleted: true },
  before: row,
  changes: [],
  action: 'delete',
})

/** Plans the deletion of a record that a run created, by the actor of the site. Throws Refused. */
export async function planRemove(site: Site, row: Row, records: ReadonlyMap<string, Row>): Promise<Plan> {
  denyFor(row, denyDelete(site.rights, site.pages, row))
  const siblings = await untranslated(site, row, records)
  if (row.table !== 'pages') return gone(row)
  const lying = alive(await lyingOn(site, row.uid), records)
  if (lying.length > 0 || siblings.some(({ pid }) => pid === row.uid))
    refuse('There are records on this page or below it. Only an empty page can go.')
  return gone(row)
}

/** Plans the return of a record from the bin, by the actor of the site. Throws Refused. */
export async function planUndelete(site: Site, row: Row): Promise<Plan> {
  const { rights, store } = site
  const restored = { ...row, deleted: false }
  const isPage = row.table === 'pages'
  const pages = isPage ? new Map(site.pages).set(row.uid, restored) : site.pages
  if (!keptTables.includes(row.table)) refuse(noBin)
  if (!row.deleted && mayRead(rights, pages, row)) refuse('This record is not in the bin.')
  const denial = row.deleted ? denyDelete(rights, pages, restored) : 'missing'
  if (row.deleted && denial === 'missing' && (await isBinnedAbove(site, restored, pages)))
    refuse('The page on which it was is in the bin. Bring that back first.')
  denyFor(row, denial)
  const vacancy = isTranslation(row) ? await placeOf(store, row) : undefined
  const lying = isPage ? await lyingOn(site, row.uid) : []
  const along = lying.filter((other) => mayRead(rights, pages, other))
  const changes = isPage ? addressOf(site, row) : []
  const values = Object.fromEntries(changes.map(({ field, after }) => [field, after]))
  return {
    row: { ...restored, fields: { ...row.fields, ...values } },
    before: row,
    changes,
    action: 'undelete',
    along: alongOf(site, along),
    beside: outOf,
    ...(vacancy && { vacancy }),
  }
}

/** Returns the records on a page, without subpages and without records that are in the bin themselves. */
async function lyingOn(site: Site, page: number): Promise<Row[]> {
  const names = tables()
    .filter(({ adminOnly, name }) => !adminOnly && name !== 'pages')
    .map(({ name }) => name)
  const all = await Promise.all(names.map((name) => rowsOf(site, name)))
  return all.flat().filter(({ pid }) => pid === page)
}

/** True if the actor misses a record only because its page is in the bin. */
async function isBinnedAbove({ rights, store }: Site, row: Row, pages: Pages): Promise<boolean> {
  if (row.pid === 0 || pages.has(row.pid)) return false
  const page = await Rows.stored(store, 'pages', row.pid)
  const whole = page && new Map(pages).set(page.uid, { ...page, deleted: false })
  return whole !== undefined && mayShow(rights, whole, row.pid)
}

/** Returns the entry that reserves the language for a translation. Throws Refused if its original no longer exists. */
async function placeOf(store: string, row: Row): Promise<Rows.Vacancy> {
  const original = await Rows.find(store, row.table, numberOf(row, 'original'))
  if (!original) refuse('The record that it translates is not there. Bring that back first.')
  return (await Rows.vacancyFor(store, original, row)) ?? refuse('Another translation has taken its place.')
}

/** Returns the change of a page's address if another page has taken the address meanwhile. */
function addressOf({ pages }: Site, row: Row): Change[] {
  const before = textOf(row, 'slug')
  const after = uniqueSlug(pages, { uid: row.uid, pid: row.pid, wanted: before })
  return after === before ? [] : [{ field: 'slug', before, after }]
}

/** Returns the records that move together with the page, as titles by table. */
function alongOf({ actor: { lang } }: Site, along: Row[]): NonNullable<Done['along']> {
  return tables().flatMap(({ name, label }) => {
    const there = along.filter(({ table }) => table === name)
    const text = there.map(titleOf).join('\n')
    return there.length > 0
      ? [{ field: name, label: `${inLanguage(label, lang)} (${there.length})`, text }]
      : []
  })
}
