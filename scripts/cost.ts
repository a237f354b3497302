/**
 * `npm run cost`: prints the cost of a stage by list prices: per turn, per editor and month, and per month without
 * users. It reads the prices of the model and the canary from the stage's files; the stage is `dev` unless `--stage`
 * names another. With `--conversation N`, it prints the cost of a conversation of N turns.
 */
import { styleText } from 'node:util'
import type { Settings } from '../core/stage/settings/schema.ts'
import { readDeployment, readSettings } from '../infra/deployment.ts'
import { worker } from '../infra/limits.ts'
import { dim, parseWhole, print, readForOperator, refuseIdle, runCommand, text } from './command.ts'
import { assumptions, assumptionsOf, optionOf, withOptions } from './cost/assumption.ts'
import * as Bill from './cost/bill.ts'
import { costOf, longCourse } from './cost/course.ts'

const names = Object.keys(assumptions)

const usage = `npm run cost -- [--stage NAME] [--conversation TURNS] [--${optionOf(names[0] ?? '')} N] …`
const options = {
  ...Object.fromEntries(names.map((name) => [optionOf(name), text])),
  stage: text,
  conversation: text,
}

runCommand(usage, { options }, async ({ values }) => {
  const { stage = 'dev', conversation, ...own } = values as Record<string, string | undefined>
  const [settings, deployment] = readForOperator(() => [readSettings(stage), readDeployment(stage)] as const)
  const conversationTurns = parseWhole('conversation', conversation, 1)
  if (conversationTurns !== undefined) {
    refuseIdle(own, [], '--conversation')
    return describeConversation(conversationTurns, settings)
  }
  const it = withOptions(assumptionsOf(settings, deployment), own)
  const units = Bill.measured()
  const oneTurn = Bill.priceTurn(it, units)
  const turns = it.turnsPerDay * it.daysPerMonth
  const model = Bill.tokens(it)

  heading('1,000 turns')
  printTable(oneTurn, 1_000)
  line('AWS', Bill.total(oneTurn) * 1_000)
  line(model.what, model.dollars * 1_000)
  heading(`An editor and month: ${turns} turns`)
  line('AWS', Bill.total(oneTurn) * turns)
  line('model', model.dollars * turns)
  heading('A month without users')
  printTable(Bill.idle(it))
  line('all', Bill.total(Bill.idle(it)))
  heading('A month with users, beside the turns')
  printTable(Bill.inUse(it))
  heading('Instead of the process function, in a stage with a worker')
  printTable([Bill.workerTask(worker.cpu, worker.memoryGigabytes)])
  heading('Assumed, each an option')
  for (const [name, value] of Object.entries(it)) print(`  --${optionOf(name).padEnd(24)} ${value}`)
  print('\n', dim('\n  List prices of us-east-1 without free tiers; units as measured by npm run bench.'))
  return 0
})

/** Prints the cost of a conversation with that number of turns; returns the exit code. */
function describeConversation(turns: number, settings: Settings): number {
  const course = { ...longCourse, turns }
  heading(`A conversation: ${turns} turns with ${course.tools} tools each, prices of the model`)
  const pauses = [
    [course.pauseMinutes, `a pause of ${course.pauseMinutes} minutes before each turn`],
    [0, 'without pauses'],
  ] as const
  // Each request is as long as the conversation, so that a long one takes minutes.
  const tell = (turn: number) =>
    turn > 0 && turn % 100 === 0 && process.stderr.write(`turn ${turn} of ${turns}\n`)
  for (const [pauseMinutes, name] of pauses) {
    print(`  ${name}`)
    const cost = costOf({ ...course, pauseMinutes }, settings, tell)
    line('all turns', cost.dollars)
    line(`of these, ${cost.summaries.count} summaries`, cost.summaries.dollars)
    line(`the last turn, ${cost.tokensOfLastCall} tokens in its last call`, cost.lastTurnDollars)
  }
  const { resultCharacters, charactersPerToken } = course
  print('\n', dim(`\n  Results of ${resultCharacters} characters, ${charactersPerToken} characters a token.`))
  return 0
}

const heading = (text: string) => print('', `\n  ${styleText('bold', text)}`)

function printTable(items: Bill.Item[], count = 1): void {
  for (const { what, dollars } of items) line(what, dollars * count)
}

function line(what: string, dollars: number): void {
  print(`  ${what.padEnd(52)} ${dollars.toFixed(3).padStart(9)} $`)
}
