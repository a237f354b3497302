import type { Write } from '../cms.ts'
import { states } from './capabilities.ts'
import { recordedOf } from './history.ts'
import { historyPartition, type Row, type Value } from './item.ts'
import { denyEdit, readableFields } from './permission.ts'
import type { Refusal } from './refusal.ts'
import { tableOf } from './registry.ts'
import * as Rows from './rows.ts'
import type { Site } from './site.ts'

type Fields = { fields: Record<string, unknown> }

/** The fields that a state comes to, or why there is no such state. */
function ofState(
  row: Row,
  { table, state, from, until }: Extract<Write, { kind: 'state' }>,
): Fields | Refusal {
  const { hiddenField, fields } = tableOf(table)
  const hasTimes = fields.some(({ name }) => name === 'starttime')
  if (!hiddenField || !hasTimes) return other(`Records of ${table} have no states.`)
  if (!states.some((known) => known === state))
    return other(`There is no state "${state}". States: ${states.join(', ')}.`)
  if (state === 'scheduled') {
    if (!from && !until) return other('The state scheduled needs from, until, or both.')
    if (from && until && from >= until) return other('The time has to begin before it ends.')
    return { fields: { [hiddenField]: false, starttime: from ?? null, endtime: until ?? null } }
  }
  if (from || until) return other('Only the state scheduled has from and until.')
  if (state === 'hidden') return { fields: { [hiddenField]: true } }
  const held = ['starttime', 'endtime'].filter((field) => row.fields[field] != null)
  return { fields: { [hiddenField]: false, ...Object.fromEntries(held.map((field) => [field, null])) } }
}

/** State, place and lock are no content: an earlier version does not bring them back. */
const beside = new Set(['hidden', 'starttime', 'endtime', 'sorting', 'editlock', 'language'])

/** The content as it was at a revision, where the actor may change it; or why it cannot be put back. */
async function ofRevision(
  site: Site,
  row: Row,
  { revision }: Extract<Write, { kind: 'restore' }>,
): Promise<Fields | Refusal> {
  const values = new Map<string, Value>()
  for await (const step of Rows.trail(site.store, historyPartition(row.table, row.uid))) {
    const { versionAfter, changes } = recordedOf(step)
    if (String(versionAfter) === revision) {
      const content = readableFields(site.rights, tableOf(row.table), row).filter(
        ({ name, readOnly, ownerOnly }) => !readOnly && !ownerOnly && !beside.has(name),
      )
      const fields = content.flatMap(({ name }) => (values.has(name) ? [[name, values.get(name)]] : []))
      return { fields: Object.fromEntries(fields) }
    }
    for (const { field, before } of changes) values.set(field, before)
  }
  return other(
    `The history of ${row.table} [${row.uid}] has no version ${revision}. get_record_history names them.`,
  )
}

/** The kinds of write that are about the record as a whole. */
export type OfRecord = 'move' | 'translate' | 'remove' | 'delete' | 'undelete'

/** The write of fields that a write comes to, or why there is none; for a record that is not there, of none. */
export async function meantBy(
  site: Site,
  row: Row | undefined,
  write: Exclude<Write, { kind: 'create' | OfRecord }>,
): Promise<Extract<Write, { kind: 'update' }> | Refusal> {
  if (write.kind === 'update') return write
  const { table, uid } = write
  const seen = row && !denyEdit(site.rights, site.pages, row) ? row : undefined
  const meant = !seen
    ? { fields: {} }
    : write.kind === 'state'
      ? ofState(seen, write)
      : await ofRevision(site, seen, write)
  return 'refused' in meant ? meant : { kind: 'update', table, uid, fields: meant.fields }
}

const other = (sentence: string): Refusal => ({ refused: 'other', sentence })
