/**
 * `npm run restore -- --from TABLE --since TIME`: puts back into the tables and the bucket of a stage what is missing
 * there and was there at TIME, from tables that AWS has restored to that second. Without `--write` it says what it
 * would do. Prints one JSON line. 0 done, 2 wrong call. See docs/runbook.md, "Restore".
 */
import { parseArgs } from 'node:util'
import { config } from '../core/stage/config.ts'
import { command, complain, print, UsageError } from './command.ts'
import { restoreFiles } from './restore/files.ts'
import { erasedSince, restoreRows } from './restore/rows.ts'
import { isLinked, throughShell } from './stage-shell.ts'

const usage =
  'npm run restore -- --from TABLE [--cms-from TABLE] --since TIME [--partition PK] [--write] [--stage NAME]'

const { values } = read()
if (values.stage && values.stage !== 'local' && !isLinked()) process.exit(throughShell(values.stage))

command(usage, async () => {
  const { from, 'cms-from': cmsFrom, partition, write = false } = values
  const since = Date.parse(values.since ?? '')
  if (!from) throw new UsageError('--from is needed: the table that was restored.')
  if (Number.isNaN(since))
    throw new UsageError('--since is needed: the second to which it was restored, ISO 8601.')
  const { table, cmsTable } = config()
  const how = { partition, isDryRun: !write, now: Date.now() }
  const found = {
    written: write,
    rows: await restoreRows({ ...how, from, to: table }),
    ...(cmsFrom && cmsTable && { cms: await restoreRows({ ...how, from: cmsFrom, to: cmsTable }) }),
    ...(!partition && { files: await restoreFiles(since, !write) }),
    eraseAgain: await erasedSince(since),
  }
  print(JSON.stringify(found))
  return 0
})

function read() {
  try {
    return parseArgs({
      options: {
        from: { type: 'string' },
        'cms-from': { type: 'string' },
        since: { type: 'string' },
        partition: { type: 'string' },
        write: { type: 'boolean' },
        stage: { type: 'string' },
      },
    })
  } catch (error) {
    complain(`${(error as Error).message}\nUsage: ${usage}`)
    process.exit(2)
  }
}
