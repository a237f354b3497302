import { afterAll, describe, expect, test } from 'vitest'
import { createModel, mannerOf } from '../../../core/model/create.ts'
import { ModelError } from '../../../core/model/model.ts'
import type { Provider } from '../../../core/stage/settings/schema.ts'
import { startMessagesApi } from '../../support/messages-api.ts'
import { model as anyModel, provider as anyProvider } from '../../support/settings.ts'

const api = await startMessagesApi()
afterAll(() => api.stop())

const provider = (more: Partial<Provider>): Provider =>
  anyProvider({ name: 'Provider', adapter: 'anthropic', baseUrl: api.url, ...more })
const record = anyModel({ modelId: 'claude-sonnet-5-5' })

describe('createModel', () => {
  test.each([
    ['anthropic', 'claude-sonnet-5-5', true],
    ['bedrock', 'claude-sonnet-5-5', true],
    ['demo', 'demo-scripted-1', false],
  ] as const)('makes %s by its record', async (adapter, model, isAI) => {
    const made = await createModel(provider({ adapter }), record, undefined)

    expect(made.about).toEqual({ provider: 'Provider', model, isAI })
    expect(made.capabilities).toEqual(['vision', 'tools'])
    expect(made.limits.contextTokens).toBe(200_000)
  })

  test('asks where the provider is, with its secret', async () => {
    api.reply({ text: 'Yes' })
    const made = await createModel(provider({ secret: 'anthropic' }), record, 'the-secret')
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }]
    await made.ask(
      { system: [], messages, tools: [], toolChoice: 'auto', maxTokens: 10 },
      new AbortController().signal,
    )

    expect(api.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer the-secret'])
  })

  test.each([
    ['anthropic', null, 'claude-sonnet-5-5', null, true, true, true],
    ['anthropic', 'https://api.anthropic.com', 'claude-opus-4-8', null, true, true, true],
    ['anthropic', 'https://gateway.example', 'claude-opus-4-8', null, false, false, false],
    ['anthropic', 'https://gateway.example', 'claude-opus-4-8', true, true, true, false],
    ['anthropic', null, 'claude-opus-4-7', null, false, true, true],
    ['anthropic', null, 'claude-sonnet-5-5', false, false, false, true],
    ['anthropic', null, 'qwen3', null, false, false, false],
    ['bedrock', null, 'us.anthropic.claude-sonnet-5-5', null, true, true, true],
    ['bedrock', null, 'us.anthropic.claude-opus-4-7', null, false, true, true],
    ['bedrock', null, 'us.anthropic.claude-sonnet-5-5', false, false, false, true],
  ] as const)(
    '%s at %s takes of %s, set to %s: system messages %s, citations %s, an hour of cache %s',
    async (...row) => {
      const [adapter, baseUrl, modelId, set, systemMessages, citations, hourCache] = row
      const manner = await mannerOf(provider({ adapter, baseUrl }), {
        ...record,
        modelId,
        ...(set !== null && { systemMessages: set, citations: set }),
      })

      expect(manner).toEqual({ systemMessages, citations, hourCache })
    },
  )

  test('sends what changes with the open page behind the history, where the settings say that the model takes it', async () => {
    api.reply({ text: 'Yes' })
    const made = await createModel(provider({}), { ...record, systemMessages: true }, undefined)
    await made.ask(
      {
        system: [{ text: 'You help.' }, { text: 'Open: [3]', late: true }],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
        tools: [],
        toolChoice: 'auto',
        maxTokens: 10,
      },
      new AbortController().signal,
    )

    expect(api.requests.at(-1)).toMatchObject({ body: { messages: [{ role: 'user' }, { role: 'system' }] } })
  })

  test('refuses a secret that is named but not set', async () => {
    await expect(createModel(provider({ secret: 'anthropic' }), record, undefined)).rejects.toEqual(
      new ModelError('model.unauthorized', 'The secret "anthropic" of the provider is not set'),
    )
  })
})
