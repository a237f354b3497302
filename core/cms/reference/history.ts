import * as z from 'zod'
import { inLanguage } from '../../base/language.ts'
import type { FieldChange } from '../../conversation/schema.ts'
import { isUndo } from '../cms.ts'
import { pageLabel, unseenPage } from '../difference.ts'
import type { HistoryEntry } from '../schema.ts'
import { numberOf, type Row, textOf, Value } from './item.ts'
import { mayReadField, mayShow } from './permission.ts'
import { fieldOf, tableOf } from './registry.ts'
import type { Site } from './site.ts'
import { show } from './value.ts'
import { titleOf } from './view.ts'

const Changes = z.array(z.object({ field: z.string(), before: Value, after: Value }))
/** A change of one field with its stored values. */
export type Change = z.infer<typeof Changes>[number]

const Action = z.enum(['add', 'modify', 'move', 'delete', 'undelete'])
export type Action = z.infer<typeof Action>

/**
 * Returns the fields of a new history row. It stores `username`, so that the row stays readable when the user is gone.
 */
export function fieldsOf(recorded: Recorded & { user: number }, username: string): Row['fields'] {
  return {
    action: recorded.action,
    tablename: recorded.table,
    recuid: recorded.uid,
    userid: recorded.user,
    username,
    correlation_id: recorded.runId,
    version_after: recorded.versionAfter,
    history_data: JSON.stringify(recorded.changes),
  }
}

/** Reads the content of a stored history row, without its user. */
export function recordedOf(row: Row) {
  return {
    action: Action.parse(row.fields.action),
    table: textOf(row, 'tablename'),
    uid: numberOf(row, 'recuid'),
    /** The run that made the change; ends with `/undo` if the change reverts a change of that run. */
    runId: textOf(row, 'correlation_id'),
    versionAfter: numberOf(row, 'version_after'),
    changes: Changes.parse(JSON.parse(textOf(row, 'history_data') || '[]')),
  }
}
type Recorded = ReturnType<typeof recordedOf>

/** Returns a history row of `row` as the actor may see it; undefined if the actor may see no part of the change. */
export function entryOf(site: Site, row: Row, change: Row): HistoryEntry | undefined {
  const recorded = recordedOf(change)
  const changes = shownChanges(site, row, recorded.changes, recorded.action === 'add')
  if (recorded.action === 'modify' && changes.length === 0) return undefined
  return {
    at: new Date(change.createdAt).toISOString(),
    user: textOf(change, 'username'),
    action: recorded.action,
    changes,
    correlationId: isUndo(recorded.runId) ? null : recorded.runId || null,
    revision: String(recorded.versionAfter),
  }
}

/** Returns changes in readable form, without the fields that the actor may not see. `row` is the changed record. */
function shownChanges(site: Site, row: Row, changes: Change[], isNew = false): FieldChange[] {
  const table = tableOf(row.table)
  return changes.flatMap(({ field, before, after }) => {
    if (field === 'pid') return [pageChange(site, before, after)]
    const spec = fieldOf(table, field)
    if (!spec || !mayReadField(site.rights, table, spec, row)) return []
    return {
      field,
      label: inLanguage(spec.label, site.actor.lang),
      before: isNew ? null : show(spec, before, site.actor.lang),
      after: show(spec, after, site.actor.lang),
    }
  })
}

/** Returns the move of a record to another page, with the titles of the two pages. */
function pageChange(site: Site, before: Value, after: Value): FieldChange {
  const { lang } = site.actor
  const name = (uid: number) => {
    if (uid === 0) return null
    const page = mayShow(site.rights, site.pages, uid) ? site.pages.get(uid) : undefined
    return page ? `${titleOf(page)} [${uid}]` : inLanguage(unseenPage, lang)
  }
  return {
    field: 'pid',
    label: inLanguage(pageLabel, lang),
    before: name(Number(before)),
    after: name(Number(after)),
  }
}
