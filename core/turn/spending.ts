import type { Task } from '../agent/task.ts'
import * as Metric from '../base/metric/metric.ts'
import { metrics } from '../base/metric/name.ts'
import { Failure } from '../conversation/failure.ts'
import { bornAt } from '../conversation/item.ts'
import { microDollars } from '../model/price.ts'
import type { Settings } from '../stage/settings/schema.ts'
import type { Resolved } from '../stage/settings/settings.ts'
import { dayOf, tokensOf } from '../stage/usage/budget.ts'
import type { Reserved } from '../stage/usage/settlement.ts'
import * as Usage from '../stage/usage/usage.ts'
import type { Paced } from './pace.ts'
import type { Work } from './work.ts'

/** Reserves the tokens of each call of the model before it, and counts after it what the call used. */
export function spending(
  work: Work,
  { dailyTokensPerUser: daily }: Settings,
  { model: first, fallback }: Resolved,
  paced: Paced,
): Pick<Task, 'reserve' | 'settle'> {
  const { it, hold, now } = work
  const { owner, runId } = it
  const { used } = hold
  let reserved: Reserved = { date: dayOf(now()), tokens: 0 }
  let askedAt = now()
  return {
    reserve: async (round, tokens) => {
      await paced.admit(tokens)
      const granted = await Usage.reserve(owner, { runId, round, tokens }, daily, now())
      if (!granted) throw new Failure('user.budgetSpent', 'The tokens of today are used up.')
      reserved = granted
      askedAt = now()
    },
    settle: async (round, usage, model) => {
      const { prices, contextTokens } = model === first.modelId ? first : (fallback?.model ?? first)
      const cost = microDollars(usage, prices)
      const call = { runId, round }
      const { input, output, cacheRead, cacheWrite } = usage
      const spent = { input, output, cacheRead, cacheWrite, model, microDollars: cost }
      // Only a look at both days tells if the turn of a run from another day is counted already.
      if (round === 1 && dayOf(bornAt(runId)) !== reserved.date) await Usage.settle(owner, call, spent, now())
      else work.uncounted = { call, used: spent, reserved }
      used.usedTokens += tokensOf(usage)
      used.windowPercent = Math.min(100, Math.round((100 * tokensOf(usage)) / contextTokens))
      if (cost !== null) used.usedMicroDollars = (used.usedMicroDollars ?? 0) + cost
      Metric.measure(metrics.modelMs, now() - askedAt)
      Metric.count(metrics.modelTokens, tokensOf(usage))
      Metric.count(metrics.modelMicroDollars, cost ?? 0)
      await paced.settle(tokensOf(usage))
    },
  }
}
