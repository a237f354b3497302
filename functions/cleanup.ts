import * as Cleanup from '../core/cleanup/cleanup.ts'
import { live } from '../core/live.ts'
import * as Log from '../core/log.ts'

/** `ai-chat:cleanup` by schedule, every minute. */
export async function handler(): Promise<Cleanup.Report> {
  const report = await Cleanup.run(live(), { now: live().clock.now() })
  Log.info('Cleanup ran', report)
  return report
}
