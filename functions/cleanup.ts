import * as Log from '../core/base/log.ts'
import * as Metric from '../core/base/metric/metric.ts'
import { metrics } from '../core/base/metric/name.ts'
import { type Ports, ports } from '../core/ports.ts'
import * as Cleanup from '../core/watch/cleanup/cleanup.ts'

/** Runs the role `ai-chat:cleanup`, by schedule, every minute. */
export async function handler(): Promise<Cleanup.Report> {
  return cleanUp(ports())
}

/** Runs cleanup once with these ports; counts and logs the result for the operator. */
export async function cleanUp(live: Ports): Promise<Cleanup.Report> {
  const report = await Cleanup.run(live, { now: live.clock.now() })
  Metric.count(metrics.turnsStuck, report.failed)
  Metric.count(metrics.turnsResumed, report.resumed)
  Log.info('Cleanup ran', report)
  return report
}
