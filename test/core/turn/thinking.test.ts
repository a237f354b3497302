import { expect, test } from 'vitest'
import * as Table from '../../../core/base/aws/table.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { startedAt } from '../../support/live.ts'

/** What a model thinks before it calls goes back to it, unchanged, while the turn runs, and goes nowhere else. */

benched()

const usage = { input_tokens: 100, output_tokens: 20 }
const thought = {
  type: 'thinking',
  thinking: 'I wonder about the \u{1F4A1} lamp.',
  signature: 'c2lnbmF0dXJl',
}
const sealed = { type: 'redacted_thinking', data: 'c2VhbGVk' }

/** An answer of these blocks, each as a whole. */
function answer(stop: string, ...blocks: object[]) {
  return {
    fault: 'events' as const,
    events: [
      { type: 'message_start', message: { type: 'message', role: 'assistant', content: [], usage } },
      ...blocks.map((content_block, index) => ({ type: 'content_block_start', index, content_block })),
      { type: 'message_delta', delta: { stop_reason: stop }, usage },
      { type: 'message_stop' },
    ],
  }
}

const text = (text: string) => ({ type: 'text', text })
const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input })
const read = (id: string) => use(id, 'get_page_content', { page: 3 })
const write = (id: string) =>
  use(id, 'update_record', { table: 'news', uid: 2, fields: { title: `By ${id}` } })

/** The types of blocks that the assistant's messages of a request hold, in order. */
const sent = (at: number) =>
  bench.api.requests[at]?.body.messages
    .filter(({ role }) => role === 'assistant')
    .map(({ content }) => content.map((block) => (block.type === 'tool_use' ? block.id : block.type)))

test('thoughts go back in their order with the results, and not in the next turn', async () => {
  bench.api.reply(
    answer('tool_use', thought, text('I look.'), read('a'), sealed, read('b')),
    { text: 'It costs 149 EUR.' },
    { text: 'Yes.' },
  )
  const { conversation, messages } = await editor.turn('What does it cost?')
  await editor.turn('Really?', { conversationId: conversation.id })

  expect(sent(1)).toEqual([['thinking', 'text', 'a', 'redacted_thinking', 'b']])
  expect(bench.api.requests[1]?.body.messages[1]?.content[0]).toEqual(thought)
  expect(sent(2)).toEqual([['text', 'a', 'b'], ['text']])
  expect(JSON.stringify(messages)).not.toContain('wonder')
})

test('another consumer sends them too, after a pause and after a failure', async () => {
  bench.api.reply(answer('tool_use', thought, write('w')))
  const { conversation } = await editor.turn('Rename it')
  bench.api.reply({ fault: 'status', status: 401 })
  await editor.decide(conversation.id, true)
  await bench.settle()
  bench.api.reply({ text: 'Done.' })
  await editor.does('retry', conversation.id)
  await bench.settle()

  expect(sent(1)).toEqual([['thinking', 'w']])
  expect(sent(2)).toEqual([['thinking', 'w']])
  expect((await editor.poll(conversation.id)).conversation.status).toBe('idle')
})

test('a model that refuses its thoughts is asked without them', async () => {
  bench.api.reply(
    answer('tool_use', thought, read('a')),
    {
      fault: 'status',
      status: 400,
      message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
    },
    { text: 'It costs 149 EUR.' },
  )
  const { conversation } = await editor.turn('What does it cost?')

  expect([sent(1), sent(2)]).toEqual([[['thinking', 'a']], [['a']]])
  expect(conversation.status).toBe('idle')
})

test('thoughts expire with the record of their run; one that is damaged is left out, and the turn goes on', async () => {
  bench.api.reply(answer('tool_use', thought, write('x')))
  const { conversation } = await editor.turn('Rename it')
  const { runId } = await bench.row(conversation.id)
  const [row] = await Table.all({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :thought)',
    ExpressionAttributeValues: { ':pk': `run#2#${runId}`, ':thought': 'thought#' },
  })
  expect(row?.expires_at).toBe(startedAt / 1000 + 30 * 86_400)
  await Table.put({ ...row, pk: String(row?.pk), sk: String(row?.sk), parts: '[{"type":"think' })

  bench.api.reply({ text: 'Done.' })
  await editor.decide(conversation.id, true)
  await bench.settle()

  expect(sent(1)).toEqual([['x']])
  expect((await editor.poll(conversation.id)).conversation.status).toBe('idle')
})
