/** `openapi`: writes the description of the API, `docs/openapi.json`; with `--check` ends with 1 where it is stale. */
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { complain, print, standalone } from './command.ts'
import { openapi } from './openapi/document.ts'

const file = new URL('../docs/openapi.json', import.meta.url)

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
  const text = `${JSON.stringify(openapi(), null, 2)}\n`
  if (!values.check) {
    await writeFile(file, text)
    print('docs/openapi.json')
    return 0
  }
  if ((await readFile(file, 'utf8')) === text) return 0
  complain('docs/openapi.json is not what the routes say. Write it again with: npm run openapi')
  return 1
}

standalone(main)
