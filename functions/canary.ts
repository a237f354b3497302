import { systemClock } from '../core/base/clock.ts'
import { config } from '../core/base/config.ts'
import * as Log from '../core/base/log.ts'
import * as Metric from '../core/base/metric/metric.ts'
import { metrics } from '../core/base/metric/name.ts'
import { journey } from '../core/watch/canary/journey.ts'
import { type Finding, prove } from '../core/watch/canary/proof.ts'
import { Errand } from '../core/watch/canary/schema.ts'

/** Visits the stage by schedule, as the canary's user and at the stage's own address. The event is an `Errand`. */
export async function handler(event: unknown): Promise<Finding[]> {
  const errand = Errand.parse(event)
  const { origin } = config()
  return observe(() => prove(journey({ ...errand, origin, ask: fetch, clock: systemClock })), errand.turns)
}

/** Counts and logs the results of a visit, each failure under the name of its check. */
export async function observe(visit: () => Promise<Finding[]>, turns: boolean): Promise<Finding[]> {
  const findings = await visit()
  const failed = findings.filter(({ outcome }) => outcome === 'failed')
  for (const { name, detail } of failed) {
    Metric.count(metrics.canaryFailed, 1, { code: name })
    Log.warn('A check of the canary failed', { check: name, detail })
  }
  const succeeded = failed.length === 0 ? 1 : 0
  Metric.count(metrics.canarySucceeded, succeeded)
  if (turns) Metric.count(metrics.canaryTurnsSucceeded, succeeded)
  Log.info('The canary looked', { checks: findings.length, failed: failed.length })
  return findings
}
