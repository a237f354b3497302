/**
 * `npm run cost`: the cost of a stage by list prices: per turn, per editor and month, and per month without users. The
 * prices of the model and the canary are those of the stage's files; `dev` unless `--stage` names another.
 */
import { parseArgs, styleText } from 'node:util'
import { readDeployment, readSettings } from '../infra/deployment.ts'
import { worker } from '../infra/limits.ts'
import { complain, print, requireNode } from './command.ts'
import { assumptions, assumptionsOf, optionOf, withOptions } from './cost/assumption.ts'
import { measured } from './cost/measured.ts'
import { canary, type Item, idle, inUse, tokens, total, turn, workerTask } from './cost/model.ts'

const names = Object.keys(assumptions)

function main(): void {
  const options = Object.fromEntries(names.map((name) => [optionOf(name), { type: 'string' as const }]))
  const { values } = parseArgs({ options: { ...options, stage: { type: 'string' as const } } })
  const { stage = 'dev', ...own } = values as Record<string, string | undefined>
  const it = withOptions(assumptionsOf(readSettings(stage), readDeployment(stage)), own)
  const units = measured()
  const oneTurn = turn(it, units)
  const turns = it.turnsPerDay * it.daysPerMonth
  const model = tokens(it)

  heading('1,000 turns')
  table(times(oneTurn, 1_000))
  line('AWS', total(oneTurn) * 1_000)
  line(model.what, model.dollars * 1_000)
  heading(`An editor and month: ${turns} turns`)
  line('AWS', total(oneTurn) * turns)
  line('model', model.dollars * turns)
  heading('A month without users')
  table(idle(it))
  line('all', total(idle(it)))
  heading('A month with users, beside the turns')
  table([...inUse(it), canary(it)])
  heading('Instead of the process function, in a stage with a worker')
  table([workerTask(worker.cpu, worker.memoryGigabytes)])
  heading('Assumed, each an option')
  for (const [name, value] of Object.entries(it)) print(`  --${optionOf(name).padEnd(24)} ${value}`)
  print(`\n  ${dim('List prices of us-east-1 without free tiers; units as measured by npm run bench.')}\n`)
}

const dim = (text: string) => styleText('dim', text)
const heading = (text: string) => print(`\n  ${styleText('bold', text)}`)
const times = (items: Item[], count: number) =>
  items.map(({ what, dollars }) => ({ what, dollars: dollars * count }))

function table(items: Item[]): void {
  for (const { what, dollars } of items) line(what, dollars)
}

function line(what: string, dollars: number): void {
  print(`  ${what.padEnd(52)} ${dollars.toFixed(3).padStart(9)} $`)
}

requireNode()
try {
  main()
} catch (error) {
  const [example = ''] = names
  complain(`${(error as Error).message}\nUsage: npm run cost -- [--stage NAME] [--${optionOf(example)} N] …`)
  process.exit(2)
}
