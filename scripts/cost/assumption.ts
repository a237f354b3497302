import { metrics } from '../../core/base/metric/name.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { resolve } from '../../core/stage/settings/settings.ts'
import type { Deployment } from '../../infra/deployment.ts'
import { memoryMegabytes } from '../../infra/limits.ts'
import { UsageError } from '../command.ts'
import { minutesPerMonth } from './price.ts'

/** Assumptions without a measurement: each is an option of the command, written with dashes. */
export const assumptions = {
  /** Turns of an editor on a working day, and working days in a month. */
  turnsPerDay: 20,
  daysPerMonth: 21,
  /** Rounds with a tool before the answer, and seconds from taking a turn to its end. */
  toolRounds: 2,
  turnSeconds: 15,
  /** Milliseconds between two looks of the browser while a turn runs. */
  pollMs: 1_500,
  /** Milliseconds of a function for a poll, and for a send. */
  pollFunctionMs: 20,
  sendFunctionMs: 60,
  /** Lists and looks at the status for each turn, milliseconds of a function and units read for one of them. */
  listsPerTurn: 2,
  statusPerTurn: 1,
  listFunctionMs: 30,
  listReadUnits: 14,
  /** Tokens of a turn, all rounds together, and dollars per million of them. */
  inputTokens: 18_000,
  outputTokens: 900,
  inputPrice: 0,
  outputPrice: 0,
  /** Visits of the canary with turns a month, and tokens of one: three calls of the model with all tools. */
  canaryVisits: 0,
  canaryInputTokens: 22_500,
  canaryOutputTokens: 300,
  /** Kilobytes that a turn leaves in the table, with its run, and in the log. */
  turnKilobytes: 12,
  logKilobytes: 6,
  /** Months that a conversation is kept on average. */
  keptMonths: 3,
  /** Milliseconds of an idle run of cleanup, the units that it reads, the kilobytes that it logs. */
  cleanupMs: 300,
  cleanupReadUnits: 16,
  cleanupLogKilobytes: 1,
  /** Long polls of Lambda for an empty queue, a minute: five pollers, 20 seconds each. */
  pollersPerMinute: 15,
  alarms: 18,
  dashboards: 0,
  /** Own metrics with values, as `core/base/metric/name.ts` names them. */
  metrics: Object.keys(metrics).length,
  /** Megabytes of the functions, from `infra/limits.ts`. */
  webMegabytes: memoryMegabytes.web,
  processMegabytes: memoryMegabytes.process,
  cleanupMegabytes: memoryMegabytes.cleanup,
}
export type Assumptions = typeof assumptions

/** `turnsPerDay` as the option `turns-per-day`. */
export const optionOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Assumptions that the files of a stage replace: prices of its model, visits of its canary, its dashboard. */
export function assumptionsOf(settings: Settings, { canary, dashboard }: Deployment): Assumptions {
  const { resolved } = resolve(settings, { groups: [], isAdmin: true })
  const prices = resolved?.model.prices
  if (!prices) throw new UsageError('The model of this stage has no prices in its settings: name them there.')
  return {
    ...assumptions,
    inputPrice: prices.input,
    outputPrice: prices.output,
    canaryVisits: canary ? minutesPerMonth / 60 / canary.turnsEveryHours : 0,
    dashboards: dashboard ? 1 : 0,
  }
}

/** The assumptions with those that the options name changed; a value that is no number from 0 up is refused. */
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
