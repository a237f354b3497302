import * as Metric from '../../base/metric/metric.ts'
import { metrics } from '../../base/metric/name.ts'
import type { Conversation } from '../../conversation/item.ts'
import { tenant } from '../../conversation/queue.ts'
import * as Waiting from '../../conversation/waiting.ts'
import * as Pace from '../../stage/pace/pace.ts'
import type { Settings } from '../../stage/settings/schema.ts'
import { providersOf } from '../../stage/settings/settings.ts'
import * as Usage from '../../stage/usage/usage.ts'
import { busyUntil } from './queries.ts'

/**
 * Measures the load of the whole stage. The result decides if turns may start in the next minute, and the operator sees
 * it.
 */
export async function inspectStage(settings: Settings, now: number): Promise<void> {
  const { dailyTokens } = settings
  const [waiting, tokens] = await Promise.all([
    waits(settings, now),
    dailyTokens === null ? 0 : Usage.ofStage(now),
  ])
  if (dailyTokens !== null) Metric.share(metrics.stageTokensPercent, tokens / dailyTokens)
  await Waiting.note({ ...waiting, tokens }, now)
}

/** Number of waiting turns that shows a lack of consumers; a single turn may wait because its message was lost. */
const crowd = 3

/** Limit of waiting turns that a cleanup reads, the oldest first. A turn beyond the limit has not waited for long. */
const looked = 300

/**
 * Returns the waits of turns, in milliseconds. `waitMs` is the wait for the least booked provider: no user is refused
 * whose provider is free. `waits` has the wait of each tenant for a consumer or for its share of a provider. The many
 * turns of one tenant refuse no user of another.
 */
async function waits(settings: Settings, now: number): Promise<Pick<Waiting.Seen, 'waitMs' | 'waits'>> {
  const providers = providersOf(settings)
  const [waits, calls] = await Promise.all([consumerWaits(now), Pace.waits(providers, now)])
  const isPaced = calls.length === providers.length && calls.length > 0
  if (!isPaced) return { waitMs: 0, waits }
  for (const name of calls[0]?.byTenant.keys() ?? []) {
    const shareWait = Math.min(...calls.map(({ byTenant }) => byTenant.get(name) ?? 0))
    waits[name] = Math.max(waits[name] ?? 0, shareWait)
  }
  return { waitMs: Math.min(...calls.map(({ all }) => all)), waits }
}

/**
 * Returns the time for which at least three turns of a tenant have waited for a consumer; leaves out tenants with fewer
 * waiting turns.
 */
async function consumerWaits(now: number): Promise<Record<string, number>> {
  const isWaiting = (conversation: Conversation) =>
    conversation.status === 'processing' && conversation.queuedAt !== ''
  const waiting = await busyUntil(new Date(now).toISOString(), looked, isWaiting)
  return Object.fromEntries(
    [...Map.groupBy(waiting, tenant)].flatMap(([name, all]) => {
      const waits = all.map(({ queuedAt }) => Math.max(0, now - Date.parse(queuedAt)))
      const wait = waits.sort((one, other) => other - one)[crowd - 1]
      return wait === undefined ? [] : [[name, wait]]
    }),
  )
}
