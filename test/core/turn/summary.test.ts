import { beforeEach, expect, test } from 'vitest'
import { markdown } from '../../../core/chat/export.ts'
import type { Message } from '../../../core/conversation/transcript/schema.ts'
import { limits } from '../../../core/model/model.ts'
import { summaryRequest } from '../../../core/turn/summary.ts'
import { type Attempt, under } from '../../faults/inject.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import type { Received } from '../../support/messages-api.ts'
import { model, provider } from '../../support/settings.ts'

/** Turns that fall off the budget of a conversation are summed up by the model, once for each cut. */

const budget = { historyTokens: 10_000, maxMessageLength: 20_000 }
benched(budget)
beforeEach(() => bench.configure())

const long = (name: string) => `${name}. ${'words '.repeat(1_500)}`
const said = ({ body }: Received) => JSON.stringify(body.messages)
const isSummary = ({ body }: Received) => JSON.stringify(body.system).includes('You sum up')
const asked = () => bench.api.requests.map((request) => (isSummary(request) ? 'summary' : 'answer'))
const summary = 'The user reworks all lamps. Page [3] was read.'

/** A conversation of four turns, whose first falls off with the next; nothing is scripted or recorded after it. */
async function longConversation(first = 'We rework all lamps'): Promise<string> {
  bench.api.always({ text: 'Well.' })
  const { conversation } = await editor.turn(long(first))
  for (const name of ['Second', 'Third', 'Fourth'])
    await editor.turn(long(name), { conversationId: conversation.id })
  expect(asked()).toEqual(Array(4).fill('answer'))
  bench.api.reset()
  return conversation.id
}

test('the summary stands in the place of the turns, is told to the user, and is made once', async () => {
  const conversationId = await longConversation('We rework all lamps. Never touch the page Imprint')
  bench.api.reply({ text: summary }, { text: 'Done.' }, { text: 'Again.' })

  const { messages } = await editor.turn('Go on.', { conversationId })
  await editor.turn('And on.', { conversationId })

  expect(asked()).toEqual(['summary', 'answer', 'answer'])
  expect(messages.slice(-3)).toMatchObject([
    { role: 'user', content: 'Go on.', sequence: 8 },
    { role: 'assistant', content: summary, notice: 'summarised', until: 2, sequence: 9 },
    { role: 'assistant', content: 'Done.', sequence: 10 },
  ])
  const [sums, first, second] = bench.api.requests.map(said) as [string, string, string]
  expect([sums.includes('We rework all lamps'), sums.includes('Second')]).toEqual([true, false])
  for (const request of [first, second]) {
    expect(request).toMatch(
      /Never touch the page Imprint.*A summary of them.*<data-.*The user reworks all lamps/,
    )
    expect(request).toContain('Second')
  }
  expect(bench.api.requests.filter(({ refused }) => refused)).toEqual([])
  const file = markdown(await bench.row(conversationId), messages, 'en')
  expect(file).toMatch(/## Earlier part summarised, \S+\n\nThe user reworks all lamps/)
})

test('the next cut is summed up with the summary before it', async () => {
  const conversationId = await longConversation()
  bench.api.reply({ text: summary }, { text: 'Done.' })
  await editor.turn(long('Fifth'), { conversationId })
  bench.api.reply({ text: 'All lamps, shorter.' }, { text: 'Done.' })
  bench.api.requests.length = 0

  const { messages } = await editor.turn('Go on.', { conversationId })

  expect(asked()).toEqual(['summary', 'answer'])
  const [sums = '', answered = ''] = bench.api.requests.map(said)
  expect(sums).toMatch(/The user reworks all lamps.*Second/)
  expect(sums).not.toContain('We rework all lamps.')
  expect(answered).toContain('All lamps, shorter.')
  expect(answered).not.toContain(summary)
  expect(messages.filter(({ notice }) => notice === 'summarised')).toHaveLength(2)
  expect(messages.filter(({ notice }) => notice === 'shortened')).toHaveLength(0)
})

test('an edit of what was summed up leaves the summary behind', async () => {
  const conversationId = await longConversation()
  bench.api.reply({ text: summary }, { text: 'Done.' })
  await editor.turn('Go on.', { conversationId })
  bench.api.reset()
  bench.api.reply({ text: 'Anew.' })

  await editor.does('edit', conversationId, {
    sequence: 2,
    content: 'Only chairs.',
    expectedContent: long('Second'),
  })
  await bench.settle()

  expect(asked()).toEqual(['answer'])
  expect(bench.api.requests.map(said).join()).not.toContain(summary)
})

test('its tokens count to the conversation and to the day of the user', async () => {
  const usage = async (id: string) => {
    const { body } = await editor.get<{ usage: { todayTokens: number } }>('/status')
    return [body.usage.todayTokens, (await editor.poll(id)).usage?.tokens ?? 0] as const
  }
  await bench.configure({ dailyTokensPerUser: 10_000_000 })
  const conversationId = await longConversation()
  const before = await usage(conversationId)
  bench.api.reply({ text: summary, usage: { input: 5_000, output: 300 } }, { text: 'Done.' })

  await editor.turn('Go on.', { conversationId })

  const after = await usage(conversationId)
  expect([after[0] - before[0], after[1] - before[1]]).toEqual([5_420, 5_420])
})

test('a user whose tokens of the day are used up gets no summary', async () => {
  const conversationId = await longConversation()
  await bench.configure({ dailyTokensPerUser: 1 })

  const { conversation } = await editor.send('Go on.', { conversationId }).then(
    () => bench.settle().then(() => editor.poll(conversationId)),
    () => editor.poll(conversationId),
  )

  expect([conversation.status === 'processing', asked()]).toEqual([false, []])
})

test('a turn whose first call has used up the tokens of the day gets no summary after it', async () => {
  const conversationId = await longConversation()
  const small = {
    historyTokens: null,
    models: [model({ modelId: 'claude-sonnet-5-5', contextTokens: 30_000 })],
  }
  await bench.configure(small)
  const { body } = await editor.get<{ usage: { todayTokens: number } }>('/status')
  await bench.configure({ ...small, dailyTokensPerUser: body.usage.todayTokens + 15_000 })
  const calls = [{ name: 'get_record', arguments: { table: 'pages', uid: 3 } }]
  const look = { text: 'words '.repeat(8_000), calls, usage: { input: 20_000 } }
  bench.api.reply(look, { text: summary }, { text: 'Done.' })

  const { conversation } = await editor.turn('Go on.', { conversationId })

  expect(asked()).toEqual(['answer'])
  expect(conversation).toMatchObject({ status: 'failed', errorCode: 'user.budgetSpent' })
})

test('a call that fails leaves the turns out as ever, and a later turn asks again', async () => {
  const conversationId = await longConversation()
  bench.api.reply({ fault: 'status', status: 400, message: 'No.' }, { text: 'Done.' })
  const failed = await editor.turn('Go on.', { conversationId })
  bench.api.reply({ text: summary }, { text: 'Again.' })
  const again = await editor.turn('And on.', { conversationId })

  expect(asked()).toEqual(['summary', 'answer', 'summary', 'answer'])
  expect(failed.messages.slice(-2)).toMatchObject([{ notice: 'shortened' }, { content: 'Done.' }])
  expect(again.messages.slice(-2)).toMatchObject([{ content: summary }, { content: 'Again.' }])
})

test('words of the demo, which stands in for the model, are no summary', async () => {
  const conversationId = await longConversation()
  await bench.configure({
    ...budget,
    providers: [
      provider({ adapter: 'anthropic', baseUrl: bench.api.url }),
      provider({ uid: 2, adapter: 'demo' }),
    ],
    models: [model({ modelId: 'claude-sonnet-5-5', fallback: 2 }), model({ uid: 2, provider: 2 })],
  })
  bench.api.always({ fault: 'status', status: 529, retryAfter: 0.001 })
  const failed = await editor.turn('Go on.', { conversationId })
  bench.api.reset()
  bench.api.reply({ text: summary }, { text: 'Again.' })
  const again = await editor.turn('And on.', { conversationId })

  expect(failed.messages.slice(-2)).toMatchObject([{ notice: 'shortened' }, { notice: 'demo' }])
  expect(again.messages.slice(-2)).toMatchObject([{ content: summary }, { content: 'Again.' }])
})

test('a request that the model finds too long is cut with a summary', async () => {
  const conversationId = await longConversation()
  await bench.configure({ historyTokens: null })
  const message = "This model's maximum context length is 4096 tokens."
  bench.api.reply({ fault: 'status', status: 400, message }, { text: summary }, { text: 'Done.' })

  const { messages } = await editor.turn('Go on.', { conversationId })

  expect(asked()).toEqual(['answer', 'summary', 'answer'])
  expect(bench.api.requests.map(said).at(-1)).toContain(summary)
  expect(messages.slice(-2)).toMatchObject([{ content: summary }, { content: 'Done.' }])
})

test('a model that refuses is not asked for the same turns again', async () => {
  const conversationId = await longConversation()
  bench.api.reply({ text: 'I can', stop: 'refusal' }, { text: 'Done.' }, { text: 'Again.' })

  await editor.turn('Go on.', { conversationId })
  const { messages } = await editor.turn('And on.', { conversationId })

  expect(asked()).toEqual(['summary', 'answer', 'answer'])
  expect(messages.map(({ notice }) => notice).filter(Boolean)).toEqual(['shortened'])
})

test('a stored summary survives what breaks the turn after it', async () => {
  const conversationId = await longConversation()
  bench.api.reply({ text: summary }, { text: 'Lost.' }, { text: 'Done.' })
  await editor.send('Go on.', { conversationId })
  const broken = ({ command, input }: Attempt) =>
    command === 'TransactWriteItems' && JSON.stringify(input).includes('Lost.')
      ? { when: 'before' as const, error: new Error('The connection broke') }
      : undefined

  expect(await under(broken, () => bench.consume())).toBe('failed')
  await editor.does('retry', conversationId)
  await bench.settle()

  expect(asked()).toEqual(['summary', 'answer', 'answer'])
  const { messages } = await editor.poll(conversationId)
  expect(messages.slice(-2)).toMatchObject([{ content: summary }, { content: 'Done.' }])
})

test('a key that the user named goes into no summary', async () => {
  const key = `sk-ant-${'a1B2'.repeat(10)}`
  const conversationId = await longConversation(`Use ${key} for it`)
  bench.api.reply({ text: `The key is ${key}.` }, { text: 'Done.' })

  const { messages } = await editor.turn('Go on.', { conversationId })

  expect(said(bench.api.requests[0] as Received)).not.toContain(key)
  expect(messages.at(-2)).toMatchObject({ content: 'The key is [redacted].', notice: 'summarised' })
})

test('a setting switches it off, also what was summed up before', async () => {
  const conversationId = await longConversation()
  bench.api.reply({ text: summary }, { text: 'Done.' })
  await editor.turn('Go on.', { conversationId })
  bench.api.reset()
  await bench.configure({ summaries: false })
  bench.api.reply({ text: 'Again.' })

  await editor.turn('And on.', { conversationId })

  expect(asked()).toEqual(['answer'])
  expect(bench.api.requests.map(said).join()).not.toContain(summary)
})

test('a window that holds no text beside answer and instructions makes no summary', async () => {
  const row: Message = { sequence: 0, role: 'user', content: 'words '.repeat(300), createdAt: '' }
  const requestIn = (contextTokens: number) =>
    summaryRequest([row], 1, {
      model: { limits: limits({ contextTokens, maxOutputTokens: 8_192 }, 'anthropic') },
      nonce: 'n0nce',
      base: { maxTokens: 4_096 },
    })

  expect([requestIn(8_192), requestIn(9_096)]).toEqual([undefined, undefined])
  expect(JSON.stringify(requestIn(10_200)?.messages).split('words')).toHaveLength(185)
})

test('without summaries the user is told once that the oldest messages are left out', async () => {
  const conversationId = await longConversation()
  await bench.configure({ summaries: false })
  bench.api.reply({ text: 'Done.' }, { text: 'Again.' })

  await editor.turn('Go on.', { conversationId })
  const { messages } = await editor.turn('And on.', { conversationId })

  expect(messages.map(({ notice }) => notice).filter(Boolean)).toEqual(['shortened'])
})
