import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Bench, startBench, type User } from '../../support/live.ts'
import { type MessagesApi, startMessagesApi } from '../../support/messages-api.ts'
import { model, provider } from '../../support/settings.ts'

/** When the first choice of model is overloaded, the second answers, and the turn says so. */

let bench: Bench
let other: MessagesApi
let editor: User

beforeAll(async () => {
  bench = await startBench()
  other = await startMessagesApi()
  editor = await bench.login('editor')
  await bench.configure({
    providers: [
      provider({ adapter: 'anthropic', baseUrl: bench.api.url }),
      provider({ uid: 2, adapter: 'anthropic', baseUrl: other.url }),
    ],
    models: [
      model({ modelId: 'claude-sonnet-5-5', fallback: 2 }),
      model({ uid: 2, provider: 2, modelId: 'claude-haiku-4-5' }),
    ],
  })
})
beforeEach(() => {
  bench.api.reset()
  other.reset()
})
afterAll(async () => {
  await bench.stop()
  await other.stop()
})

test('an overloaded model is stood in for, each step by itself', async () => {
  bench.api.reply({
    calls: [{ id: 'a', name: 'get_page_content', arguments: { page: 3 } }],
  })
  bench.api.always({ fault: 'status', status: 529, retryAfter: 0.001 })
  other.reply({ text: 'It costs 149 EUR.' })

  const { messages, activity } = await editor.turn('What does it cost?')

  expect(messages.at(-1)?.content).toBe('It costs 149 EUR.')
  expect(activity.map(({ kind, model }) => [kind, model])).toEqual([
    ['llm', undefined],
    ['tool', undefined],
    ['llm', 'claude-haiku-4-5'],
  ])
  expect(bench.api.requests).toHaveLength(7)
  expect(other.requests.map(({ body }) => body.model)).toEqual(['claude-haiku-4-5'])
})

test('a model whose account has no credit is stood in for', async () => {
  const message = 'Your credit balance is too low to access the API.'
  bench.api.reply({ fault: 'status', status: 400, message })
  other.reply({ text: 'It costs 149 EUR.' })

  const { messages } = await editor.turn('What does it cost?')

  expect(messages.at(-1)?.content).toBe('It costs 149 EUR.')
  expect(bench.api.requests).toHaveLength(1)
})

test('an answer of the demo in place of a model has the notice of the demo', async () => {
  await bench.configure({
    providers: [
      provider({ adapter: 'anthropic', baseUrl: bench.api.url }),
      provider({ uid: 2, adapter: 'demo' }),
    ],
    models: [model({ modelId: 'claude-sonnet-5-5', fallback: 2 }), model({ uid: 2, provider: 2 })],
  })
  bench.api.always({ fault: 'status', status: 529, retryAfter: 0.001 })

  const { messages } = await editor.turn('What does it cost?')

  expect(messages.at(-1)).toMatchObject({ role: 'assistant', notice: 'demo' })
})

test('what another attempt cannot mend is not given to the second choice', async () => {
  bench.api.reply({ fault: 'status', status: 401 })

  const { conversation } = await editor.turn('What does it cost?')

  expect(conversation).toMatchObject({ status: 'failed', errorCode: 'model.unauthorized' })
  expect(other.requests).toEqual([])
})

test('a second choice that is trusted with less is a mistake of the configuration', async () => {
  await bench.configure({
    models: [model({ fallback: 2 }), model({ uid: 2, provider: 2 })],
    providers: [provider(), provider({ uid: 2, trustZone: 'public' })],
  })

  const { conversation } = await editor.turn('What does it cost?')

  expect(conversation).toMatchObject({ status: 'failed', errorCode: 'chat.notConfigured' })
})
