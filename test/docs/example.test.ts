import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operations } from '../../core/cms/operation.ts'
import { Overlay } from '../../core/stage/settings/schema.ts'
import { run } from '../../core/tool/run.ts'
import { countRecords } from '../../docs/examples/count-records.ts'
import { withTables } from '../../scripts/openapi/bridge.ts'
import { blocks, read, root } from '../support/docs.ts'
import { bench, contextOf, nonce } from '../support/tools.ts'

test('the tool of README.md is the example, has 16 lines, and works as a tool', async () => {
  const [shown = ''] = blocks('README.md', 'ts')
  const file = readFileSync(join(root, 'docs/examples/count-records.ts'), 'utf8')
  const { cms, actors } = await bench()

  const result = await run(countRecords, { table: 'pages' }, contextOf(cms, actors.editor), {
    nonce,
    log: (error) => expect(error).toBeUndefined(),
  })

  expect(shown).toBe(file.replaceAll('../../core/tool/', '../'))
  expect(shown.split('\n').filter((line) => line !== '')).toHaveLength(16)
  const { total } = (await cms.list(actors.editor, { table: 'pages', limit: 1, offset: 0 })) ?? {}
  expect(result).toMatchObject({
    isError: false,
    text: expect.stringContaining(`\n${total} records in pages\n`),
  })
})

test.each(['node-cms/cms.mjs', 'php-cms/cms.php'])('the small CMS %s has at most 150 lines', (file) => {
  expect(read(`docs/examples/${file}`).trimEnd().split('\n').length).toBeLessThanOrEqual(150)
})

test.each(['docs/local.md', 'docs/embedding.md'])('the settings that %s shows are settings', (page) => {
  for (const block of blocks(page, 'json')) expect(Overlay.safeParse(JSON.parse(block)).error).toBeUndefined()
})

const connecting = 'docs/connect/bridge.md'
type Example = { put?: object; result?: { state?: string } }

test('docs/connect/bridge.md has the tables of the schemas', () => {
  expect(read(connecting)).toBe(withTables(read(connecting)))
})

test('and the puts and answers that it shows have the shapes of the bridge', () => {
  const whole = blocks(connecting, 'json').map((block): Example => JSON.parse(block))
  const puts = whole.filter(({ put }) => put)
  const answers = whole.flatMap(({ result }) => (result?.state === undefined ? [] : [result]))

  expect([puts.length, answers.length]).toEqual([1, 1])
  for (const put of puts) operations.put.input.parse(put)
  for (const answer of answers) operations.put.output.parse(answer)
})
