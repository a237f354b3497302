import { maxPictureBytes, type Picture, type ReadFile } from '../cms.ts'
import type { Input } from '../operation.ts'
import type { CmsRecord, HistoryEntry, Page, Table, TreePage } from '../schema.ts'
import { entryOf, recordedOf } from './history.ts'
import type { Outline, Row, Value } from './item.ts'
import * as Item from './item.ts'
import { mayModify, mayRead, maySelect, mayShow, readableFields } from './permission.ts'
import { describe, type TableSpec, tableNamed, tableOf, tables } from './registry.ts'
import * as Rows from './rows.ts'
import { rowsOf, type Site } from './site.ts'
import { pageView, recordView, treeView } from './view.ts'

/** The read operations: each function returns only data that the actor of the site may see. */

/** Returns a page; undefined if the actor sees no such page. */
export function page(site: Site, question: Input<'page'>): Page | undefined {
  const uid = Item.ownId(question.uid)
  const row = site.pages.get(uid)
  return row && mayShow(site.rights, site.pages, uid) ? pageView(site, row) : undefined
}

/**
 * Returns the pages below `root`, depth first in menu order; pages directly below have depth 1. Below root 0 are the
 * top pages, or the user's mounts if the user is no administrator. Leaves out translations of pages and everything
 * below a page that the user may not see.
 */
export function pageTree(site: Site, query: Input<'pageTree'>): TreePage[] {
  const root = Item.ownId(query.root)
  if (root !== 0 && !mayShow(site.rights, site.pages, root)) return []
  const found: TreePage[] = []
  const walk = (rows: Row[], depth: number) => {
    for (const row of rows) {
      if (depth > query.depth || found.length >= query.limit) return
      const children = childrenOf(site, row.uid)
      found.push(treeView(site, row, depth, children))
      walk(children, depth + 1)
    }
  }
  walk(root === 0 ? topOf(site) : childrenOf(site, root), 1)
  return found
}

function childrenOf(site: Site, uid: number): Row[] {
  return [...site.pages.values()]
    .filter((row) => row.pid === uid && !Item.isTranslation(row) && mayShow(site.rights, site.pages, row.uid))
    .sort(Item.bySorting)
}

function topOf(site: Site): Row[] {
  if (site.rights.isAdmin) return childrenOf(site, 0)
  return [...site.rights.mounts]
    .filter((uid) => mayShow(site.rights, site.pages, uid))
    .flatMap((uid) => site.pages.get(uid) ?? [])
}

/**
 * Returns the content elements of a page, ordered by column, language and sorting; undefined if there is no such page.
 */
export async function pageContent(
  site: Site,
  question: Input<'pageContent'>,
): Promise<CmsRecord[] | undefined> {
  const uid = Item.ownId(question.uid)
  if (!mayShow(site.rights, site.pages, uid)) return undefined
  const rows = await rowsOf(site, 'content')
  const by = (field: string) => (a: Row, b: Row) => Item.numberOf(a, field) - Item.numberOf(b, field)
  return rows
    .filter((row) => row.pid === uid && mayRead(site.rights, site.pages, row))
    .sort(Item.bySorting)
    .sort(by('language'))
    .sort(by('column'))
    .map((row) => recordView(site, row))
}

/** Returns the tables that the actor may select. */
export function selectable(site: Site): Table[] {
  return tables()
    .filter((table) => maySelect(site.rights, table))
    .map((table) =>
      describe(table, readableFields(site.rights, table), site.actor.lang, mayModify(site.rights, table)),
    )
}

/** Returns the records that contain every word of the text in searchable fields that the actor may read. */
export async function search(site: Site, query: Input<'search'>): Promise<CmsRecord[]> {
  const words = query.text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const searched = tables().filter(
    (table) => maySelect(site.rights, table) && (query.table === undefined || table.name === query.table),
  )
  const rows = await Promise.all(searched.map((table) => matches(site, table, words)))
  return rows
    .flat()
    .sort((a, b) => b.changedAt - a.changedAt || a.uid - b.uid)
    .slice(0, query.limit)
    .map((row) => recordView(site, row))
}

async function matches(site: Site, table: TableSpec, words: string[]): Promise<Row[]> {
  if (!table.fields.some((field) => field.searchable)) return []
  const rows = await rowsOf(site, table.name)
  return rows.filter((row) => {
    if (!mayRead(site.rights, site.pages, row)) return false
    const text = readableFields(site.rights, table, row)
      .filter((field) => field.searchable)
      .map((field) => String(row.fields[field.name] ?? ''))
      .join('\n')
      .toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** Returns the records of a table in its order; undefined if the actor sees no such table or page. */
export async function list(
  site: Site,
  query: Input<'list'>,
): Promise<{ records: CmsRecord[]; total: number } | undefined> {
  const table = tableNamed(query.table)
  const page = query.page === undefined ? undefined : Item.ownId(query.page)
  if (!table || !maySelect(site.rights, table)) return undefined
  if (page !== undefined && page !== 0 && !mayShow(site.rights, site.pages, page)) return undefined
  const all = table.name === 'pages' ? [...site.pages.values()] : await Rows.listed(site.store, table.name)
  const rows = all
    .filter((row) => page === undefined || row.pid === page)
    .filter((row) => mayRead(site.rights, site.pages, row))
    .sort(table.order === 'sorting' ? Item.bySorting : byNewest)
  const shown = await wholes(site, rows.slice(query.offset, query.offset + query.limit))
  return { records: shown.map((row) => recordView(site, row)), total: rows.length }
}

/** Returns whole records in place of their outlines, without records that the actor may no longer read. */
async function wholes(site: Site, rows: (Row | Outline)[]): Promise<Row[]> {
  const read = Rows.reader(site.store)
  const whole = async (row: Row | Outline) => {
    if (Item.isWhole(row)) return row
    const item = await read(Item.recordKey(row.table, row.uid))
    const now = item && Item.decode(row.table, item)
    return now && mayRead(site.rights, site.pages, now) ? now : []
  }
  return (await Promise.all(rows.map(whole))).flat()
}

/** Returns the record of an item that was read before; undefined if the actor sees no such record. */
export function record(
  site: Site,
  table: string,
  item: Record<string, unknown> | undefined,
): CmsRecord | undefined {
  const row = item && Item.decode(table, item)
  return row && mayRead(site.rights, site.pages, row) ? recordView(site, row) : undefined
}

/** Returns the changes of a record, newest first, without fields that the actor may not read. */
export async function history(
  site: Site,
  { table, uid, limit }: Input<'history'>,
): Promise<HistoryEntry[] | undefined> {
  const row = await readable(site, table, Item.ownId(uid))
  if (!row) return undefined
  const entries: HistoryEntry[] = []
  for await (const change of Rows.trail(site.store, Item.historyPartition(table, row.uid))) {
    const entry = entryOf(site, row, change)
    if (entry) entries.push(entry)
    if (entries.length >= limit) break
  }
  return entries
}

/** Returns the stored record, if the actor sees it. */
async function readable(site: Site, table: string, uid: number): Promise<Row | undefined> {
  const spec = tableNamed(table)
  if (!spec || !maySelect(site.rights, spec)) return undefined
  const row = await Rows.find(site.store, table, uid)
  return row && mayRead(site.rights, site.pages, row) ? row : undefined
}

/** Compares records by their date field, else by creation time; newest first. */
function byNewest(a: Outline, b: Outline): number {
  const at = (row: Outline) => Date.parse(String(row.fields.date ?? '')) || row.createdAt
  return at(b) - at(a) || b.uid - a.uid
}

/** Fields for state, position and lock, which an earlier revision does not restore. */
const beside = new Set(['hidden', 'starttime', 'endtime', 'sorting', 'editlock', 'language'])

/** Returns a record with its content at a revision; undefined if the actor sees no such record or revision. */
export async function revisionOf(
  site: Site,
  table: string,
  item: Record<string, unknown> | undefined,
  revision: string,
): Promise<CmsRecord | undefined> {
  const now = record(site, table, item)
  if (!now) return undefined
  const values = new Map<string, Value>()
  for await (const step of Rows.trail(site.store, Item.historyPartition(table, Number(now.uid)))) {
    const { versionAfter, changes } = recordedOf(step)
    if (String(versionAfter) === revision) {
      const content = readableFields(site.rights, tableOf(table)).filter(
        ({ name, readOnly, ownerOnly }) => !readOnly && !ownerOnly && !beside.has(name),
      )
      const fields = content.map(({ name }) => [
        name,
        (values.has(name) ? values.get(name) : now.fields[name]) ?? null,
      ])
      return { ...now, fields: Object.fromEntries(fields) }
    }
    for (const { field, before } of changes) values.set(field, before)
  }
  return undefined
}

/** Returns the object key of a media record's file in the bucket of the stage. */
export const keyOf = (row: Row): string =>
  ['fileadmin/media', Item.textOf(row, 'folder'), Item.textOf(row, 'file')].filter(Boolean).join('/')

/** Returns the picture of a media record; undefined if the actor sees no such record. */
export async function picture(
  site: Site,
  { table, uid }: Input<'picture'>,
  read: ReadFile,
): Promise<Picture | undefined> {
  const row = await readable(site, table, Item.ownId(uid))
  if (!row) return undefined
  const isFile = table === 'media' && Item.textOf(row, 'file') !== ''
  const bytes = isFile ? await read(keyOf(row), maxPictureBytes) : undefined
  if (bytes === 'tooLarge') return { state: 'tooLarge' }
  return bytes ? { state: 'there', base64: Buffer.from(bytes).toString('base64') } : { state: 'none' }
}
