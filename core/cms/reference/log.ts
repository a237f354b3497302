import * as Table from '../../aws/table.ts'
import { type LogEntry, type LogLevel, levels } from '../schema.ts'
import { encode, numberOf, type Row, textOf } from './item.ts'
import * as Rows from './rows.ts'
import type { Site } from './site.ts'

/** What is logged: a sentence for administrators. */
export type Logged = { level: LogLevel; component: string; message: string; username: string | null }

/** A row of the log. */
export function logRow(uid: number, logged: Logged, now: number): Row {
  return {
    table: 'sys_log',
    uid,
    pid: 0,
    deleted: false,
    version: 1,
    createdAt: now,
    changedAt: now,
    changedBy: logged.username,
    fields: { ...logged },
  }
}

/** Writes an entry of its own. `now` is milliseconds since the epoch. */
export async function append(store: string, logged: Logged, now: number): Promise<void> {
  const { sys_log: uid } = await Rows.allocate(store, ['sys_log'])
  await Table.put(encode(logRow(uid, logged, now)), {}, store)
}

/** Entries at `level` and worse, not older than `since`, the newest first; nothing for others than administrators. */
export async function log(
  site: Site,
  query: { level: LogLevel; since?: string; limit: number },
): Promise<LogEntry[]> {
  if (!site.rights.isAdmin) return []
  const worst = new Set<string>(levels.slice(levels.indexOf(query.level)))
  const since = query.since === undefined ? 0 : Date.parse(query.since)
  const entries: LogEntry[] = []
  for await (const row of Rows.newest(site.store, 'sys_log')) {
    if (row.createdAt < since || entries.length >= query.limit) break
    if (worst.has(textOf(row, 'level'))) entries.push(entryOf(row, 1))
  }
  return entries
}

/**
 * The exception at `index`, 0 the newest, with how often it was thrown: the same class and code at the same place are
 * one. Undefined past the last one and for others than administrators.
 */
export async function exception(site: Site, index: number): Promise<LogEntry | undefined> {
  if (!site.rights.isAdmin) return undefined
  const found = new Map<string, { row: Row; count: number }>()
  for await (const row of Rows.newest(site.store, 'sys_log')) {
    if (textOf(row, 'exception_class') === '') continue
    const place = ['class', 'code', 'file', 'line'].map((part) => row.fields[`exception_${part}`]).join('\n')
    const known = found.get(place)
    if (known) known.count++
    found.set(place, known ?? { row, count: 1 })
  }
  const wanted = [...found.values()][index]
  return wanted && entryOf(wanted.row, wanted.count)
}

function entryOf(row: Row, count: number): LogEntry {
  const name = textOf(row, 'exception_class')
  return {
    uid: row.uid,
    at: new Date(row.createdAt).toISOString(),
    level: levels.find((level) => level === textOf(row, 'level')) ?? 'info',
    component: textOf(row, 'component'),
    message: textOf(row, 'message'),
    user: textOf(row, 'username') || null,
    ...(name && {
      exception: {
        class: name,
        code: numberOf(row, 'exception_code'),
        file: textOf(row, 'exception_file'),
        line: numberOf(row, 'exception_line'),
        trace: textOf(row, 'exception_trace'),
        count,
      },
    }),
  }
}
