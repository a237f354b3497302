import * as z from 'zod'
import { type Assignment, assign } from '../aws/expression.ts'
import * as Table from '../aws/table.ts'
import { config } from '../stage/config.ts'

/**
 * The item of a user's day: `settled` is what was used, `committed` that plus what is reserved; stored because a
 * condition cannot add. One attribute per run holds its open reservation, another its last settled round, so that each
 * step is one conditional update of one small item.
 */

const Reservation = z.object({ round: z.number(), tokens: z.number(), at: z.number().default(0) })
/** Tokens set aside for one model call of a run, and when, in milliseconds since the epoch. */
export type Reservation = z.infer<typeof Reservation>

const Mark = z.object({ round: z.number(), at: z.number() })
/** The last round of a run that was settled, and when. */
export type Mark = z.infer<typeof Mark>

const Totals = z.object({ settled: z.number().default(0), committed: z.number().default(0) })

/** A user's day. Reservations and marks by the name of their attribute. */
export type Day = z.infer<typeof Totals> & {
  date: string
  open: Map<string, Reservation>
  done: Map<string, Mark>
}

const dayMs = 24 * 60 * 60_000
const keepDays = 90

/** The attribute of a run's open reservation. */
export const openName = (runId: string) => `open_${word(runId)}`
/** The attribute of a run's last settled round. */
export const doneName = (runId: string) => `done_${word(runId)}`

const word = (runId: string) => runId.replace(/[^A-Za-z0-9]/g, '_')

const key = (uid: number, date: string): Table.Key => ({ pk: `user#${uid}`, sk: `usage#${date}` })

/** The days of a user, strongly read in one request; an empty one for each that has no item. */
export async function days(uid: number, dates: string[]): Promise<Day[]> {
  const { table } = config()
  const rows = await Table.batch(dates.map((date) => ({ table, key: key(uid, date) })))
  return dates.map((date, at) => decode(date, rows[at]))
}

/** Changes a user's day; false when the condition does not hold. The item expires 90 days after its day. */
export function change(uid: number, date: string, assignment: Assignment): Promise<boolean> {
  const expiresAt = Date.parse(date) / 1000 + ((keepDays + 1) * dayMs) / 1000
  const set = { ...assignment.set, expires_at: expiresAt }
  const place = key(uid, date)
  return Table.update(place, assign(config().table, place, { ...assignment, set }))
}

function decode(date: string, row: Table.Row = {}): Day {
  const of = <T>(prefix: string, schema: z.ZodType<T>) =>
    new Map(
      Object.entries(row)
        .filter(([name]) => name.startsWith(prefix))
        .map(([name, value]) => [name, schema.parse(value)]),
    )
  return { date, ...Totals.parse(row), open: of('open_', Reservation), done: of('done_', Mark) }
}
