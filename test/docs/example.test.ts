import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { operations } from '../../core/cms/bridge/operation.ts'
import { Overlay } from '../../core/settings/schema.ts'
import { run } from '../../core/tool/run.ts'
import { countRecords } from '../../docs/examples/count-records.ts'
import { blocks, read, root } from '../support/docs.ts'
import { bench, contextOf, nonce } from '../support/tools.ts'

test('the tool of README.md is the example, has 21 lines, and works as a tool', async () => {
  const [shown = ''] = blocks('README.md', 'ts')
  const file = readFileSync(join(root, 'docs/examples/count-records.ts'), 'utf8')
  const { cms, actors } = await bench()

  const result = await run(countRecords, { table: 'pages' }, contextOf(cms, actors.editor), {
    nonce,
    log: (error) => expect(error).toBeUndefined(),
  })

  expect(shown).toBe(file.replaceAll('../../core/tool/', './'))
  expect(shown.split('\n').filter((line) => line !== '')).toHaveLength(21)
  const { total } = (await cms.list(actors.editor, { table: 'pages', limit: 1, offset: 0 })) ?? {}
  expect(result).toMatchObject({
    isError: false,
    text: expect.stringContaining(`\n${total} records in pages\n`),
  })
})

test.each(['README.md', 'docs/embedding.md'])('the settings that %s shows are settings', (page) => {
  for (const block of blocks(page, 'json')) expect(Overlay.safeParse(JSON.parse(block)).error).toBeUndefined()
})

const connecting = 'docs/connect/your-own.md'
type Example = { write?: object; result?: { state?: string } }

test('docs/connect/your-own.md names every member of every question, and says which may be absent', () => {
  const [questions = ''] = blocks(connecting, 'ts').filter((block) => block.includes('changes-of'))
  const said = [...questions.matchAll(/^([a-z-]+(?:, [a-z-]+)*) +\{(.*)\}/gm)].flatMap(
    ([, names = '', body = '']) => {
      const members = [...body.replaceAll(/\{[^{}]*\}/g, '').matchAll(/(\w+)(\??):/g)].map(
        ([, name, mark]) => `${name}${mark}`,
      )
      return names.split(', ').map((name) => [name, members] as const)
    },
  )
  const asked = Object.entries(operations).map(([name, { input }]) => {
    const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' })
    return [name, Object.keys(properties).map((it) => (required.includes(it) ? it : `${it}?`))] as const
  })

  expect(Object.fromEntries(said)).toEqual(Object.fromEntries(asked))
})

test('and the writes and outcomes that it shows have the shapes of the bridge', () => {
  const whole = blocks(connecting, 'json').map((block): Example => JSON.parse(block))
  const bodies = [...read(connecting).matchAll(/`(\{"write":.+?\})` \|/g)].map(([, body]) =>
    JSON.parse(String(body)),
  )
  const writes = whole.filter(({ write }) => write)
  const outcomes = whole.flatMap(({ result }) => (result?.state === undefined ? [] : [result]))

  expect([bodies.length, writes.length, outcomes.length]).toEqual([8, 1, 2])
  for (const body of bodies) operations.preview.input.parse(body)
  for (const body of writes) operations.write.input.parse(body)
  for (const outcome of outcomes) operations.write.output.parse(outcome)
})
