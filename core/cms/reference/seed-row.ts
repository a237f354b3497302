import type { Row, Value } from './item.ts'
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
    table,
    uid,
    pid: place.pid,
    deleted: false,
    version: place.version ?? 1,
    createdAt: place.at,
    changedAt: place.changedAt ?? place.at,
    changedBy: place.by ?? 'admin',
    fields: { ...initial, ...fields },
  }
}
