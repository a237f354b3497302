import { dayMs } from '../../../core/base/clock.ts'
import { seedRow } from '../../../core/cms/reference/bootstrap.ts'
import { fieldsOf } from '../../../core/cms/reference/history.ts'
import type { Row } from '../../../core/cms/reference/item.ts'
import past from './changes.json' with { type: 'json' }
import log from './log.json' with { type: 'json' }

/** The past of the site: changes of records, and the entries of the log. */

/**
 * Returns the history of the site, which is dated before the first start of the stage: the oldest change first. The
 * last value of a field is its current value.
 */
export function historyRows(now: number): Row[] {
  return past.map(({ daysAgo, by, ...change }, at) => {
    const place = { pid: 0, at: now - daysAgo * dayMs, by }
    const recorded = { ...change, action: 'modify' as const, runId: '', isUndo: false, versionAfter: 1 }
    return seedRow('sys_history', at + 1, place, fieldsOf(recorded, by))
  })
}

type Event = (typeof log)['events'][number]

/**
 * Returns the log of the last thirty days, the oldest entry first: the entries of each quiet day, and single events.
 */
export function logRows(now: number): Row[] {
  const days = Array.from({ length: 30 }, (_, at) => 30 - at)
  const quiet: Event[] = days.flatMap((daysAgo) => log.daily.map((line) => ({ ...line, daysAgo })))
  return [...quiet, ...log.events]
    .map((line) => ({ line, at: now - line.daysAgo * dayMs + line.hour * (dayMs / 24) }))
    .sort((one, other) => one.at - other.at)
    .map(({ line: { level, component, message, username, thrown }, at }, index) => {
      const exception = thrown && { ...thrown, exception_trace: thrown.exception_trace.join('\n') }
      const place = { pid: 0, at, by: username ?? 'system' }
      const fields = { level, component, message, username: username ?? null, ...exception }
      return seedRow('sys_log', index + 1, place, fields)
    })
}
