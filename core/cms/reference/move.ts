import type { RecordId } from '../../conversation/schema.ts'
import type { Put } from '../cms.ts'
import type { Change } from './history.ts'
import { numberOf, ownId, type Row } from './item.ts'
import { denyCreate, denyEdit, type Pages, rootline } from './permission.ts'
import type { Plan } from './plan.ts'
import { denyFor, refuse } from './refusal.ts'
import { tableOf } from './registry.ts'
import type { Site } from './site.ts'

/** The distance between two records in the order by hand, so that others fit in between. */
export const gap = 256

/** The plan of a move as the actor of the site, among all records of the table. Throws Refused. */
export function planMove(site: Site, row: Row, place: NonNullable<Put['place']>, records: Row[]): Plan {
  denyFor(row, denyEdit(site.rights, site.pages, row))
  const pid = place.pid === undefined ? row.pid : ownId(place.pid)
  if (pid !== row.pid) refuseOn(site, row, pid)
  const isSorted = tableOf(row.table).order === 'sorting'
  if (place.after !== undefined && !isSorted)
    refuse(`Records of ${row.table} have no order by hand. Leave "after" out.`)
  const on = (page: number) =>
    records.filter((other) => other.pid === page && isBeside(other, row)).sort(bySorting)
  const siblings = on(pid)
  const at = placeIn(siblings, place.after)
  if (at === undefined) refusePlace(row, place.after ?? 0)
  const own = on(row.pid)
  const was = own.filter((other) => numberOf(other, 'sorting') < numberOf(row, 'sorting')).length
  const stays = pid === row.pid && (!isSorted || was === at)
  const sorting = stays ? numberOf(row, 'sorting') : between(siblings[at - 1], siblings[at])
  const fields = isSorted ? { ...row.fields, sorting } : row.fields
  const moved: Change[] = pid === row.pid ? [] : [{ field: 'pid', before: row.pid, after: pid }]
  const sorted: Change[] =
    isSorted && !stays ? [{ field: 'sorting', before: row.fields.sorting ?? 0, after: sorting }] : []
  const placed = (page: number, first: Row | undefined) => ({
    pid: page,
    ...(isSorted && { after: first?.uid ?? 0 }),
  })
  return {
    row: { ...row, pid, fields },
    before: row,
    changes: [...moved, ...sorted],
    action: 'move',
    places: { before: placed(row.pid, own[was - 1]), after: placed(pid, siblings[at - 1]) },
  }
}

/** Elements have an order within a column and a language. */
const isBeside = (other: Row, row: Row) =>
  other.uid !== row.uid &&
  ['column', 'language'].every((field) => numberOf(other, field) === numberOf(row, field))

const bySorting = (a: Row, b: Row) => numberOf(a, 'sorting') - numberOf(b, 'sorting') || a.uid - b.uid

/** Refuses a page on which the actor may not put the record. */
function refuseOn({ rights, pages }: Site, row: Row, pid: number): void {
  const denial = denyCreate(rights, pages, tableOf(row.table), { pid, language: numberOf(row, 'language') })
  denyFor({ table: denial === 'missing' ? 'pages' : row.table, uid: pid }, denial)
  if (row.table === 'pages' && isBelow(pages, pid, row.uid)) refuse('A page cannot be moved below itself.')
}

const isBelow = (pages: Pages, pid: number, uid: number) =>
  rootline(pages, pid)?.some((page) => page.uid === uid) ?? false

/** How many of the siblings come before the place; undefined where there is no such sibling. */
function placeIn(siblings: Row[], after: NonNullable<Put['place']>['after']): number | undefined {
  if (after === undefined) return siblings.length
  if (after === 0 || after === '0') return 0
  const at = siblings.findIndex(({ uid }) => uid === ownId(after))
  return at < 0 ? undefined : at + 1
}

/** A number of the order between two records; a fraction where no whole number is free. */
function between(before: Row | undefined, behind: Row | undefined): number {
  const low = before ? numberOf(before, 'sorting') : 0
  if (!behind) return low + gap
  const middle = (low + numberOf(behind, 'sorting')) / 2
  return Math.floor(middle) > low ? Math.floor(middle) : middle
}

/** The plan of a new record with its place behind another one. Throws Refused. */
export function planPlace(planned: Plan, after: RecordId, records: Row[]): Plan {
  const { row } = planned
  const siblings = records.filter((other) => other.pid === row.pid && isBeside(other, row)).sort(bySorting)
  const at = placeIn(siblings, after)
  if (at === undefined || tableOf(row.table).order !== 'sorting') refusePlace(row, after)
  const sorting = between(siblings[at - 1], siblings[at])
  return { ...planned, row: { ...row, fields: { ...row.fields, sorting } }, isPlaced: true }
}

function refusePlace({ table }: Row, after: RecordId): never {
  refuse(
    `There is no ${table} [${after}] on this page, in the same column and language, to put the record behind.`,
  )
}
