import { blank, type Row, type Value } from './item.ts'
import { tableOf } from './registry.ts'

/** A record of the seed: what is not given is as the table's fields begin. */
export function row(
  table: string,
  uid: number,
  place: { pid: number; at: number; changedAt?: number; by?: string; version?: number },
  fields: Record<string, Value>,
): Row {
  const initial = Object.fromEntries(tableOf(table).fields.map((field) => [field.name, field.initial]))
  return {
    ...blank(table, place.pid, { ...initial, ...fields }),
    uid,
    version: place.version ?? 1,
    createdAt: place.at,
    changedAt: place.changedAt ?? place.at,
    changedBy: place.by ?? 'admin',
  }
}
