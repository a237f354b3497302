/**
 * `npm run usage`: tokens, cost, turns and failures of a stage by user, group, model or day, as a table or as CSV. Reads the
 * whole table of the stage once. 0 printed, 2 wrong call.
 */
import { parseArgs } from 'node:util'
import type { Actor } from '../core/actor.ts'
import { live } from '../core/live.ts'
import { factsOf } from '../core/settings/cards.ts'
import { load } from '../core/settings/settings.ts'
import { dayOf } from '../core/usage/budget.ts'
import { command, complain, print, UsageError } from './command.ts'
import { isLinked, throughShell } from './stage-shell.ts'
import { collect, type Entry } from './usage/collect.ts'
import { cells, columns, csv } from './usage/csv.ts'
import { lineOf, type PricesOf, sum } from './usage/sum.ts'

const usage =
  'npm run usage -- [--by user|group|model|day|all] [--from YYYY-MM-DD] [--to YYYY-MM-DD] [--csv] [--stage NAME]'
const dayMs = 86_400_000

const values = read()
if (values.stage && values.stage !== 'local' && !isLinked()) process.exit(throughShell(values.stage))

command(usage, async () => {
  const now = Date.now()
  const days = { from: dayIn('from', values.from, now - 30 * dayMs), to: dayIn('to', values.to, now) }
  const entries = await collect(days)
  const users = await usersOf(entries)
  const { models } = await load(now)
  const pricesOf: PricesOf = (id) =>
    models.find(({ modelId }) => modelId === id)?.prices ?? factsOf(id).prices ?? null
  const lines = sum(entries, keysOf(values.by, users), pricesOf).map(([key, line]) => [
    ...split(key),
    ...cells(line),
  ])
  const head = [...(values.by === 'all' ? ['day', 'user', 'model'] : [values.by ?? 'user']), ...columns]
  if (values.csv) {
    process.stdout.write(csv([head, ...lines]))
    return 0
  }
  const all = ['all', ...head.slice(1, -columns.length).map(() => ''), ...cells(lineOf(entries, pricesOf))]
  print(`${days.from} to ${days.to}, UTC`)
  print(table([head, ...lines, all]))
  return 0
})

const separator = '\u0000'
const split = (key: string) => key.split(separator)

/** What an entry is counted under; a user of several groups is counted in each. */
function keysOf(by: string | undefined, users: Map<number, Actor | undefined>): (entry: Entry) => string[] {
  const user = ({ owner }: Entry) => `${users.get(owner)?.username ?? 'gone'} [${owner}]`
  const model = (entry: Entry) => (entry.kind === 'call' ? entry.model || 'not recorded' : 'none')
  const groups = ({ owner }: Entry) => {
    const all = users.get(owner)?.groups ?? []
    return all.length > 0 ? all.map((group) => `group ${group}`) : ['none']
  }
  switch (by ?? 'user') {
    case 'user':
      return (entry) => [user(entry)]
    case 'group':
      return groups
    case 'model':
      return (entry) => [model(entry)]
    case 'day':
      return ({ day }) => [day]
    case 'all':
      return (entry) => [[entry.day, user(entry), model(entry)].join(separator)]
    default:
      throw new UsageError(`--by is ${by}; it can be user, group, model, day or all.`)
  }
}

async function usersOf(entries: Entry[]): Promise<Map<number, Actor | undefined>> {
  const { cms } = live()
  const uids = [...new Set(entries.map(({ owner }) => owner))]
  return new Map(await Promise.all(uids.map(async (uid) => [uid, await cms.user(uid)] as const)))
}

function dayIn(name: string, given: string | undefined, otherwise: number): string {
  if (given === undefined) return dayOf(otherwise)
  if (/^\d{4}-\d{2}-\d{2}$/.test(given) && !Number.isNaN(Date.parse(given))) return given
  throw new UsageError(`--${name} is ${given}; it has to be a day such as ${dayOf(otherwise)}.`)
}

function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const names = widths.length - columns.length
  return rows
    .map((row) =>
      row
        .map((value, at) => (at < names ? value.padEnd(widths[at] ?? 0) : value.padStart(widths[at] ?? 0)))
        .join('  '),
    )
    .join('\n')
}

function read() {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      options: { by: text, from: text, to: text, stage: text, csv: { type: 'boolean', default: false } },
    }).values
  } catch (error) {
    complain(`${(error as Error).message}\nUsage: ${usage}`)
    process.exit(2)
  }
}
