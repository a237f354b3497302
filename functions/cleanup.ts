import * as Cleanup from '../core/cleanup/cleanup.ts'
import * as Log from '../core/log.ts'
import * as Metric from '../core/metric/metric.ts'
import { metrics } from '../core/metric/name.ts'
import { type Ports, ports } from '../core/ports.ts'

/** `ai-chat:cleanup` by schedule, every minute. */
export async function handler(): Promise<Cleanup.Report> {
  return cleanUp(ports())
}

/** One run of cleanup on these ports, counted for the operator and logged. */
export async function cleanUp(live: Ports): Promise<Cleanup.Report> {
  const report = await Cleanup.run(live, { now: live.clock.now() })
  Metric.count(metrics.turnsStuck, report.failed)
  Metric.count(metrics.turnsResumed, report.resumed)
  Log.info('Cleanup ran', report)
  return report
}
