import * as Cleanup from '../core/cleanup/cleanup.ts'
import * as Log from '../core/log.ts'
import * as Metric from '../core/metric/metric.ts'
import { metrics } from '../core/metric/name.ts'
import { ports } from '../core/ports.ts'

/** `ai-chat:cleanup` by schedule, every minute. */
export async function handler(): Promise<Cleanup.Report> {
  const report = await Cleanup.run(ports(), { now: ports().clock.now() })
  Metric.count(metrics.turnsStuck, report.failed)
  Metric.count(metrics.turnsResumed, report.resumed)
  Log.info('Cleanup ran', report)
  return report
}
