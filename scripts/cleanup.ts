/**
 * `ai-chat:cleanup`: runs cleanup once, and prints the counts of changed conversations as one JSON line. Cleanup
 * requeues, resumes, fails and expires turns, and archives and removes conversations. With `--dry-run` it changes
 * nothing.
 */
import { config } from '../core/base/config.ts'
import { live } from '../core/live.ts'
import * as Cleanup from '../core/watch/cleanup/cleanup.ts'
import { flag, parseWhole, print, runStageCommand, text, UsageError } from './command.ts'

const usage =
  'npm run ai-chat:cleanup -- [--dry-run] [--auto-archive-days 30] [--delete-after-days 90] [--now TIME]'

const options = { 'dry-run': flag, 'auto-archive-days': text, 'delete-after-days': text, now: text }

runStageCommand(usage, { options }, async ({ values }) => {
  const autoArchiveDays = parseWhole('auto-archive-days', values['auto-archive-days'], 0)
  const deleteAfterDays = parseWhole('delete-after-days', values['delete-after-days'], 0)
  const report = await Cleanup.run(live(), {
    now: instant(values.now),
    isDryRun: values['dry-run'],
    ...(autoArchiveDays !== undefined && { autoArchiveDays }),
    ...(deleteAfterDays !== undefined && { deleteAfterDays }),
  })
  print(JSON.stringify(report))
  return 0
})

/**
 * Returns the time of `--now`, or the current time. Only the local stage accepts `--now`: elsewhere a typing error
 * would archive data that users still need.
 */
function instant(given: string | undefined): number {
  if (given === undefined) return live().clock.now()
  if (!config().isLocal) throw new UsageError('--now is possible on the local stage alone.')
  const at = Date.parse(given)
  if (Number.isNaN(at))
    throw new UsageError(`--now is ${given}; it has to be a time such as 2026-11-20T12:00:00Z.`)
  return at
}
