import * as z from 'zod'
import { systemClock } from '../core/base/clock.ts'
import * as Log from '../core/base/log.ts'
import { type RetireReport, retire } from '../core/watch/retire/page-parts.ts'

const Event = z.object({ bucket: z.string().min(1) })

/** Removes page parts of earlier releases once a day. The event names their bucket. */
export async function handler(event: unknown): Promise<RetireReport> {
  const report = await retire(Event.parse(event).bucket, systemClock.now())
  Log.info('Parts of earlier releases were looked at', report)
  return report
}
