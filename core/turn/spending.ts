import { Stopped } from '../agent/journal.ts'
import type { Task } from '../agent/task.ts'
import type { Write } from '../base/aws/table.ts'
import * as Metric from '../base/metric/metric.ts'
import { metrics } from '../base/metric/name.ts'
import { bornAt } from '../conversation/item.ts'
import { Failure } from '../conversation/turn-failure.ts'
import type { Usage } from '../model/model.ts'
import { microDollars } from '../model/price.ts'
import type { Settings } from '../stage/settings/schema.ts'
import type { Resolved } from '../stage/settings/settings.ts'
import { dayOf, tokensOf } from '../stage/usage/budget.ts'
import * as Day from '../stage/usage/usage.ts'
import { type Limits, pace } from './pace.ts'
import type { Work } from './work.ts'

/** The time after which a turn tries again to reserve tokens, in milliseconds. */
const againMs = 5_000

/** The reservation of tokens for the model's calls, and the count of the tokens they used. */
export type Spending = Pick<Task, 'reserve' | 'settle'> & {
  /** Makes a call outside the rounds of the turn under a reservation of its own; rejects if no tokens are left. */
  askBeside<T>(tokens: number, ask: () => Promise<T>): Promise<T>
  /**
   * Counts a call outside the rounds of the turn; returns the write for the transaction that stores the call's answer.
   */
  countBeside(usage: Usage, model: string): Promise<Write>
}

/**
 * Returns the spending of a turn. Before each model call, it waits until the call may start and reserves its tokens.
 * After the call, it counts the used tokens.
 */
export function spending(work: Work, settings: Settings, resolved: Resolved, limits: Limits): Spending {
  const paced = pace(work, resolved, settings, limits)
  const { conversation, hold, now } = work
  const { owner, runId } = conversation
  const { used } = hold
  let reserved: Day.Reserved = { date: dayOf(now()), tokens: 0 }
  let askedAt = now()
  return {
    reserve: async (round, tokens) => {
      reserved = await admit({ runId, round, tokens })
    },
    askBeside,
    settle: async (round, usage, model) => {
      const spent = spend(usage, model)
      const call = { runId, round }
      // A run from another day may be counted already; only settleCall, which reads both days, can tell.
      if (round === 1 && dayOf(bornAt(runId)) !== reserved.date)
        await Day.settleCall(owner, call, spent, now())
      else work.uncounted = { call, used: spent, reserved }
      const { contextTokens } = recordOf(resolved, model)
      used.windowPercent = Math.min(100, Math.round((100 * tokensOf(usage)) / contextTokens))
      await paced.settle(tokensOf(usage))
    },
    countBeside: async (usage, model) => {
      const spent = spend(usage, model)
      await paced.settle(tokensOf(usage))
      return Day.addition(owner, spent, now())
    },
  }

  /** Waits until the call may start, and reserves its tokens; throws if no tokens are left. */
  async function admit(call: Day.SettledCall & { tokens: number }): Promise<Day.Reserved> {
    await paced.admit(call.tokens)
    const granted = await Day.reserve(owner, call, settings.dailyTokensPerUser, now())
    // Calls of other turns have reserved the rest of the day, and may need less of it.
    if (granted === 'held') throw new Stopped('deferred', now() + againMs, true)
    if (granted === 'spent') throw new Failure('user.budgetSpent', 'The tokens of today are used up.')
    askedAt = now()
    return granted
  }

  async function askBeside<T>(tokens: number, ask: () => Promise<T>): Promise<T> {
    // The rounds of a run only grow, so the reservation is that of another run.
    const call = { runId: `${runId} beside`, round: 1, tokens }
    const granted = await admit(call)
    try {
      return await ask()
    } finally {
      if (granted.tokens > 0) await Day.release(owner, call.runId, now())
    }
  }

  function spend(usage: Usage, model: string) {
    return spendOf(used, usage, { model, prices: recordOf(resolved, model).prices, ms: now() - askedAt })
  }
}

function recordOf({ model: first, fallback }: Resolved, model: string) {
  return model === first.modelId ? first : (fallback?.model ?? first)
}

/** Adds the usage of a call to the sums of the conversation and to the metrics. */
function spendOf(
  used: Work['hold']['used'],
  usage: Usage,
  { model, prices, ms }: { model: string; prices: Parameters<typeof microDollars>[1]; ms: number },
): Day.Uncounted['used'] {
  const cost = microDollars(usage, prices)
  used.usedTokens += tokensOf(usage)
  if (cost !== null) used.usedMicroDollars = (used.usedMicroDollars ?? 0) + cost
  Metric.measure(metrics.modelMs, ms)
  Metric.count(metrics.modelTokens, tokensOf(usage))
  Metric.count(metrics.modelMicroDollars, cost ?? 0)
  const { input, output, cacheRead, cacheWrite } = usage
  return { input, output, cacheRead, cacheWrite, model, microDollars: cost }
}
