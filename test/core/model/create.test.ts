import { afterAll, describe, expect, test } from 'vitest'
import { createModel } from '../../../core/model/create.ts'
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

  test('refuses a secret that is named but not set', async () => {
    await expect(createModel(provider({ secret: 'anthropic' }), record, undefined)).rejects.toEqual(
      new ModelError('model.unauthorized', 'The secret "anthropic" of the provider is not set'),
    )
  })
})
