/**
 * `upgrade`: converts the data of earlier releases to the format of this release, and prints its result as one JSON
 * line. It prints progress on stderr. Exit codes: 0 done, 1 some data could not be converted, 2 wrong call.
 */
import { upgrade } from '../core/conversation/transcript/upgrade.ts'
import { complain, flag, print, runStageCommand, UsageError } from './command.ts'

const wizard = 'aiChat_migrateMessagesToTable'

const accepted = { options: { 'dry-run': flag }, allowPositionals: true } as const

runStageCommand(`npm run upgrade -- ${wizard} [--dry-run]`, accepted, async ({ values, positionals }) => {
  if (positionals.length !== 1 || positionals[0] !== wizard)
    throw new UsageError(`Name the upgrade: ${wizard} is the only one.`)
  const report = await upgrade(values['dry-run'], {
    progress: ({ migrated, messages }) =>
      process.stderr.write(`${migrated} conversations, ${messages} messages\n`),
    damage: (id) =>
      complain(`${id}: a part of the old transcript cannot be understood; it is kept in the row.`),
    failure: (id, error) => complain(`${id}: ${error instanceof Error ? error.message : error}`),
  })
  print(JSON.stringify({ ...report, dryRun: values['dry-run'] }))
  return report.failed === 0 ? 0 : 1
})
