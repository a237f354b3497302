import * as z from 'zod'
import { type Assignment, assign } from '../aws/expression.ts'
import { indexes } from '../aws/indexes.ts'
import { item, number, type Of, schemaAttribute } from '../aws/item.ts'
import * as Table from '../aws/table.ts'
import * as Log from '../log.ts'
import { config } from '../stage/config.ts'
import { type Sum, sumsOf } from './sum.ts'

/**
 * The item of a user's day: `settled` is what was used, `committed` that plus what is reserved; stored because a
 * condition cannot add. One attribute per run holds its open reservation, another its last settled round, so that each
 * step is one conditional update of one small item. That update also adds to the sums by model, so that they count what
 * the budget counts, once. The index by user has the item under its day.
 */

const Reservation = z.lazy(() =>
  z.object({ round: z.number(), tokens: z.number(), at: z.number().default(0) }),
)
/** Tokens set aside for one model call of a run, and when, in milliseconds since the epoch. */
export type Reservation = z.infer<typeof Reservation>

const Mark = z.lazy(() => z.object({ round: z.number(), at: z.number() }))
/** The last round of a run that was settled, and when. */
export type Mark = z.infer<typeof Mark>

/** How the sums of a day are stored, in tokens. */
export const codec = item('usage', 1, {
  settled: number('settled', 0),
  committed: number('committed', 0),
})

/** A user's day. Reservations and marks by the name of their attribute, sums by model. */
export type Day = Of<typeof codec.fields> & {
  date: string
  sums: Map<string, Sum>
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

/** The key of a user's day. */
export const key = (uid: number, date: string): Table.Key => ({ pk: `user#${uid}`, sk: `usage#${date}` })

/** The days of a user, strongly read in one request; an empty one for each that has no item. */
export async function days(uid: number, dates: string[]): Promise<Day[]> {
  return daysOf(dates.map((date) => ({ uid, date })))
}

/** Days of users, at most 100, as `days` reads them. */
export async function daysOf(wanted: { uid: number; date: string }[]): Promise<Day[]> {
  const { table } = config()
  const rows = await Table.batch(wanted.map(({ uid, date }) => ({ table, key: key(uid, date) })))
  return wanted.map(({ date }, at) => decode(date, rows[at]))
}

const perRequest = 100
const readsAtOnce = 10

/** As `daysOf`, any number of them, ten requests at a time. */
export async function allDaysOf(wanted: { uid: number; date: string }[]): Promise<Day[]> {
  const found: Day[] = []
  for (let at = 0; at < wanted.length; at += perRequest * readsAtOnce) {
    const some = wanted.slice(at, at + perRequest * readsAtOnce)
    const parts = Array.from({ length: Math.ceil(some.length / perRequest) }, (_, part) =>
      daysOf(some.slice(part * perRequest, (part + 1) * perRequest)),
    )
    found.push(...(await Promise.all(parts)).flat())
  }
  return found
}

/** Changes a user's day; false when the condition does not hold. The item expires 90 days after its day. */
export function change(uid: number, date: string, assignment: Assignment): Promise<boolean> {
  return Table.update(key(uid, date), update(uid, date, assignment))
}

/** The update by which `change` works, to go into a transaction. */
export function update(uid: number, date: string, assignment: Assignment): ReturnType<typeof assign> {
  const expiresAt = Date.parse(date) / 1000 + ((keepDays + 1) * dayMs) / 1000
  const { pk, sk } = indexes.byUser
  const place = { [pk]: datePartition(date), [sk]: String(uid) }
  const set = { ...assignment.set, ...place, expires_at: expiresAt, [schemaAttribute]: codec.schema }
  return assign(config().table, key(uid, date), { ...assignment, set })
}

const datePartition = (date: string) => `usage#${date}`

/** The users for whom something was counted or set aside on a day: a request for each ten thousand or so. */
export async function usersOf(date: string): Promise<number[]> {
  const rows = await Table.all({
    IndexName: indexes.byUser.name,
    KeyConditionExpression: 'user_pk = :date',
    ExpressionAttributeValues: { ':date': datePartition(date) },
  })
  return rows.map(({ user_sk }) => Number(user_sk))
}

/** The day of a row; an empty one where there is none. */
export function decode(date: string, row: Table.Row = {}): Day {
  const of = <T>(prefix: string, schema: z.ZodType<T>) =>
    new Map(
      Object.entries(row)
        .filter(([name]) => name.startsWith(prefix))
        .flatMap(([name, value]): [string, T][] => {
          const { success, data } = schema.safeParse(value)
          if (success) return [[name, data]]
          Log.warn('A stored item is damaged', { noun: codec.noun, pk: String(row.pk), attributes: name })
          return []
        }),
    )
  return {
    date,
    ...codec.decode(row),
    sums: sumsOf(row),
    open: of('open_', Reservation),
    done: of('done_', Mark),
  }
}
