import type { CmsRecord, Page, TreePage } from '../schema.ts'
import { numberOf, type Row, textOf } from './item.ts'
import { denyEdit, mayShow, readableFields, rootline } from './permission.ts'
import { tableOf } from './registry.ts'
import type { Site } from './site.ts'

/** The view that an actor has of records: pure functions that never show data which the actor may not see. */

/**
 * Returns the title of a record for people: its label field without markup, else `[uid]`, or `[new]` before it has a
 * uid.
 */
export function titleOf(row: Row): string {
  const title = textOf(row, tableOf(row.table).labelField)
    .replace(/<[^>]*>/g, '')
    .trim()
  return title || `[${row.uid || 'new'}]`
}

/** True if the record is hidden or disabled. */
function isHidden(row: Row): boolean {
  const field = tableOf(row.table).hiddenField
  return field !== undefined && row.fields[field] === true
}

/** Returns the addresses of a record: for a page, its slug. */
function addressesOf(row: Row): string[] {
  const slug = row.table === 'pages' ? textOf(row, 'slug') : ''
  return slug ? [slug] : []
}

/** Returns the fields that the views of a record, a page and a page in the tree share. */
const headOf = (site: Site, row: Row) => ({
  uid: row.uid,
  title: titleOf(row),
  hidden: isHidden(row),
  mayEdit: denyEdit(site.rights, site.pages, row) === undefined,
})

/** Returns further fields that the views of a record and a page share. */
const bodyOf = (row: Row) => ({
  language: numberOf(row, 'language'),
  addresses: addressesOf(row),
  changedAt: new Date(row.changedAt).toISOString(),
})

/** Returns a record with the fields that the actor may read. */
export function recordView(site: Site, row: Row): CmsRecord {
  const { table, pid, version } = row
  const fields = readableFields(site.rights, tableOf(table), row)
  const values = fields.map(({ name, initial }) => [name, row.fields[name] ?? initial])
  const own = { table, pid, version: String(version), fields: Object.fromEntries(values) }
  return { ...headOf(site, row), ...bodyOf(row), ...own }
}

/** Returns a page; its path names only pages that the actor may show. */
export function pageView(site: Site, page: Row): Page {
  const path = (rootline(site.pages, page.uid) ?? [])
    .filter((above) => mayShow(site.rights, site.pages, above.uid))
    .map((above) => ({ uid: above.uid, title: titleOf(above) }))
    .reverse()
  const own = { slug: textOf(page, 'slug'), parent: page.pid, path, changedBy: page.changedBy }
  return { ...headOf(site, page), ...bodyOf(page), ...own }
}

/** Returns a page of the tree; `children` are the child pages that the actor may show. */
export function treeView(site: Site, page: Row, depth: number, children: Row[]): TreePage {
  return { ...headOf(site, page), parent: page.pid, depth, hasChildren: children.length > 0 }
}
