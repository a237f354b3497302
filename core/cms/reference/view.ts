import type { CmsRecord, Page, TreePage } from '../schema.ts'
import { numberOf, type Row, textOf } from './item.ts'
import { denyEdit, mayShow, readableFields, rootline } from './permission.ts'
import { tableOf } from './registry.ts'
import type { Site } from './site.ts'

/** The view that an actor has of records: pure; it never shows data that the actor may not see. */

/** The title that names a record to a person: its label field without markup, `[uid]`, or `[new]` before it has one. */
export function titleOf(row: Row): string {
  const title = textOf(row, tableOf(row.table).labelField)
    .replace(/<[^>]*>/g, '')
    .trim()
  return title || `[${row.uid || 'new'}]`
}

/** Is the record switched off? */
function isHidden(row: Row): boolean {
  const field = tableOf(row.table).hiddenField
  return field !== undefined && row.fields[field] === true
}

/** The address of a page is its slug. */
function addressesOf(row: Row): string[] {
  const slug = row.table === 'pages' ? textOf(row, 'slug') : ''
  return slug ? [slug] : []
}

/** The part that a record, a page and a branch of the tree have in common. */
const headOf = (site: Site, row: Row) => ({
  uid: row.uid,
  title: titleOf(row),
  hidden: isHidden(row),
  mayEdit: denyEdit(site.rights, site.pages, row) === undefined,
})

/** The further part that a record and a page have in common. */
const bodyOf = (row: Row) => ({
  language: numberOf(row, 'language'),
  addresses: addressesOf(row),
  changedAt: new Date(row.changedAt).toISOString(),
})

/** A record with the fields that the actor may read. */
export function recordView(site: Site, row: Row): CmsRecord {
  const { table, pid, version } = row
  const fields = readableFields(site.rights, tableOf(table), row)
  const values = fields.map(({ name, initial }) => [name, row.fields[name] ?? initial])
  const own = { table, pid, version: String(version), fields: Object.fromEntries(values) }
  return { ...headOf(site, row), ...bodyOf(row), ...own }
}

/** A page; of the pages above it only those that the actor may show are named. */
export function pageView(site: Site, page: Row): Page {
  const path = (rootline(site.pages, page.uid) ?? [])
    .filter((above) => mayShow(site.rights, site.pages, above.uid))
    .map((above) => ({ uid: above.uid, title: titleOf(above) }))
    .reverse()
  const own = { slug: textOf(page, 'slug'), parent: page.pid, path, changedBy: page.changedBy }
  return { ...headOf(site, page), ...bodyOf(page), ...own }
}

/** A page of the tree; `children` are those that the actor may show. */
export function treeView(site: Site, page: Row, depth: number, children: Row[]): TreePage {
  return { ...headOf(site, page), parent: page.pid, depth, hasChildren: children.length > 0 }
}
