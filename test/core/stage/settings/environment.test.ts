import { expect, test } from 'vitest'
import { withEnvironment } from '../../../../infra/local/stage-settings.ts'
import { model, provider, settings } from '../../../support/settings.ts'

test('without a key nothing changes, whatever else is set', () => {
  const env = { ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1', ANTHROPIC_MODEL: 'other' }

  expect(withEnvironment(settings(), env)).toEqual(settings())
})

test('a key switches the seeded provider and model, and is not among the settings itself', () => {
  const given = settings({ providers: [provider({ trustZone: 'internal' }), provider({ uid: 2 })] })

  expect(withEnvironment(given, { ANTHROPIC_API_KEY: 'the-value-of-the-key' })).toEqual({
    ...given,
    providers: [
      provider({ name: 'Anthropic', adapter: 'anthropic', secret: 'anthropic', trustZone: 'internal' }),
      provider({ uid: 2 }),
    ],
    models: [
      model({
        modelId: 'claude-sonnet-5-5',
        capabilities: ['vision', 'pdf', 'tools'],
        contextTokens: 1_000_000,
        maxOutputTokens: 128_000,
        prices: { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5, cacheWriteHour: 4 },
        pricesAsOf: '2026-11-23',
      }),
    ],
  })
})

test('address and model of the environment are honoured', () => {
  const env = {
    ANTHROPIC_API_KEY: 'ollama',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:11434',
    ANTHROPIC_MODEL: 'qwen3',
  }
  const { providers, models } = withEnvironment(settings(), env)

  expect([providers[0]?.baseUrl, models[0]?.modelId]).toEqual(['http://127.0.0.1:11434', 'qwen3'])
})
