import * as z from 'zod'
import { indexes } from '../../base/aws/indexes.ts'
import { item, number, type Of, schemaAttribute } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'
import { dayMs } from '../../base/clock.ts'
import { objectOf } from '../../base/lazy-schema.ts'
import * as Log from '../../base/log.ts'
import { type Sum, sumsOf } from './sum.ts'

/**
 * The item of a user's day. `settled` is the usage; `committed` is the usage plus all reservations. `committed` is
 * stored, because a condition of DynamoDB cannot add numbers. Each run has one attribute for its open reservation and
 * one for its last settled round. So each step is one conditional update of one small item. The same update adds to the
 * sums by model, so that they count exactly the tokens of the budget, once. The index by user lists the item under its
 * day.
 */

const Reservation = objectOf(() => ({ round: z.number(), tokens: z.number(), at: z.number().default(0) }))
/** Tokens that are reserved for one model call of a run, and the time in milliseconds since the epoch. */
export type Reservation = z.infer<typeof Reservation>

const Mark = objectOf(() => ({ round: z.number(), at: z.number() }))
/** The last settled round of a run, and its time. */
type Mark = z.infer<typeof Mark>

/** Encodes and decodes the sums of a day, in tokens. */
export const codec = item('usage', 1, {
  settled: number('settled', 0),
  committed: number('committed', 0),
})

/** A user's day: reservations and marks by the name of their attribute, sums by model. */
export type Day = Of<typeof codec.fields> & {
  date: string
  sums: Map<string, Sum>
  open: Map<string, Reservation>
  done: Map<string, Mark>
}

const keepDays = 90

/** Returns the attribute of a run's open reservation. */
export const openName = (runId: string) => `open_${word(runId)}`
/** Returns the attribute of a run's last settled round. */
export const doneName = (runId: string) => `done_${word(runId)}`

const word = (runId: string) => runId.replace(/[^A-Za-z0-9]/g, '_')

/** Returns the key of a user's day. */
export const key = (uid: number, date: string): Table.Key => ({ pk: `user#${uid}`, sk: `usage#${date}` })

/** Returns the days of a user from one strongly consistent read; an empty day for a missing item. */
export async function days(uid: number, dates: string[]): Promise<Day[]> {
  return daysOf(dates.map((date) => ({ uid, date })))
}

/** Returns the days of a user in a range that have an item, in order; one request reads about a year. */
export async function daysOfUser(uid: number, { from, to }: { from: string; to: string }): Promise<Day[]> {
  const rows = await Table.between(key(uid, from), key(uid, to).sk)
  return rows.map((row) => decode(String(row.sk).slice('usage#'.length), row))
}

const perRequest = 100
const readsAtOnce = 10

/** Returns any number of days of several users, read like `days`, in up to ten parallel requests. */
export async function daysOf(wanted: { uid: number; date: string }[]): Promise<Day[]> {
  const requests = Table.chunks(
    wanted.map(({ uid, date }) => key(uid, date)),
    perRequest,
  )
  const rows: (Table.Row | undefined)[] = []
  for (const some of Table.chunks(requests, readsAtOnce))
    rows.push(...(await Promise.all(some.map(Table.rowsOf))).flat())
  return wanted.map(({ date }, at) => decode(date, rows[at]))
}

/** Changes a user's day; false if the condition does not hold. The item expires 90 days after its day. */
export function change(uid: number, date: string, assignment: Table.Assignment): Promise<boolean> {
  return Table.assign(key(uid, date), placed(uid, date, assignment))
}

/** Returns the write of `change`, for a transaction. */
export function changeWrite(uid: number, date: string, assignment: Table.Assignment): Table.Write {
  return Table.assignWrite(key(uid, date), placed(uid, date, assignment))
}

function placed(uid: number, date: string, assignment: Table.Assignment): Table.Assignment {
  const expiresAt = Date.parse(date) / 1000 + ((keepDays + 1) * dayMs) / 1000
  const { pk, sk } = indexes.byUser
  const place = { [pk]: datePartition(date), [sk]: String(uid) }
  const set = { ...assignment.set, ...place, expires_at: expiresAt, [schemaAttribute]: codec.schema }
  return { ...assignment, set }
}

const datePartition = (date: string) => `usage#${date}`

/** Returns the users with usage or reservations on a day. Needs one request for about ten thousand users. */
export async function usersOf(date: string): Promise<number[]> {
  const rows = await Table.all({
    IndexName: indexes.byUser.name,
    KeyConditionExpression: 'user_pk = :date',
    ExpressionAttributeValues: { ':date': datePartition(date) },
  })
  return rows.map(({ user_sk }) => Number(user_sk))
}

/** Returns a user's day from its row; without a row, a day without usage. */
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
