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

/** A record with the fields that the actor may read. */
export function recordView(site: Site, row: Row): CmsRecord {
  const fields = readableFields(site.rights, tableOf(row.table), row)
  return {
    table: row.table,
    uid: row.uid,
    pid: row.pid,
    title: titleOf(row),
    hidden: isHidden(row),
    language: numberOf(row, 'language'),
    fields: Object.fromEntries(fields.map((field) => [field.name, row.fields[field.name] ?? field.initial])),
    addresses: addressesOf(row),
    changedAt: new Date(row.changedAt).toISOString(),
    version: String(row.version),
    mayEdit: denyEdit(site.rights, site.pages, row) === undefined,
  }
}

/** A page; of the pages above it only those that the actor may show are named. */
export function pageView(site: Site, page: Row): Page {
  const path = (rootline(site.pages, page.uid) ?? [])
    .filter((above) => mayShow(site.rights, site.pages, above.uid))
    .map((above) => ({ uid: above.uid, title: titleOf(above) }))
    .reverse()
  return {
    uid: page.uid,
    title: titleOf(page),
    slug: textOf(page, 'slug'),
    addresses: addressesOf(page),
    parent: page.pid,
    hidden: isHidden(page),
    language: numberOf(page, 'language'),
    path,
    mayEdit: denyEdit(site.rights, site.pages, page) === undefined,
    changedAt: new Date(page.changedAt).toISOString(),
    changedBy: page.changedBy,
  }
}

/** A page of the tree; `children` are those that the actor may show. */
export function treeView(site: Site, page: Row, depth: number, children: Row[]): TreePage {
  return {
    uid: page.uid,
    title: titleOf(page),
    parent: page.pid,
    depth,
    hidden: isHidden(page),
    hasChildren: children.length > 0,
    mayEdit: denyEdit(site.rights, site.pages, page) === undefined,
  }
}
