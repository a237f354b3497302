/**
 * `npm run usage`: prints tokens, cost, turns and failures of a stage for the last 90 days: by user, group, model or
 * day, as a table or as CSV. Exit codes: 0 printed, 2 wrong call.
 */
import type { Actor } from '../core/base/actor.ts'
import { live } from '../core/live.ts'
import { cells, columns, csv, reportRows, type UsageRow, unpricedOf } from '../core/stage/usage/report.ts'
import { nothing, plus, type Sum, sumBy } from '../core/stage/usage/sum.ts'
import { aligned, command, daysIn, flag, print, text, UsageError } from './command.ts'

const usage =
  'npm run usage -- [--by user|group|model|day|all] [--from YYYY-MM-DD] [--to YYYY-MM-DD] [--csv] [--stage NAME]'

const options = { by: text, from: text, to: text, stage: text, csv: flag }

command(usage, { options }, async ({ values }) => {
  const days = daysIn(values, Date.now())
  const { rows } = await reportRows(days, Number.POSITIVE_INFINITY)
  const users = await usersOf(rows)
  const cellsOf = values.csv ? cells : worded
  const lines = sumBy(rows, keysOf(values.by, users)).map(([key, sum]) => [...split(key), ...cellsOf(sum)])
  const head = [...(values.by === 'all' ? ['day', 'user', 'model'] : [values.by ?? 'user']), ...columns]
  if (values.csv) {
    process.stdout.write(csv([head, ...lines]))
    return 0
  }
  const all = [
    'all',
    ...head.slice(1, -columns.length).map(() => ''),
    ...worded(rows.reduce<Sum>(plus, nothing)),
  ]
  print(`${days.from} to ${days.to}, UTC`)
  const numbers = columns.map((_, at) => head.length - columns.length + at)
  for (const line of aligned([head, ...lines, all], numbers)) print(line)
  const unpriced = unpricedOf(rows)
  if (unpriced.length > 0)
    print(`Not in the dollars, because the settings have no prices: ${unpriced.join(', ')}`)
  return 0
})

/** Returns the cells of a sum, with words instead of an unknown cost. */
const worded = (sum: Sum) => {
  const isUnknown = sum.microDollars === null && sum.input + sum.output > 0
  return isUnknown ? [...cells(sum).slice(0, -1), 'no prices'] : cells(sum)
}

const separator = '\u0000'
const split = (key: string) => key.split(separator)

/** Returns the keys under which a row counts; a row of a user with several groups counts for each group. */
function keysOf(by: string | undefined, users: Map<number, Actor | undefined>): (row: UsageRow) => string[] {
  const user = ({ uid }: UsageRow) => `${users.get(uid)?.username ?? 'gone'} [${uid}]`
  const model = (row: UsageRow) => row.model || 'none'
  const groups = ({ uid }: UsageRow) => {
    const all = users.get(uid)?.groups ?? []
    return all.length > 0 ? all.map((group) => `group ${group}`) : ['none']
  }
  switch (by ?? 'user') {
    case 'user':
      return (row) => [user(row)]
    case 'group':
      return groups
    case 'model':
      return (row) => [model(row)]
    case 'day':
      return ({ day }) => [day]
    case 'all':
      return (row) => [[row.day, user(row), model(row)].join(separator)]
    default:
      throw new UsageError(`--by is ${by}; it can be user, group, model, day or all.`)
  }
}

async function usersOf(rows: UsageRow[]): Promise<Map<number, Actor | undefined>> {
  const { cms } = live()
  const uids = [...new Set(rows.map(({ uid }) => uid))]
  return new Map(await Promise.all(uids.map(async (uid) => [uid, await cms.user(uid)] as const)))
}
