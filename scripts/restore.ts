/**
 * `npm run restore -- --from TABLE --since TIME`: restores data that existed at TIME and is now missing from a stage's
 * tables and bucket. The rows come from tables that AWS has restored to that second. Without `--write` the command only
 * reports the changes. Prints one JSON line. Exit codes: 0 done, 2 wrong call. See docs/runbook.md, "Restore".
 */
import { config } from '../core/base/config.ts'
import { siteKey } from '../core/cms/reference/item.ts'
import { key as settingsKey } from '../core/stage/settings/settings.ts'
import { flag, print, runStageCommand, text, UsageError } from './command.ts'
import { erasedSince, type Found, refuseOther, restoreFiles, restoreRows } from './restore/rows.ts'

const usage =
  'npm run restore -- --from TABLE [--cms-from TABLE] --since TIME [--partition PK] [--write] [--stage NAME]'

const options = {
  from: text,
  'cms-from': text,
  since: text,
  partition: text,
  write: flag,
  stage: text,
}

runStageCommand(usage, { options }, async ({ values }) => {
  const { from, 'cms-from': cmsFrom, partition, write } = values
  const since = Date.parse(values.since ?? '')
  if (!from) throw new UsageError('--from is needed: the table that was restored.')
  if (Number.isNaN(since))
    throw new UsageError('--since is needed: the second to which it was restored, ISO 8601.')
  const { table, cmsTable } = config()
  if (cmsFrom !== undefined && !cmsTable)
    throw new UsageError('--cms-from is given, and this stage keeps no CMS.')
  await refuseOther(from, siteKey, 'a restored table of the chat')
  if (cmsFrom !== undefined) await refuseOther(cmsFrom, settingsKey, 'a restored table of the CMS')
  const how = { partition, isDryRun: !write, now: Date.now() }
  const found = {
    written: write,
    rows: await restoreRows({ ...how, from, to: table }, tellOf(from)),
    ...(cmsFrom &&
      cmsTable && { cms: await restoreRows({ ...how, from: cmsFrom, to: cmsTable }, tellOf(cmsFrom)) }),
    ...(!partition && { files: await restoreFiles(since, !write) }),
    eraseAgain: await erasedSince(since),
  }
  print(JSON.stringify(found))
  return 0
})

/** Returns a function that prints the progress of a table on stderr, because a large table takes minutes. */
const tellOf =
  (from: string) =>
  ({ looked, missing, replaced }: Found) =>
    process.stderr.write(`${from}: ${looked} rows read, ${missing} missing, ${replaced} other\n`)
