/**
 * `npm run cost`: prints the cost of a stage by list prices: per turn, per editor and month, and per month without
 * users. It reads the prices of the model and the canary from the stage's files; the stage is `dev` unless `--stage`
 * names another. With `--conversation N`, it prints the cost of a conversation of N turns.
 */
import { styleText } from 'node:util'
import type { Settings } from '../core/stage/settings/schema.ts'
import { readDeployment, readSettings } from '../infra/deployment.ts'
import { worker } from '../infra/limits.ts'
import { called, dim, print, text, UsageError } from './command.ts'
import { assumptions, assumptionsOf, optionOf, withOptions } from './cost/assumption.ts'
import {
  canary,
  type Item,
  idle,
  inUse,
  measured,
  priceTurn,
  tokens,
  total,
  workerTask,
} from './cost/bill.ts'
import { costOf, longCourse } from './cost/course.ts'

const names = Object.keys(assumptions)

const usage = `npm run cost -- [--stage NAME] [--conversation TURNS] [--${optionOf(names[0] ?? '')} N] …`
const options = {
  ...Object.fromEntries(names.map((name) => [optionOf(name), text])),
  stage: text,
  conversation: text,
}

called(usage, { options }, async ({ values }) => {
  const { stage = 'dev', conversation, ...own } = values as Record<string, string | undefined>
  const settings = readSettings(stage)
  if (conversation !== undefined) return describeConversation(conversation, settings)
  const it = withOptions(assumptionsOf(settings, readDeployment(stage)), own)
  const units = measured()
  const oneTurn = priceTurn(it, units)
  const turns = it.turnsPerDay * it.daysPerMonth
  const model = tokens(it)

  heading('1,000 turns')
  printTable(multiplyItems(oneTurn, 1_000))
  line('AWS', total(oneTurn) * 1_000)
  line(model.what, model.dollars * 1_000)
  heading(`An editor and month: ${turns} turns`)
  line('AWS', total(oneTurn) * turns)
  line('model', model.dollars * turns)
  heading('A month without users')
  printTable(idle(it))
  line('all', total(idle(it)))
  heading('A month with users, beside the turns')
  printTable([...inUse(it), canary(it)])
  heading('Instead of the process function, in a stage with a worker')
  printTable([workerTask(worker.cpu, worker.memoryGigabytes)])
  heading('Assumed, each an option')
  for (const [name, value] of Object.entries(it)) print(`  --${optionOf(name).padEnd(24)} ${value}`)
  print('\n', dim('\n  List prices of us-east-1 without free tiers; units as measured by npm run bench.'))
  return 0
})

/** Prints the cost of a conversation with that number of turns; returns the exit code. */
function describeConversation(given: string, settings: Settings): number {
  const turns = Number(given)
  if (!Number.isInteger(turns) || turns < 1)
    throw new UsageError(`--conversation is ${given}; it has to be a number of turns.`)
  const course = { ...longCourse, turns }
  heading(`A conversation: ${turns} turns with ${course.tools} tools each, prices of the model`)
  for (const pauseMinutes of [course.pauseMinutes, 0]) {
    const { dollars, lastTurnDollars, tokensOfLastCall, summaries } = costOf(
      { ...course, pauseMinutes },
      settings,
    )
    print(
      `  ${pauseMinutes === 0 ? 'without pauses' : `a pause of ${pauseMinutes} minutes before each turn`}`,
    )
    line('all turns', dollars)
    line(`of these, ${summaries.count} summaries`, summaries.dollars)
    line(`the last turn, ${tokensOfLastCall} tokens in its last call`, lastTurnDollars)
  }
  const { resultCharacters, charactersPerToken } = course
  print('\n', dim(`\n  Results of ${resultCharacters} characters, ${charactersPerToken} characters a token.`))
  return 0
}

const heading = (text: string) => print('', `\n  ${styleText('bold', text)}`)
const multiplyItems = (items: Item[], count: number) =>
  items.map(({ what, dollars }) => ({ what, dollars: dollars * count }))

function printTable(items: Item[]): void {
  for (const { what, dollars } of items) line(what, dollars)
}

function line(what: string, dollars: number): void {
  print(`  ${what.padEnd(52)} ${dollars.toFixed(3).padStart(9)} $`)
}
