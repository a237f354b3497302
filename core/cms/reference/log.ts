import * as Table from '../../base/aws/table.ts'
import type { Input } from '../operation.ts'
import { type LogEntry, type LogLevel, levels } from '../schema.ts'
import { blank, encode, numberOf, type Row, textOf } from './item.ts'
import * as Rows from './rows.ts'
import type { Site } from './site.ts'

/** The content of a log entry: a sentence for administrators. */
type Logged = { level: LogLevel; component: string; message: string; username: string | null }

/** Returns a row of the log. */
export function logRow(uid: number, logged: Logged, now: number): Row {
  const times = { createdAt: now, changedAt: now, changedBy: logged.username }
  return { ...blank('sys_log', 0, { ...logged }), ...times, uid, version: 1 }
}

/** Writes a single log entry. `now` is milliseconds since the epoch. */
export async function append(store: string, logged: Logged, now: number): Promise<void> {
  const { sys_log: uid } = await Rows.allocate(store, ['sys_log'])
  await Table.put(encode(logRow(uid, logged, now)), {}, store)
}

/**
 * Returns the entries of `level` and higher, not older than `since`, newest first; empty for users who are no
 * administrators. With `exceptions`, only exceptions, each once with its count: the same class and code at the same
 * place count as one exception.
 */
export async function log(site: Site, query: Input<'log'>): Promise<LogEntry[]> {
  if (!site.rights.isAdmin) return []
  const { level, exceptions, offset = 0, limit } = query
  const worst = new Set<string>(levels.slice(levels.indexOf(level)))
  const since = query.since === undefined ? 0 : Date.parse(query.since)
  const found = new Map<string, { row: Row; count: number }>()
  for await (const row of Rows.newest(site.store, 'sys_log')) {
    if (row.createdAt < since || (!exceptions && found.size >= offset + limit)) break
    const isMeant = worst.has(textOf(row, 'level')) && (!exceptions || textOf(row, 'exception_class') !== '')
    if (!isMeant) continue
    const key = exceptions ? thrownAt(row) : String(row.uid)
    const known = found.get(key)
    if (known) known.count++
    else found.set(key, { row, count: 1 })
  }
  return [...found.values()].slice(offset, offset + limit).map(({ row, count }) => entryOf(row, count))
}

const thrownAt = (row: Row) =>
  ['class', 'code', 'file', 'line'].map((part) => row.fields[`exception_${part}`]).join('\n')

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
