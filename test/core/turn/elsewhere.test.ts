import { afterAll, beforeAll, expect, test } from 'vitest'
import { bridged } from '../../support/bridge.ts'
import { type Bench, startBench } from '../../support/live.ts'

let bench: Bench
let served: string[]

beforeAll(async () => {
  bench = await startBench()
  const over = bridged(bench.site.cms)
  bench.live.cms = over.cms
  served = over.served
})
afterAll(() => bench.stop())

test('a turn of two reads and one write is at most 12 requests to a CMS elsewhere', async () => {
  const editor = await bench.login('editor')
  const call = (id: string, name: string, args: object) => ({ id, name, arguments: args })
  bench.api.reply({ text: '', calls: [call('one', 'get_page_content', { page: 3 })] })
  bench.api.reply({ text: '', calls: [call('two', 'get_record', { table: 'news', uid: 1 })] })
  const change = { table: 'news', uid: 1, fields: { title: 'Elsewhere' } }
  bench.api.reply({ text: '', calls: [call('three', 'update_record', change)] })
  bench.api.reply({ text: 'Done.' })

  const { conversation } = await editor.turn('Rename it', { viewContext: { pageId: 3, module: 'page' } })
  await editor.decide(conversation.id, true)
  await bench.settle()
  await editor.poll(conversation.id)

  expect(await bench.field('news', 1)).toBe('Elsewhere')
  // Who acts is asked at the start of the turn, along with each read, and right before each write.
  expect(served.length).toBeLessThanOrEqual(12)
  expect(served).toEqual([
    'user',
    'user + page + capabilities + languages',
    'page + page-content + user',
    'record + tables + user',
    'page',
    'preview + user',
    'record',
    'record',
    'record',
    'user + page',
    'preview + user',
    'write',
  ])
})
