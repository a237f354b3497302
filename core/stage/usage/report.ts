import { chunks } from '../../base/aws/table.ts'
import { dayMs } from '../../base/clock.ts'
import { dayOf } from './budget.ts'
import { type Day, daysOf, daysOfUser, usersOf } from './item.ts'
import type { Days, UsageAnswer, UsageLine, UsageSum } from './schema.ts'
import { dollarsOf, nothing, plus, type Sum, sumBy } from './sum.ts'

/** Reports the usage of a stage from the sums in each user's day; they are kept for 90 days. */

/** The usage of a model by a user on a day. */
export type UsageRow = Sum & { day: string; uid: number; model: string }

/** The rows of days, newest first, and the first day that they cover completely. */
export type Rows = { rows: UsageRow[]; since: string }

/** A user in reports; `groups` are names of groups in the CMS. */
export type Person = { uid: number; username: string; groups: string[] }

/**
 * Limit of users' days that a report reads; it leaves out the oldest days above the limit. 100 requests of 100 items,
 * ten in parallel, take about two seconds. The limit covers a quarter of a year for 100 daily users, or ten days for
 * 1,000 users.
 */
const mostRead = 10_000
const daysAtOnce = 10

/** Returns the usage on these days. Leaves out the oldest days if they have more than `most` items of users. */
export async function reportRows({ from, to }: Days, most = mostRead): Promise<Rows> {
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

/** Returns the usage of one user on these days; without `withCost`, the cost is null. */
export async function ownRows(uid: number, asked: Days, withCost: boolean): Promise<UsageRow[]> {
  const rows = (await daysOfUser(uid, asked)).flatMap((day) => of(uid, day))
  return withCost ? rows : rows.map((row) => ({ ...row, microDollars: null }))
}

async function read(wanted: { uid: number; date: string }[]): Promise<UsageRow[]> {
  const days = await daysOf(wanted)
  return wanted.flatMap(({ uid }, at) => of(uid, days[at]))
}

function of(uid: number, day: Day | undefined): UsageRow[] {
  return day ? [...day.sums].map(([model, sum]) => ({ ...sum, day: day.date, uid, model })) : []
}

/** Sums the days by user, group, model and day; `people` supplies the names of users and groups. */
export function answerOf(
  { from, to }: Days,
  { rows, since }: Rows,
  people: Person[],
): Omit<UsageAnswer, 'budget'> {
  const known = new Map(people.map((person) => [String(person.uid), person]))
  const groupsOf = ({ uid }: UsageRow) => known.get(String(uid))?.groups ?? []
  return {
    from,
    to,
    since,
    total: shown(rows.reduce<Sum>(plus, nothing)),
    unpriced: unpricedOf(rows),
    byUser: lines(
      rows,
      ({ uid }) => [String(uid)],
      (uid) => known.get(uid)?.username ?? null,
    ),
    byGroup: lines(rows, (row) => (groupsOf(row).length > 0 ? groupsOf(row) : [''])),
    byModel: lines(rows, ({ model }) => [model]),
    byDay: lines(rows, ({ day }) => [day]),
  }
}

/** Returns the models with calls of unknown cost; a model that counts no tokens costs nothing. */
export function unpricedOf(rows: (Sum & { model: string })[]): string[] {
  const unknown = rows.filter(
    ({ microDollars, input, output }) => microDollars === null && input + output > 0,
  )
  return [...new Set(unknown.map(({ model }) => model))].sort()
}

function lines(
  rows: UsageRow[],
  keysOf: (row: UsageRow) => string[],
  nameOf: (key: string) => string | null = (key) => key,
): UsageLine[] {
  return sumBy(rows, keysOf).map(([key, sum]) => ({ key, name: nameOf(key), ...shown(sum) }))
}

function shown({ microDollars, ...counts }: Sum): UsageSum {
  return { ...counts, dollars: dollarsOf(microDollars) }
}

/** Returns the answer with every row as a CSV file, for the reader's own calculations. */
export function csvFile({ from, to }: Days, rows: UsageRow[], people: Person[]) {
  const disposition = `attachment; filename="usage-${from}-${to}.csv"`
  return {
    // The byte order mark tells spreadsheets that the file is UTF-8.
    body: `\uFEFF${csvOf(rows, people)}`,
    headers: { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': disposition },
  }
}

/** Returns every row as CSV with day, uid, name, groups and model. */
export function csvOf(rows: UsageRow[], people: Person[]): string {
  const known = new Map(people.map((person) => [person.uid, person]))
  const lines = rows.map((row) => {
    const { username = '', groups = [] } = known.get(row.uid) ?? {}
    return [row.day, String(row.uid), username, groups.join('; '), row.model, ...cells(row)]
  })
  return csv([['day', 'uid', 'user', 'groups', 'model', ...columns], ...lines])
}

/** Columns of sums, in the order of the table and of the file. */
export const columns = [
  'turns',
  'failed',
  'calls',
  'input',
  'output',
  'cacheRead',
  'cacheWrite',
  'dollars',
] as const

/** Returns the values of the columns as text; an unknown cost is empty. */
export function cells(line: Sum): string[] {
  return columns.map((name) => {
    if (name !== 'dollars') return String(line[name])
    return dollarsOf(line.microDollars)?.toFixed(4) ?? ''
  })
}

/** Formats rows as CSV (RFC 4180). A cell that a spreadsheet would read as a formula gets a leading apostrophe. */
export function csv(rows: string[][]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

function cell(value: string): string {
  // Spreadsheets also accept the full-width forms of these signs, and ignore leading spaces.
  const harmless = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/u.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
