/**
 * `node scripts/lookalikes.ts confusables.txt`: makes `core/base/safety/lookalikes.json` from Unicode's list of
 * confusable characters (UTS #39, https://www.unicode.org/Public/security/).
 */
import { readFile, writeFile } from 'node:fs/promises'
import { print, runCommand, UsageError } from './command.ts'
import { lookalikes } from './lookalikes/table.ts'

const file = new URL('../core/base/safety/lookalikes.json', import.meta.url)

const usage = 'node scripts/lookalikes.ts confusables.txt'

runCommand(usage, { allowPositionals: true }, async ({ positionals: [source] }) => {
  if (!source) throw new UsageError('The file is missing.')
  await writeFile(file, `${JSON.stringify(lookalikes(await readFile(source, 'utf8')), null, 2)}\n`)
  print('core/base/safety/lookalikes.json')
  return 0
})
