/**
 * `npm run usage`: prints tokens, cost, turns and failures of a stage by user, group, model or day, as a table or CSV.
 * The default range is the last 30 days; --from and --to set another range. Exit codes: 0 printed, 2 wrong call.
 */
import type { Actor } from '../core/base/actor.ts'
import { own } from '../core/base/json.ts'
import { live } from '../core/live.ts'
import { cells, columns, csv, reportRows, type UsageRow, unpricedOf } from '../core/stage/usage/report.ts'
import { nothing, plus, type Sum, sumBy } from '../core/stage/usage/sum.ts'
import { alignRows, daysIn, flag, print, runStageCommand, text, UsageError } from './command.ts'

const usage =
  'npm run usage -- [--by user|group|model|day|all] [--from YYYY-MM-DD] [--to YYYY-MM-DD] [--csv] [--stage NAME]'

const options = { by: { ...text, default: 'user' }, from: text, to: text, stage: text, csv: flag }

runStageCommand(usage, { options }, async ({ values }) => {
  const keysOf = own(keys, values.by)
  if (!keysOf) throw new UsageError(`--by is ${values.by}; it can be user, group, model, day or all.`)
  const days = daysIn(values, Date.now())
  const { rows } = await reportRows(days, Number.POSITIVE_INFINITY)
  const users = await usersOf(rows)
  const cellsOf = values.csv ? cells : worded
  const sums = sumBy(rows, (row) => keysOf(row, users))
  const lines = sums.map(([key, sum]) => [...key.split(separator), ...cellsOf(sum)])
  const head = [...(values.by === 'all' ? ['day', 'user', 'model'] : [values.by]), ...columns]
  if (values.csv) {
    process.stdout.write(csv([head, ...lines]))
    return 0
  }
  const blanks = head.slice(1, -columns.length).map(() => '')
  const all = ['all', ...blanks, ...worded(rows.reduce<Sum>(plus, nothing))]
  print(`${days.from} to ${days.to}, UTC`)
  const numbers = columns.map((_, at) => head.length - columns.length + at)
  for (const line of alignRows([head, ...lines, all], numbers)) print(line)
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

type Users = Map<number, Actor | undefined>
const userOf = ({ uid }: UsageRow, users: Users) => `${users.get(uid)?.username ?? 'gone'} [${uid}]`
const modelOf = ({ model }: UsageRow) => model || 'none'

/** The keys under which a row counts, by the value of --by. A row counts for each group of its user. */
const keys: Record<string, (row: UsageRow, users: Users) => string[]> = {
  user: (row, users) => [userOf(row, users)],
  group({ uid }, users) {
    const groups = users.get(uid)?.groups ?? []
    return groups.length > 0 ? groups.map((group) => `group ${group}`) : ['none']
  },
  model: (row) => [modelOf(row)],
  day: ({ day }) => [day],
  all: (row, users) => [[row.day, userOf(row, users), modelOf(row)].join(separator)],
}

async function usersOf(rows: UsageRow[]): Promise<Users> {
  const { cms } = live()
  const uids = [...new Set(rows.map(({ uid }) => uid))]
  return new Map(await Promise.all(uids.map(async (uid) => [uid, await cms.user(uid)] as const)))
}
