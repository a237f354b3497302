import { dayOf } from './budget.ts'
import { cells, columns, csv } from './csv.ts'
import { allDaysOf, type Day, usersOf } from './item.ts'
import type { Days, UsageAnswer, UsageLine, UsageSum } from './schema.ts'
import { dollarsOf, nothing, plus, type Sum, sumBy } from './sum.ts'

/** Reports on what a stage has used, of the sums that each user's day has. They are kept for 90 days. */

/** What a model was used for by a user on a day. */
export type UsageRow = Sum & { day: string; uid: number; model: string }

/** The rows of days, the newest first, and the first day that is whole in them. */
export type Rows = { rows: UsageRow[]; since: string }

/** A user as reports name them; `groups` by the names that the CMS has for them. */
export type Person = { uid: number; username: string; groups: string[] }

/**
 * One report reads so many days of users, and no further day once it has them: 100 requests of 100 items, ten at a time,
 * which is two seconds or so. 100 users who chat every day have a quarter of a year in it, 1,000 users ten days.
 */
const mostRead = 10_000
const daysAtOnce = 10
const dayMs = 86_400_000

/** What the users did on these days. With `most`, days are left out once so many days of users were read. */
export async function rowsOf({ from, to }: Days, most = mostRead): Promise<Rows> {
  const dates: string[] = []
  for (let at = Date.parse(to); at >= Date.parse(from); at -= dayMs) dates.push(dayOf(at))
  const wanted: { uid: number; date: string }[] = []
  let since = to
  for (const some of chunks(dates, daysAtOnce)) {
    const users = await Promise.all(some.map(usersOf))
    for (const [at, date] of some.entries()) {
      const uids = users[at] ?? []
      if (wanted.length > 0 && wanted.length + uids.length > most) return { rows: await read(wanted), since }
      wanted.push(...uids.map((uid) => ({ uid, date })))
      since = date
    }
  }
  return { rows: await read(wanted), since }
}

async function read(wanted: { uid: number; date: string }[]): Promise<UsageRow[]> {
  const days = await allDaysOf(wanted)
  return wanted.flatMap(({ uid }, at) => of(uid, days[at]))
}

function of(uid: number, day: Day | undefined): UsageRow[] {
  return day ? [...day.sums].map(([model, sum]) => ({ ...sum, day: day.date, uid, model })) : []
}

/** The sums of the days by user, group, model and day; users and groups as `people` knows them. */
export function answerOf({ from, to }: Days, { rows, since }: Rows, people: Person[]): UsageAnswer {
  const known = new Map(people.map((person) => [String(person.uid), person]))
  const groupsOf = ({ uid }: UsageRow) => known.get(String(uid))?.groups ?? []
  const named = (key: string) => key
  return {
    from,
    to,
    since,
    total: shown(rows.reduce<Sum>(plus, nothing)),
    byUser: lines(
      rows,
      ({ uid }) => [String(uid)],
      (uid) => known.get(uid)?.username ?? null,
    ),
    byGroup: lines(rows, (row) => (groupsOf(row).length > 0 ? groupsOf(row) : ['']), named),
    byModel: lines(rows, ({ model }) => [model], named),
    byDay: lines(rows, ({ day }) => [day], named),
  }
}

function lines(
  rows: UsageRow[],
  keysOf: (row: UsageRow) => string[],
  nameOf: (key: string) => string | null,
): UsageLine[] {
  return sumBy(rows, keysOf).map(([key, sum]) => ({ key, name: nameOf(key), ...shown(sum) }))
}

function shown({ microDollars, ...counts }: Sum): UsageSum {
  return { ...counts, dollars: dollarsOf(microDollars) }
}

/** Every row as CSV: day, uid, name, groups and model of each, for sums of the reader's own. */
export function csvOf(rows: UsageRow[], people: Person[]): string {
  const known = new Map(people.map((person) => [person.uid, person]))
  const lines = rows.map((row) => {
    const { username = '', groups = [] } = known.get(row.uid) ?? {}
    return [row.day, String(row.uid), username, groups.join('; '), row.model, ...cells(row)]
  })
  return csv([['day', 'uid', 'user', 'groups', 'model', ...columns], ...lines])
}

function chunks<T>(all: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  )
}
