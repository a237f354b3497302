import { inLanguage } from '../../base/language.ts'
import type { Done, Put, Standing, Versions } from '../cms.ts'
import type { Row } from './item.ts'
import { mayRead } from './permission.ts'
import { after, type Plan } from './plan.ts'
import { tableOf } from './registry.ts'
import type { Site } from './site.ts'
import { recordView, titleOf } from './view.ts'

/** The versions that a plan is based on: of the record, of the original of a translation, or of the page of a new record. */
export function versionsOf(site: Site, { row, before, original }: Plan): Versions {
  const basis = before ?? original ?? site.pages.get(row.pid)
  return basis ? [{ table: basis.table, uid: basis.uid, version: String(basis.version) }] : []
}

/** The answer to a put: the record before and after it. `stored` is the record as it is then, or would be. */
export function doneOf(site: Site, put: Put, planned: Plan, stored: Row): Done {
  const { before, places, along } = planned
  const isNew = before === undefined
  const then = { ...site, pages: after(site.pages, { ...planned, row: stored }) }
  const isShown = (isNew && stored.uid === 0) || mayRead(site.rights, then.pages, stored)
  const pageUid = stored.table === 'pages' && before ? stored.uid : stored.pid
  const page = stored.table === 'pages' && before ? before : site.pages.get(pageUid)
  const standing = (on: Site, row: Row, side: 'before' | 'after'): Standing => ({
    record: side === 'before' || isShown ? viewOf(on, row, put) : null,
    ...(places && { place: places[side] }),
    ...(put.bin !== undefined && { bin: row.deleted }),
  })
  return {
    state: 'done',
    table: stored.table,
    uid: isNew && stored.uid === 0 ? null : stored.uid,
    version: isNew && stored.uid === 0 ? '' : String(stored.version),
    before: before ? standing(site, before, 'before') : null,
    after: standing(then, stored, 'after'),
    labels: Object.fromEntries(
      tableOf(stored.table).fields.map(({ name, label }) => [name, inLanguage(label, site.actor.lang)]),
    ),
    page: { uid: pageUid, title: page ? titleOf(page) : '' },
    ...(along && { along }),
    versions: versionsOf(site, planned),
  }
}

/** The record as the actor sees it; the number of its place says nothing beside the place itself. */
function viewOf(site: Site, row: Row, { place, uid }: Put): Standing['record'] {
  const record = recordView(site, row)
  if (!place || (uid === null && place.after === undefined)) return record
  const { sorting: _, ...fields } = record.fields
  return { ...record, fields }
}
