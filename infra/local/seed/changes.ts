import * as z from 'zod'
import { dayMs } from '../../../core/base/clock.ts'
import { seedRow } from '../../../core/cms/reference/bootstrap.ts'
import { fieldsOf } from '../../../core/cms/reference/history.ts'
import { type Row, Value } from '../../../core/cms/reference/item.ts'
import changeData from './changes.json' with { type: 'json' }
import logData from './log.json' with { type: 'json' }

/** The past of the site: changes of records, and the entries of the log. */

const Change = z.strictObject({ field: z.string(), before: Value, after: Value })

/** Changes that people made, the oldest first; the last value of a field is its current value. */
const past = z
  .array(
    z.strictObject({
      daysAgo: z.int(),
      table: z.string(),
      uid: z.int(),
      user: z.int(),
      by: z.string(),
      changes: z.array(Change),
    }),
  )
  .parse(changeData)

/** Returns the history of the site, which is dated before the first start of the stage. */
export function historyRows(now: number): Row[] {
  return past.map(({ daysAgo, by, ...change }, at) => {
    const place = { pid: 0, at: now - daysAgo * dayMs, by }
    const recorded = { ...change, action: 'modify' as const, runId: '', isUndo: false, versionAfter: 1 }
    return seedRow('sys_history', at + 1, place, fieldsOf(recorded, by))
  })
}

const LogLine = z.strictObject({
  hour: z.number(),
  level: z.string(),
  component: z.string(),
  message: z.string(),
  username: z.string().optional(),
})
const Event = LogLine.extend({
  daysAgo: z.int(),
  /** The exception behind the entry; its trace has a line for each call. */
  thrown: z.looseObject({ exception_trace: z.array(z.string()) }).optional(),
})

/** The entries of each quiet day, and single events with their age in days. */
const { daily, events } = z.strictObject({ daily: z.array(LogLine), events: z.array(Event) }).parse(logData)

/** The log of the last thirty days, the oldest entry first. */
export function logRows(now: number): Row[] {
  const days = Array.from({ length: 30 }, (_, at) => 30 - at)
  const lines = [...days.flatMap((daysAgo) => daily.map((line) => ({ ...line, daysAgo }))), ...events]
  return lines
    .map((line: z.infer<typeof Event>) => ({
      line,
      at: now - line.daysAgo * dayMs + line.hour * (dayMs / 24),
    }))
    .sort((one, other) => one.at - other.at)
    .map(({ line: { level, component, message, username, thrown }, at }, index) => {
      const exception = thrown && { ...thrown, exception_trace: thrown.exception_trace.join('\n') }
      const place = { pid: 0, at, by: username ?? 'system' }
      const fields = { level, component, message, username: username ?? null, ...exception }
      return seedRow('sys_log', index + 1, place, z.record(z.string(), Value).parse(fields))
    })
}
