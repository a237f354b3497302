import { metrics } from '../../core/base/metric/name.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { resolve } from '../../core/stage/settings/settings.ts'
import type { Deployment } from '../../infra/deployment.ts'
import { memoryMegabytes } from '../../infra/limits.ts'
import { UsageError } from '../command.ts'
import { minutesPerMonth } from './price.ts'

/** Assumptions without a measurement. Each one is an option of the command, such as `--turns-per-day`. */
export const assumptions = {
  /** Turns of an editor on a working day, and working days in a month. */
  turnsPerDay: 20,
  daysPerMonth: 21,
  /** Rounds with a tool before the answer, and seconds from taking a turn to its end. */
  toolRounds: 2,
  turnSeconds: 15,
  /** Milliseconds between two polls of the browser while a turn runs. */
  pollMs: 1_500,
  /** Milliseconds of a function for a poll, and for a send. */
  pollFunctionMs: 20,
  sendFunctionMs: 60,
  /** Requests for the list and for the status in each turn; milliseconds of a function and read units for one list. */
  listsPerTurn: 2,
  statusPerTurn: 1,
  listFunctionMs: 30,
  listReadUnits: 14,
  /** Tokens of a turn over all rounds, and dollars per million tokens. */
  inputTokens: 18_000,
  outputTokens: 900,
  inputPrice: 0,
  outputPrice: 0,
  /** Visits of the canary with turns in a month, and tokens of one visit: three model calls with all tools. */
  canaryVisits: 0,
  canaryInputTokens: 22_500,
  canaryOutputTokens: 300,
  /** Kilobytes that a turn with its run stores in the table, and kilobytes that it writes to the log. */
  turnKilobytes: 12,
  logKilobytes: 6,
  /** Months for which a conversation is kept on average. */
  keptMonths: 3,
  /** An idle run of cleanup: its milliseconds, the read units, and the kilobytes that it logs. */
  cleanupMs: 300,
  cleanupReadUnits: 16,
  cleanupLogKilobytes: 1,
  /** Long polls of Lambda per minute while the queue is empty: five pollers, 20 seconds each. */
  pollersPerMinute: 15,
  /** Metrics that the alarms of every stage watch. AWS bills each of them, and four alarms watch two. */
  alarms: 20,
  dashboards: 0,
  /** The number of custom metrics that have values; `core/base/metric/name.ts` lists them. */
  metrics: Object.keys(metrics).length,
  /** Megabytes of the functions, from `infra/limits.ts`. */
  webMegabytes: memoryMegabytes.web,
  processMegabytes: memoryMegabytes.process,
  cleanupMegabytes: memoryMegabytes.cleanup,
}
export type Assumptions = typeof assumptions

/** Returns the option of an assumption: `turns-per-day` for `turnsPerDay`. */
export const optionOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Returns the assumptions. Model prices, canary, dashboard and further alarms come from the files of the stage. */
export function assumptionsOf(settings: Settings, deployment: Deployment): Assumptions {
  const { canary, dashboard, monthlyBudgetDollars } = deployment
  // Each limit has an alarm, and a canary has three.
  const watched = [settings.dailyTokens, monthlyBudgetDollars, canary, canary, canary]
  const { resolved } = resolve(settings, { groups: [], isAdmin: true })
  const prices = resolved?.model.prices
  if (!prices) throw new UsageError('The model of this stage has no prices in its settings: name them there.')
  return {
    ...assumptions,
    inputPrice: prices.input,
    outputPrice: prices.output,
    canaryVisits: canary ? minutesPerMonth / 60 / canary.turnsEveryHours : 0,
    alarms: assumptions.alarms + watched.filter((it) => it !== null).length,
    dashboards: dashboard ? 1 : 0,
  }
}

/**
 * Returns the assumptions with the values of the given options. Throws UsageError for a value that is not a number from
 * 0.
 */
export function withOptions(base: Assumptions, options: Record<string, string | undefined>): Assumptions {
  const changed: Record<string, number> = { ...base }
  for (const name of Object.keys(assumptions)) {
    const text = options[optionOf(name)]
    if (text === undefined) continue
    if (!/^\d+(\.\d+)?$/.test(text))
      throw new UsageError(`--${optionOf(name)} is ${text}; it has to be a number.`)
    changed[name] = Number(text)
  }
  return changed as Assumptions
}
