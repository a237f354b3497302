import { afterAll, beforeAll, expect, test } from 'vitest'
import * as Row from '../../../core/conversation/row.ts'
import type { Summary } from '../../../core/conversation/schema.ts'
import { type Bench, startBench } from '../../support/live.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

test('of many changes at the same time each is made, under a version of its own', async () => {
  const editor = await bench.login('editor')
  const { id } = (await editor.post<{ conversation: Summary }>('create', {})).body.conversation

  const renamed = await Promise.all(
    Array.from({ length: 30 }, (_, at) => editor.does('rename', id, { title: `Title ${at}` })),
  )

  const versions = renamed.map(({ version }) => version).sort((a, b) => a - b)
  expect(versions).toEqual(Array.from({ length: 30 }, (_, at) => at + 2))
})

test('a writer that loses every race gives up with `service.unavailable`', async () => {
  const editor = await bench.login('editor')
  const { id } = (await editor.post<{ conversation: Summary }>('create', {})).body.conversation
  const conversation = await bench.row(id)

  const contended = Row.contend(
    conversation,
    async () => undefined,
    () => new Error('gone'),
  )

  await expect(contended).rejects.toMatchObject({ code: 'service.unavailable', retryAfterMs: 1_000 })
})
