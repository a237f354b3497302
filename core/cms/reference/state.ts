import type { Put } from '../cms.ts'
import { states } from './capabilities.ts'
import type { Row } from './item.ts'
import type { Refusal } from './refusal.ts'
import { tableOf } from './registry.ts'

/** The fields that a state comes to, or why there is no such state. */
export function fieldsOfState(
  row: Row,
  { state, from, until }: NonNullable<Put['state']>,
): { fields: Record<string, unknown> } | Refusal {
  const { hiddenField, fields } = tableOf(row.table)
  const hasTimes = fields.some(({ name }) => name === 'starttime')
  if (!hiddenField || !hasTimes) return other(`Records of ${row.table} have no states.`)
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

const other = (sentence: string): Refusal => ({ refused: 'other', sentence })
