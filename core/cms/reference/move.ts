import type { FieldChange } from '../../conversation/schema.ts'
import { inLanguage, type Translated } from '../../language.ts'
import type { Write } from '../cms.ts'
import { type Change, shownChanges } from './history.ts'
import { numberOf, type Row } from './item.ts'
import { ownId } from './own-id.ts'
import { denyCreate, denyEdit, mayRead, type Pages, rootline } from './permission.ts'
import type { Plan } from './plan.ts'
import type { Refusal } from './refusal.ts'
import { tableOf } from './registry.ts'
import type { Site } from './site.ts'
import { titleOf } from './view.ts'

/** The distance between two records in the order by hand, so that others fit in between. */
export const gap = 256

/** The plan of a move as the actor of the site, among all records of the table, or why there is none. */
export function planMove(
  site: Site,
  row: Row,
  write: Extract<Write, { kind: 'move' }>,
  records: Row[],
): Plan | Refusal {
  const table = tableOf(row.table)
  const denial = denyEdit(site.rights, site.pages, row)
  if (denial) return { refused: denial, table: row.table, uid: row.uid }
  const pid = write.pid === undefined ? row.pid : ownId(write.pid)
  const obstacle = pid === row.pid ? undefined : obstacleAt(site, row, pid)
  if (obstacle) return obstacle
  const isSorted = table.order === 'sorting'
  if (write.after !== undefined && !isSorted)
    return { refused: 'other', sentence: `Records of ${row.table} have no order by hand. Leave "after" out.` }
  const on = (page: number) =>
    records.filter((other) => other.pid === page && isBeside(other, row)).sort(bySorting)
  const siblings = on(pid)
  const at = placeIn(siblings, write.after)
  if (at === undefined)
    return {
      refused: 'other',
      sentence: `There is no ${row.table} [${write.after}] on this page, in the same column and language, to put the record behind.`,
    }
  const own = on(row.pid)
  const was = own.filter((other) => numberOf(other, 'sorting') < numberOf(row, 'sorting')).length
  if (pid === row.pid && (!isSorted || was === at)) return { refused: 'unchanged' }
  const sorting = between(siblings[at - 1], siblings[at])
  const fields = isSorted ? { ...row.fields, sorting } : row.fields
  const moved: Change[] = pid === row.pid ? [] : [{ field: 'pid', before: row.pid, after: pid }]
  const sorted: Change[] = isSorted
    ? [{ field: 'sorting', before: row.fields.sorting ?? 0, after: sorting }]
    : []
  const shown = [
    ...shownChanges(site, row, moved),
    ...(isSorted ? [placeChange(site, own[was - 1], siblings[at - 1])] : []),
  ]
  const place = (page: number, first: Row | undefined) => ({
    pid: page,
    ...(isSorted && { after: first?.uid ?? 0 }),
  })
  return {
    row: { ...row, pid, fields },
    before: row,
    changes: [...moved, ...sorted],
    action: 'move',
    shown,
    places: { before: place(row.pid, own[was - 1]), after: place(pid, siblings[at - 1]) },
  }
}

/** Elements have an order within a column and a language. */
const isBeside = (other: Row, row: Row) =>
  other.uid !== row.uid &&
  ['column', 'language'].every((field) => numberOf(other, field) === numberOf(row, field))

const bySorting = (a: Row, b: Row) => numberOf(a, 'sorting') - numberOf(b, 'sorting') || a.uid - b.uid

/** Why the actor may not put the record on the page; undefined when they may. */
export function obstacleAt(site: Site, row: Row, pid: number): Refusal | undefined {
  const { rights, pages } = site
  const denial = denyCreate(rights, pages, tableOf(row.table), { pid, language: numberOf(row, 'language') })
  if (denial) return { refused: denial, table: denial === 'missing' ? 'pages' : row.table, uid: pid }
  if (row.table === 'pages' && isBelow(pages, pid, row.uid))
    return { refused: 'other', sentence: 'A page cannot be moved below itself.' }
  return undefined
}

const isBelow = (pages: Pages, pid: number, uid: number) =>
  rootline(pages, pid)?.some((page) => page.uid === uid) ?? false

/** How many of the siblings come before the place; undefined where there is no such sibling. */
function placeIn(siblings: Row[], after: Extract<Write, { kind: 'move' }>['after']): number | undefined {
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

const placeLabel: Translated = { en: 'Place', de: 'Platz' }
const first: Translated = { en: 'first', de: 'zuerst' }
const behind: Translated = { en: 'behind {record}', de: 'hinter {record}' }

function placeChange(site: Site, was: Row | undefined, is: Row | undefined): FieldChange {
  const { lang } = site.actor
  const words = (row: Row | undefined) => {
    if (!row) return inLanguage(first, lang)
    const name = mayRead(site.rights, site.pages, row) ? `${titleOf(row)} [${row.uid}]` : '…'
    return inLanguage(behind, lang).replace('{record}', () => name)
  }
  return { field: 'sorting', label: inLanguage(placeLabel, lang), before: words(was), after: words(is) }
}
