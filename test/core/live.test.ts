import { afterAll, expect, test } from 'vitest'
import { live } from '../../core/live.ts'
import { resolve } from '../../core/stage/settings/settings.ts'
import { actor } from '../support/actor.ts'
import { model, provider, settings } from '../support/settings.ts'

afterAll(() => {
  delete process.env.AI_CHAT_SECRET_OF_LIVE
})

test('a model whose secret is set after a first turn failed works for the next turn of the same process', async () => {
  const providers = [provider({ adapter: 'anthropic', baseUrl: 'http://127.0.0.1:9', secret: 'of-live' })]
  const { resolved } = resolve(settings({ providers, models: [model({ modelId: 'claude' })] }), actor())
  if (!resolved) throw new Error('The settings resolve to nothing')
  await expect(live().model(resolved)).rejects.toThrow('The secret "of-live" of the provider is not set')

  process.env.AI_CHAT_SECRET_OF_LIVE = 'a-key'

  const made = await live().model(resolved)
  expect(made.about.model).toBe('claude')
  expect(await live().model(resolved)).toBe(made)
})
