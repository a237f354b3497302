import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { StatusAnswer } from '../../../core/chat/status-request.ts'
import type { PendingApproval } from '../../../core/conversation/schema.ts'
import type { Tool } from '../../../core/tool/tool.ts'
import { tools } from '../../../core/tool/tools.ts'
import { countRecords } from '../../../docs/examples/count-records.ts'
import { createNewsDraft } from '../../../docs/examples/create-news-draft.ts'
import { type Bench, startBench, type User } from '../../support/live.ts'

let bench: Bench
let editor: User

beforeAll(async () => {
  // As README says: a file, and a line in the list.
  ;(tools as Tool[]).push(countRecords, createNewsDraft)
  bench = await startBench()
})
beforeEach(async () => {
  await bench.settle()
  bench.api.reset()
  editor = await bench.login('editor')
})
afterAll(() => bench.stop())

test('the interface has its words, sign and kind of source from the status, in English without translations', async () => {
  const { body } = await editor.get<StatusAnswer>('/status', { lang: 'de' })

  expect(body.tools.slice(-2)).toEqual([
    {
      name: 'count_records',
      title: 'Number of records',
      sign: 'list',
      source: 'list',
      did: 'Counted records',
      doing: 'Counting records',
      asked: 'Counted records',
      stored: null,
      writes: false,
      available: true,
      reason: null,
    },
    {
      name: 'create_news_draft',
      title: 'Create hidden news',
      sign: 'plus',
      source: null,
      did: 'Created hidden news',
      doing: 'Creating hidden news',
      asked: 'Proposed news',
      stored: 'The hidden news “{title}” was created on page [{page}].',
      writes: true,
      available: true,
      reason: null,
    },
  ])
})

test('what it has read is data on its row, without private fields', async () => {
  bench.api.reply({ calls: [{ name: 'count_records', arguments: { table: 'news' } }] })
  bench.api.reply({ text: 'Many.' })

  const { messages } = await editor.turn('How many news?')

  const row = messages.find(({ role }) => role === 'tool')
  expect(row).toMatchObject({ toolName: 'count_records', outcome: 'done', count: expect.any(Number) })
  expect(row?.records).toEqual([{ table: 'news', uid: expect.any(Number), title: expect.any(String) }])
})

test('what it would write has its heading, what it wrote is data on its row, and can be taken back', async () => {
  const args = { page: 7, title: 'Autumn' }
  bench.api.reply({ calls: [{ name: 'create_news_draft', arguments: args }] })
  bench.api.always({ text: 'Done.' })

  const { conversation, pendingApproval } = await editor.turn('Make news')
  const { runId, calls } = pendingApproval as PendingApproval
  expect(calls.map(({ title }) => title)).toEqual(['Create hidden news “Autumn”'])
  await editor.decide(conversation.id, true)
  await bench.settle()

  const row = (await editor.poll(conversation.id)).messages.find(({ role }) => role === 'tool')
  expect(row).toMatchObject({ toolName: 'create_news_draft', outcome: 'done', approved: true })
  const [record] = row?.records ?? []
  expect(record).toEqual({ table: 'news', uid: expect.any(Number), title: 'Autumn', page: 7 })
  const undone = await editor.post('undo', { conversationId: conversation.id, runId })
  expect(undone.body).toEqual({ undone: [{ table: 'news', uid: record?.uid }], conflicts: [] })
})

test('a denial says so on its row, with the record that it is about and what the user said', async () => {
  const change = { table: 'news', uid: 8, fields: { title: 'Other' } }
  bench.api.reply({ calls: [{ name: 'update_record', arguments: change }] })
  bench.api.always({ text: 'Well.' })
  const { conversation } = await editor.turn('Rename it')
  await editor.decide(conversation.id, false, 'Not now.')
  await bench.settle()

  const row = (await editor.poll(conversation.id)).messages.find(({ role }) => role === 'tool')

  expect(row).toMatchObject({ outcome: 'denied', approved: false, remark: 'Not now.' })
  expect(row?.records).toEqual([{ table: 'news', uid: 8, title: expect.any(String), page: 7 }])
})
