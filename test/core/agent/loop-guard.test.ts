import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Bench, startBench, type User } from '../../support/live.ts'

let bench: Bench
let editor: User

beforeAll(async () => {
  bench = await startBench({ maxConversationsPerUser: null })
})
beforeEach(async () => {
  await bench.settle()
  bench.api.reset()
  bench.api.always({ text: 'Answer.' })
  editor = await bench.login('editor')
})
afterAll(() => bench.stop())

const call = (name: string, args: object) => ({ name, arguments: args })

test('the same call within one reply is no circle: each runs, up to the number that a reply may hold', async () => {
  bench.api.reply({ calls: Array.from({ length: 22 }, () => call('get_page_tree', {})) })

  const { messages } = await editor.turn('Look')

  const errors = messages.filter(({ role }) => role === 'tool').map(({ isError }) => isError ?? false)
  expect([errors.length, errors.filter(Boolean).length]).toEqual([22, 2])
})

test('the same change proposed a third time is stopped before anybody is asked to decide', async () => {
  const change = call('update_record', { table: 'pages', uid: 4, fields: { title: 'Round and round' } })
  bench.api.reply({ calls: [change] }, { calls: [change] }, { calls: [change] })

  const { conversation } = await editor.turn('Change it')
  for (const _ of [1, 2]) {
    await editor.decide(conversation.id, false)
    await bench.settle()
  }

  const after = await editor.poll(conversation.id)
  const results = after.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
  expect([after.conversation.status, after.pendingApproval]).toEqual(['idle', null])
  expect(results).toEqual([
    expect.stringContaining('Denied by the user'),
    expect.stringContaining('Denied by the user'),
    expect.stringContaining('made twice already'),
  ])
})
