import { afterAll, beforeAll, expect, test } from 'vitest'
import { bridged, turnOfThree } from '../../support/bridge.ts'
import { type Bench, startBench } from '../../support/live.ts'
import { textId, withTextIds } from '../../support/text-ids.ts'

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
  await turnOfThree(bench)

  // Who acts is asked at the start of the turn, along with each read, and right before each write.
  expect(served.length).toBeLessThanOrEqual(12)
  expect(served).toEqual([
    'user',
    'user + page + capabilities + languages',
    'page + page-content + user',
    'record + tables + user',
    'page',
    'user + preview',
    'record',
    'record',
    'record',
    'user + page',
    'user + preview',
    'write',
  ])
})

test('a CMS whose ids are UUIDs plays a whole turn: read, propose, approve, take back', async () => {
  bench.live.cms = bridged(withTextIds(bench.site.cms)).cms
  const editor = await bench.login('editor')
  const [page, news] = [textId(3), textId(2)]
  const before = await bench.field('news', 2)
  const asked = bench.api.requests.length
  const call = (name: string, args: object) => ({ calls: [{ name, arguments: args }] })
  const change = { table: 'news', uid: news, fields: { title: 'By its UUID' } }
  bench.api.reply(
    call('get_page_tree', {}),
    call('get_page_content', { page }),
    call('get_record', { table: 'news', uid: news }),
    call('update_record', change),
    { text: 'Done.' },
  )

  const viewContext = { pageId: 0, page, module: 'page' }
  const paused = await editor.turn('Rename it', { viewContext })
  const { id } = paused.conversation
  expect([(await bench.row(id)).viewContext, paused.pendingApproval?.calls[0]?.preview]).toMatchObject([
    viewContext,
    { table: 'news', uid: news, changes: [{ field: 'title', before, after: 'By its UUID' }] },
  ])

  await editor.decide(id, true)
  await bench.settle()
  expect(await bench.field('news', 2)).toBe('By its UUID')
  const { messages } = await editor.poll(id)
  const rows = messages.filter(({ role }) => role === 'tool')
  expect(rows.map(({ outcome, records }) => [outcome, records?.[0]?.uid])).toEqual([
    ['done', textId(1)],
    ['done', page],
    ['done', news],
    ['done', news],
  ])
  const [first] = bench.api.requests.slice(asked)
  expect(JSON.stringify(first?.body.system)).toContain(`[${page}]`)
  const schema = first?.body.tools?.find(({ name }) => name === 'get_record')?.input_schema
  expect(schema).toMatchObject({ properties: { uid: { type: 'string' } } })

  const undone = await editor.post('undo', { conversationId: id, runId: rows[0]?.runId })
  expect(undone.body).toEqual({ undone: [{ table: 'news', uid: news }], conflicts: [] })
  expect(await bench.field('news', 2)).toBe(before)
})
