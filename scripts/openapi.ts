/**
 * `openapi`: writes the files that are generated from the schemas: `docs/openapi.json` of the API, tables and schema of
 * the bridge, and the schemas of questions for the PHP kit. With `--check` it writes nothing, and exits with 1 if a
 * file is stale.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { complain, flag, runCommand } from './command.ts'
import { bridgeSchema, questionShapes, withTables } from './openapi/bridge.ts'
import { openapi } from './openapi/document.ts'

const api = new URL('../docs/openapi.json', import.meta.url)
const schema = new URL('../docs/connect/bridge.schema.json', import.meta.url)
const questions = new URL('../packages/php/src/questions.json', import.meta.url)
const bridge = new URL('../docs/connect/bridge.md', import.meta.url)

runCommand('npm run openapi -- [--check]', { options: { check: flag } }, async ({ values }) => {
  const page = await readFile(bridge, 'utf8')
  const written = [
    { file: api, name: 'docs/openapi.json', text: `${JSON.stringify(openapi(), null, 2)}\n` },
    { file: bridge, name: 'docs/connect/bridge.md', text: withTables(page) },
    { file: schema, name: 'docs/connect/bridge.schema.json', text: bridgeSchema() },
    { file: questions, name: 'packages/php/src/questions.json', text: questionShapes() },
  ]
  let stale = 0
  for (const { file, name, text } of written) {
    if (!values.check) await writeFile(file, text)
    else if ((await readFile(file, 'utf8')) !== text) {
      complain(`${name} is not what the schemas say. Write it again with: npm run openapi`)
      stale = 1
    }
  }
  return stale
})
