/**
 * `node scripts/lookalikes.ts confusables.txt`: makes `core/base/safety/lookalikes.json` from Unicode's list of confusable
 * characters (UTS #39, https://www.unicode.org/Public/security/).
 */
import { readFile, writeFile } from 'node:fs/promises'
import { complain, print, standalone } from './command.ts'
import { lookalikes } from './lookalikes/table.ts'

const file = new URL('../core/base/safety/lookalikes.json', import.meta.url)

async function main(): Promise<number> {
  const [source] = process.argv.slice(2)
  if (!source) {
    complain('Name the file: node scripts/lookalikes.ts confusables.txt')
    return 1
  }
  await writeFile(file, `${JSON.stringify(lookalikes(await readFile(source, 'utf8')), null, 2)}\n`)
  print('core/base/safety/lookalikes.json')
  return 0
}

standalone(main)
