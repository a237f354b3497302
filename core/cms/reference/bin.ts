import { inLanguage, type Translated } from '../../base/language.ts'
import type { Done } from '../cms.ts'
import { keptTables } from './capabilities.ts'
import type { Change } from './history.ts'
import { isTranslation, numberOf, type Row, textOf } from './item.ts'
import { type Denial, denyDelete, mayRead, mayShow, type Pages } from './permission.ts'
import type { Plan } from './plan.ts'
import type { Refusal } from './refusal.ts'
import { tables } from './registry.ts'
import * as Rows from './rows.ts'
import type { Site } from './site.ts'
import { uniqueSlug } from './slug.ts'
import { type Vacancy, vacancyFor } from './translated.ts'
import { titleOf } from './view.ts'

/**
 * The bin: records that are kept and that no operation reads but the one that brings them back. What is on a deleted
 * page goes and comes with it, without a change of its own.
 */

/** Why a record does not go to the bin or does not come out of it, where that is no matter of rights. */
export type BinObstacle =
  | 'noBin'
  | 'below'
  | 'beside'
  | 'translated'
  | 'notThere'
  | 'above'
  | 'original'
  | 'place'

/** The sentence for each of them. */
export const binSentences: Record<BinObstacle, Translated> = {
  noBin: {
    en: 'Records of this table have no bin.',
    de: 'Datensätze dieser Tabelle haben keinen Papierkorb.',
  },
  below: {
    en: 'There are pages below this page. Delete or move them first.',
    de: 'Unter dieser Seite liegen Seiten. Löschen oder verschieben Sie diese zuerst.',
  },
  beside: {
    en: 'This user may not delete something on this page.',
    de: 'Auf dieser Seite liegt etwas, das dieser Benutzer nicht löschen darf.',
  },
  translated: {
    en: 'This record has a translation. Delete that first.',
    de: 'Dieser Datensatz hat eine Übersetzung. Löschen Sie diese zuerst.',
  },
  notThere: {
    en: 'This record is not in the bin.',
    de: 'Dieser Datensatz liegt nicht im Papierkorb.',
  },
  above: {
    en: 'The page on which it was is in the bin. Bring that back first.',
    de: 'Die Seite, auf der er lag, liegt im Papierkorb. Holen Sie diese zuerst zurück.',
  },
  original: {
    en: 'The record that it translates is not there. Bring that back first.',
    de: 'Der Datensatz, den er übersetzt, ist nicht da. Holen Sie diesen zuerst zurück.',
  },
  place: {
    en: 'Another translation has taken its place.',
    de: 'Eine andere Übersetzung hat seinen Platz eingenommen.',
  },
}

type Obstacle = Denial | BinObstacle

/**
 * The plan to put a record into the bin as the actor of the site, or why there is none; `records` are those that earlier
 * writes of the same proposal change.
 */
export async function planDelete(
  site: Site,
  row: Row,
  records: ReadonlyMap<string, Row> = new Map(),
): Promise<Plan | Refusal> {
  const now = (other: Row) => records.get(`${other.table}:${other.uid}`) ?? other
  const found = await goingWith(site, row, now)
  if ('obstacle' in found) return refusalOf(found.obstacle, row)
  const along = alongOf(site, found.along)
  return { row: { ...row, deleted: true }, before: row, changes: [], action: 'delete', along }
}

/** The plan to bring a record back from the bin as the actor of the site, or why there is none. */
export async function planUndelete(site: Site, row: Row): Promise<Plan | Refusal> {
  const way = await wayBack(site, row)
  if ('obstacle' in way) return refusalOf(way.obstacle, row)
  const { changes, vacancy, along } = way
  const values = Object.fromEntries(changes.map(({ field, after }) => [field, after]))
  return {
    row: { ...row, deleted: false, fields: { ...row.fields, ...values } },
    before: row,
    changes,
    action: 'undelete',
    along: alongOf(site, along),
    ...(vacancy && { vacancy }),
  }
}

/** The records on a page, which go along with it; nothing for other records. */
async function goingWith(
  site: Site,
  row: Row,
  now: (other: Row) => Row = (other) => other,
): Promise<{ along: Row[] } | { obstacle: Obstacle }> {
  const { rights, pages, store } = site
  if (!keptTables.includes(row.table)) return { obstacle: 'noBin' }
  const denial = denyDelete(rights, pages, row)
  if (denial) return { obstacle: denial }
  const alive = (rows: Row[]) => rows.map(now).filter(({ deleted }) => !deleted)
  const siblings = alive(row.table === 'pages' ? [...pages.values()] : await Rows.all(store, row.table))
  if (siblings.some((other) => numberOf(other, 'original') === row.uid)) return { obstacle: 'translated' }
  if (row.table !== 'pages') return { along: [] }
  if (siblings.some(({ pid }) => pid === row.uid)) return { obstacle: 'below' }
  const along = alive(await lyingOn(store, row.uid))
  return along.some((other) => denyDelete(rights, pages, other)) ? { obstacle: 'beside' } : { along }
}

/** The records on a page, but for pages and for what is in the bin itself. */
async function lyingOn(store: string, page: number): Promise<Row[]> {
  const names = tables.filter(({ adminOnly, name }) => !adminOnly && name !== 'pages').map(({ name }) => name)
  const all = await Promise.all(names.map((name) => Rows.all(store, name)))
  return all.flat().filter(({ pid }) => pid === page)
}

/** The changes of a record that leaves the bin, and the records that come along; or the reason why it stays there. */
async function wayBack(
  site: Site,
  row: Row,
): Promise<{ changes: Change[]; vacancy?: Vacancy; along: Row[] } | { obstacle: Obstacle }> {
  const { rights, store } = site
  const alive = { ...row, deleted: false }
  const isPage = row.table === 'pages'
  const pages = isPage ? new Map(site.pages).set(row.uid, alive) : site.pages
  if (!keptTables.includes(row.table)) return { obstacle: 'noBin' }
  if (!row.deleted) return { obstacle: mayRead(rights, pages, row) ? 'notThere' : 'missing' }
  const denial = denyDelete(rights, pages, alive)
  if (denial) return { obstacle: denial === 'missing' ? await unseen(site, alive, pages) : denial }
  const back: { vacancy?: Vacancy } | { obstacle: BinObstacle } = isTranslation(row)
    ? await placeOf(store, row)
    : {}
  if ('obstacle' in back) return back
  const lying = isPage ? await lyingOn(store, row.uid) : []
  const along = lying.filter((other) => mayRead(rights, pages, other))
  return { ...back, changes: isPage ? addressOf(site, row) : [], along }
}

/** Why a record is not there for the actor: its page may be in the bin, where they would see that page. */
async function unseen(site: Site, row: Row, pages: Pages): Promise<Obstacle> {
  if (row.pid === 0 || pages.has(row.pid)) return 'missing'
  const page = await Rows.stored(site.store, 'pages', row.pid)
  if (!page) return 'missing'
  const whole = new Map(pages).set(page.uid, { ...page, deleted: false })
  return mayShow(site.rights, whole, page.uid) ? 'above' : 'missing'
}

/** The place of a translation beside its original, where that is there and no other translation has it. */
async function placeOf(store: string, row: Row): Promise<{ vacancy: Vacancy } | { obstacle: BinObstacle }> {
  const original = await Rows.find(store, row.table, numberOf(row, 'original'))
  if (!original) return { obstacle: 'original' }
  const vacancy = await vacancyFor(store, original, row)
  return vacancy ? { vacancy } : { obstacle: 'place' }
}

/** Another page may have the address of a page by now. */
function addressOf({ pages }: Site, row: Row): Change[] {
  const before = textOf(row, 'slug')
  const after = uniqueSlug(pages, { uid: row.uid, pid: row.pid, wanted: before })
  return after === before ? [] : [{ field: 'slug', before, after }]
}

function refusalOf(obstacle: Obstacle, { table, uid }: Row): Refusal {
  if (!(obstacle in binSentences)) return { refused: obstacle as Denial, table, uid }
  return { refused: 'other', sentence: binSentences[obstacle as BinObstacle].en }
}

/** The records that go along, by table, each by its title. */
function alongOf({ actor: { lang } }: Site, along: Row[]): NonNullable<Done['along']> {
  return tables.flatMap(({ name, label }) => {
    const there = along.filter(({ table }) => table === name)
    const text = there.map(titleOf).join('\n')
    return there.length > 0
      ? [{ field: name, label: `${inLanguage(label, lang)} (${there.length})`, text }]
      : []
  })
}
