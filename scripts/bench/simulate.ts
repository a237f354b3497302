/**
 * `node scripts/bench/simulate.ts [--editors 10000] [--hours 1] [--seed 1]`: simulates the queues of a day's busiest
 * hour with many editors, from the measured figures of `results.json`. Shows the first bottleneck, and the cost.
 */
import { parseArgs } from 'node:util'
import { usualLoad } from '../../infra/limits.ts'
import { print, requireNode } from '../command.ts'
import { exponential, generator, poisson } from './overload/random.ts'
import { read } from './result-table.ts'
import { quantile } from './sample.ts'

/** Assumptions about people and models; everything else is measured. `scale.md` names their sources. */
const assumed = {
  turnsPerEditorAndHour: 6,
  roundsPerTurn: 2.5,
  modelSecondsPerCall: 6,
  toolSecondsPerRound: 0.15,
  pollSeconds: 1.5,
  tokensPerCall: 6_000,
}

/** A turn: the time when it was sent, and the time that its consumer has it. */
type SimulatedTurn = { at: number; seconds: number }

/** Turns of an hour: sent at random, each with as many rounds as chance gives. */
function turns(editors: number, hours: number, random: () => number): SimulatedTurn[] {
  const rate = (editors * assumed.turnsPerEditorAndHour) / 3600
  const found: SimulatedTurn[] = []
  for (let at = exponential(1 / rate, random); at < hours * 3600; at += exponential(1 / rate, random)) {
    const calls = 1 + poisson(assumed.roundsPerTurn - 1, random)
    const model = Array.from({ length: calls }, () => exponential(assumed.modelSecondsPerCall, random))
    const seconds = model.reduce((sum, one) => sum + one, 0) + (calls - 1) * assumed.toolSecondsPerRound
    found.push({ at, seconds })
  }
  return found
}

/** Simulates the turns with `consumers` consumers: seconds in the queue, and the most concurrent turns. */
function serveTurns(all: SimulatedTurn[], consumers: number): { waits: number[]; mostBusy: number } {
  const free: number[] = Array.from({ length: consumers }, () => 0)
  const waits: number[] = []
  let mostBusy = 0
  for (const { at, seconds } of all) {
    const next = free.indexOf(Math.min(...free))
    const begin = Math.max(at, free[next] as number)
    free[next] = begin + seconds
    waits.push(begin - at)
    mostBusy = Math.max(mostBusy, free.filter((end) => end > at).length)
  }
  return { waits, mostBusy }
}

/** A figure of the last bench; NaN where it was not measured. */
function measured(section: string, what: string, unit: string): number {
  const rows = read()?.sections[section]?.rows ?? []
  return rows.find((row) => row.what.startsWith(what) && row.unit.startsWith(unit))?.value ?? Number.NaN
}

function main(): void {
  const { values } = parseArgs({
    options: {
      editors: { type: 'string', default: '10000' },
      hours: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
    },
  })
  const editors = Number(values.editors)
  const all = turns(editors, Number(values.hours), generator(Number(values.seed)))
  const perSecond = all.length / (Number(values.hours) * 3600)
  const seconds = all.reduce((sum, turn) => sum + turn.seconds, 0) / all.length
  const busy = perSecond * seconds
  const polls = busy / assumed.pollSeconds
  const requests = polls + perSecond
  const sendUnits = measured('units', 'send', 'write units')
  const turnUnits = measured('units', 'turn without a tool', 'write units')
  const roundUnits = measured('units', 'round with one tool', 'write units')
  const pollUnits = measured('units', 'fast poll', 'read units')
  const writes = perSecond * (sendUnits + turnUnits + (assumed.roundsPerTurn - 1) * roundUnits)
  print(`${editors} editors: ${perSecond.toFixed(1)} turns a second, ${seconds.toFixed(1)} s each`)
  print(`  turns under way                     ${busy.toFixed(0)}`)
  print(
    `  requests through the gateway        ${requests.toFixed(0)} a second (throttle ${usualLoad.requestsPerSecond})`,
  )
  print(`  table, write units                  ${writes.toFixed(0)} a second`)
  print(`  table, read units of polls          ${(polls * pollUnits).toFixed(0)} a second`)
  print(
    `  tokens of the provider              ${((perSecond * assumed.roundsPerTurn * assumed.tokensPerCall * 60) / 1e6).toFixed(1)} million a minute`,
  )
  print('  consumers   wait p50    wait p95   busy at most')
  for (const consumers of [usualLoad.turns, 250, 500, 1_000]) {
    const { waits, mostBusy } = serveTurns(all, consumers)
    const wait = (q: number) => `${quantile(waits, q).toFixed(1)} s`.padStart(9)
    print(
      `  ${String(consumers).padStart(9)}  ${wait(0.5)}   ${wait(0.95)}   ${String(mostBusy).padStart(12)}`,
    )
  }
}

requireNode()
main()
