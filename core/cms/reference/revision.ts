import type { CmsRecord } from '../schema.ts'
import { recordedOf } from './history.ts'
import { historyPartition, type Value } from './item.ts'
import { readableFields } from './permission.ts'
import * as Read from './read.ts'
import { tableOf } from './registry.ts'
import * as Rows from './rows.ts'
import type { Site } from './site.ts'

/** State, place and lock are no content: an earlier revision does not bring them back. */
const beside = new Set(['hidden', 'starttime', 'endtime', 'sorting', 'editlock', 'language'])

/** A record with its content as it was at a revision; undefined where the actor sees no such record or revision. */
export async function revisionOf(
  site: Site,
  table: string,
  item: Record<string, unknown> | undefined,
  revision: string,
): Promise<CmsRecord | undefined> {
  const record = Read.record(site, table, item)
  if (!record) return undefined
  const values = new Map<string, Value>()
  for await (const step of Rows.trail(site.store, historyPartition(table, Number(record.uid)))) {
    const { versionAfter, changes } = recordedOf(step)
    if (String(versionAfter) === revision) {
      const content = readableFields(site.rights, tableOf(table)).filter(
        ({ name, readOnly, ownerOnly }) => !readOnly && !ownerOnly && !beside.has(name),
      )
      const fields = content.map(({ name }) => [name, values.get(name) ?? record.fields[name] ?? null])
      return { ...record, fields: Object.fromEntries(fields) }
    }
    for (const { field, before } of changes) values.set(field, before)
  }
  return undefined
}
