import type { Snapshot, WriteOutcome } from '../cms.ts'
import type { Row } from './item.ts'
import type { Plan } from './plan.ts'
import { tableOf } from './registry.ts'
import type { Site } from './site.ts'
import { recordView } from './view.ts'

type Snapshots = Pick<Extract<WriteOutcome, { state: 'done' }>, 'before' | 'after'>

/** What a write found and left, as the actor may see it. */
export function snapshots(site: Site, { row, before, changes, places }: Plan): Snapshots {
  const changed = new Set(changes.map(({ field }) => field))
  const meant = new Set(
    tableOf(row.table)
      .fields.filter(
        ({ name, readOnly }) => !readOnly && name !== 'sorting' && (!before || changed.has(name)),
      )
      .map(({ name }) => name),
  )
  const of = (it: Row) =>
    Object.fromEntries(Object.entries(recordView(site, it).fields).filter(([name]) => meant.has(name)))
  const isBinned = before !== undefined && before.deleted !== row.deleted
  const snapshot = (it: Row, place: Snapshot['place']): Snapshot => ({
    fields: of(it),
    ...(place && { place }),
    ...(isBinned && { deleted: it.deleted }),
  })
  return { before: before ? snapshot(before, places?.before) : null, after: snapshot(row, places?.after) }
}
