import type { FieldChange } from '../../conversation/schema.ts'
import type { Write } from '../cms.ts'
import { shownChanges } from './history.ts'
import type { Row } from './item.ts'
import { mayRead } from './permission.ts'
import type { Plan } from './plan.ts'
import { fieldOf, tableNamed, tableOf } from './registry.ts'
import * as Rows from './rows.ts'
import type { Site } from './site.ts'
import { titleOf } from './view.ts'

/** The files that a write may name: those that the actor sees, where it is about a media field; none otherwise. */
export async function mediaFor(
  site: Site,
  { table, fields }: Extract<Write, { kind: 'update' | 'create' }>,
): Promise<Row[]> {
  const spec = tableNamed(table)
  const isAbout = Object.keys(fields).some((name) => spec && fieldOf(spec, name)?.kind === 'media')
  if (!isAbout) return []
  const all = await Rows.all(site.store, 'media')
  return all.filter((row) => mayRead(site.rights, site.pages, row))
}

/** The plan with the titles of files in what a person is shown of it. */
export function withNames(site: Site, planned: Plan, media: Row[]): Plan {
  const { row, before, changes } = planned
  const table = tableOf(row.table)
  const name = (uid: string | null) => {
    const medium = media.find((one) => String(one.uid) === uid)
    return medium ? `${titleOf(medium)} [${uid}]` : uid
  }
  const named = (change: FieldChange): FieldChange =>
    fieldOf(table, change.field)?.kind === 'media'
      ? { ...change, before: name(change.before), after: name(change.after) }
      : change
  return { ...planned, shown: shownChanges(site, row, changes, before === undefined).map(named) }
}
