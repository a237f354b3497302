import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Bench, startBench, type User } from '../../support/live.ts'

let bench: Bench
let editor: User

beforeAll(async () => {
  bench = await startBench()
  editor = await bench.login('editor')
})
beforeEach(() => bench.api.reset())
afterAll(() => bench.stop())

test('a question is answered from the site, each step stored on the way', async () => {
  bench.api.reply(
    { text: 'I look.', calls: [{ id: 'c1', name: 'get_page_content', arguments: { page: 3 } }] },
    { text: 'It costs 149 EUR.' },
  )

  const { conversation, messages, activity } = await editor.turn('What does the Aurora lamp cost?')

  expect(conversation).toMatchObject({
    status: 'idle',
    messageCount: 4,
    title: 'What does the Aurora lamp cost?',
  })
  expect(messages.map(({ sequence, role, content }) => [sequence, role, content.slice(0, 20)])).toEqual([
    [0, 'user', 'What does the Aurora'],
    [1, 'assistant', 'I look.'],
    [2, 'tool', expect.stringMatching(/^<data-/)],
    [3, 'assistant', 'It costs 149 EUR.'],
  ])
  expect(messages[2]?.content).toContain('149 EUR')
  expect(activity.map(({ kind, round, tool }) => [kind, round, tool])).toEqual([
    ['llm', 1, undefined],
    ['tool', 1, 'get_page_content'],
    ['llm', 2, undefined],
  ])
})
