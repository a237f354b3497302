import { expect, test } from 'vitest'
import { bench, benched, editor } from '../../support/benched.ts'
import { storedWith } from '../../support/seeded.ts'
import { model } from '../../support/settings.ts'

benched()

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

test('a message after an undo that failed is answered', async () => {
  const { id } = await storedWith(['Question', 'Answer'], { status: 'failed', undoing: 'run' })
  bench.api.reply({ text: 'I do.' })

  const { conversation, messages } = await editor.turn('Do you hear me?', { conversationId: id })

  expect([conversation.status, messages.at(-1)?.content]).toEqual(['idle', 'I do.'])
})

test('references and figures that the model made up are named on its answer, those that it read are not', async () => {
  bench.api.reply(
    { calls: [{ id: 'c1', name: 'get_page_content', arguments: { page: 3 } }] },
    { text: 'See “Aurora lamp” [3] for 149 EUR and “Solar lamp” [90417] for 1,743 EUR.' },
    { text: 'Only “Aurora lamp” [3], for 149 EUR.' },
  )

  const { conversation, messages } = await editor.turn('Which lamps are there?')
  const later = await editor.turn('And now?', { conversationId: conversation.id })

  expect(messages.map(({ unread }) => unread)).toEqual([undefined, undefined, undefined, ['90417']])
  expect(messages.at(-1)?.unsupported).toEqual(['1,743'])
  expect(later.messages.at(-1)).not.toHaveProperty('unread')
  expect(later.messages.at(-1)).not.toHaveProperty('unsupported')
})

test('what an answer cites is stored with it, as a place to open', async () => {
  await bench.configure({ models: [model({ modelId: 'claude-sonnet-5-5', citations: true })] })
  bench.api.reply(
    { calls: [{ name: 'get_record', arguments: { table: 'content', uid: 26 } }] },
    (request) => {
      const [block] = request.messages.at(-1)?.content ?? []
      const [result] = block?.type === 'tool_result' ? (block.content ?? []) : []
      const lines = result?.type === 'search_result' ? result.content.map(({ text }) => text) : []
      const at = lines.findIndex((line) => line.includes('149 EUR'))
      const cited = { type: 'search_result_location' as const, cited_text: '', source: '', title: '' }
      const citation = { ...cited, search_result_index: 0, start_block_index: at, end_block_index: at + 1 }
      return {
        content: [
          { type: 'text', text: 'It costs 149 EUR', citations: [citation] },
          { type: 'text', text: '.' },
        ],
      }
    },
  )

  const { messages } = await editor.turn('What does the lamp cost?')

  await bench.configure()
  expect(messages.at(-1)?.content).toBe('It costs 149 EUR.')
  expect(messages.at(-1)?.sources).toEqual([
    { at: 16, table: 'content', uid: 26, title: expect.any(String), field: expect.any(String) },
  ])
})

const usage = { input_tokens: 100, output_tokens: 20 }
const block = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
})

test('a call without id and name, with arguments that are none, is answered to the model and breaks nothing', async () => {
  bench.api.reply(
    {
      fault: 'events',
      events: [
        { type: 'message_start', message: { type: 'message', role: 'assistant', content: [], usage } },
        block(0, { type: 'tool_use', input: [3] }),
        block(1, { type: 'tool_use', id: 7, name: 'get_record', input: '{"table":"pages","uid":3}' }),
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 20 } },
        { type: 'message_stop' },
      ],
    },
    { text: 'It is the Aurora lamp.' },
    { text: 'And so it is still.' },
  )

  const { conversation, messages } = await editor.turn('What is page 3?')

  expect(conversation).toMatchObject({ status: 'idle', messageCount: 5 })
  expect(messages.map(({ toolCallId, isError }) => [toolCallId, isError])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
    ['call_1', true],
    ['call_7', undefined],
    [undefined, undefined],
  ])
  expect(messages[3]?.content).toContain('Aurora lamp')

  const again = await editor.turn('Still?', { conversationId: conversation.id })

  expect(again.conversation.status).toBe('idle')
})

test.each<[string, unknown]>([
  ['is missing', undefined],
  ['is text', { input_tokens: 'many', output_tokens: 'few' }],
  ['is negative', { input_tokens: -1e9, output_tokens: -1e9 }],
  ['is beyond all numbers', { input_tokens: 1e300, output_tokens: 1e300 }],
])('an answer whose usage %s is kept, and costs what can be believed', async (_, reported) => {
  const before = await usedToday()
  bench.api.reply({
    fault: 'events',
    events: [
      {
        type: 'message_start',
        message: { type: 'message', role: 'assistant', content: [], usage: reported },
      },
      block(0, { type: 'text', text: 'A paid answer.' }),
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: reported },
      { type: 'message_stop' },
    ],
  })

  const { messages } = await editor.turn('Hello?')

  expect(messages.at(-1)?.content).toBe('A paid answer.')
  const cost = (await usedToday()) - before
  expect(cost).toBeGreaterThan(0)
  expect(cost).toBeLessThan(200_000)
})

async function usedToday(): Promise<number> {
  const { body } = await editor.get<{ usage: { todayTokens: number } }>('/status')
  return body.usage.todayTokens
}

test('a conversation that the model finds too long goes on with half of it, and says so once', async () => {
  await bench.configure({ summaries: false })
  bench.api.always({ text: 'An answer. '.repeat(40) })
  const { conversation } = await editor.turn('Tell me a long story.')
  const { id: conversationId } = conversation
  for (let count = 0; count < 4; count++)
    await editor.turn(`Go on. ${'And on. '.repeat(200)}`, { conversationId })
  const before = bench.api.requests.at(-1)?.body.messages.length ?? 0
  bench.api.reset()
  bench.api.reply(
    { fault: 'status', status: 400, message: "This model's maximum context length is 4096 tokens." },
    { calls: [{ name: 'get_page_content', arguments: { page: 3 } }] },
    { text: 'The end.' },
  )

  const { conversation: ended, messages } = await editor.turn('And the end?', { conversationId })

  const lengths = bench.api.requests.map(({ body }) => body.messages.length)
  expect(lengths[0]).toBe(before + 2)
  expect(lengths[1]).toBeLessThan(lengths[0] ?? 0)
  // The rest of the turn does not try the whole again.
  expect(lengths[2]).toBe((lengths[1] ?? 0) + 2)
  expect(ended.status).toBe('idle')
  expect(messages.filter(({ notice }) => notice === 'shortened')).toHaveLength(1)
  expect(messages.at(-1)?.content).toBe('The end.')
})

test('a conversation that is too long however short it gets fails as such', async () => {
  bench.api.always({ fault: 'status', status: 400, message: 'prompt is too long: 5 tokens > 4 maximum' })

  const { conversation } = await editor.turn('Hello?')

  expect(conversation).toMatchObject({ status: 'failed', errorCode: 'model.tooLarge' })
  expect(bench.api.requests).toHaveLength(1)
})
