import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadSettings } from '../../../infra/local/stage-settings.ts'

let folder: string
let file: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'settings-'))
  file = join(folder, 'overlay.json')
})

afterEach(() => rm(folder, { recursive: true }))

const load = async (overlay: string, env: NodeJS.ProcessEnv = {}) => {
  await writeFile(file, overlay)
  return loadSettings({ ...env, AI_CHAT_SETTINGS: file })
}

test('without a key the demo answers', async () => {
  const { settings } = await loadSettings({})

  expect(settings?.providers.map(({ uid, adapter }) => [uid, adapter])).toContainEqual([1, 'demo'])
})

test('the overlay wins over what the environment says of the provider, and the key is in neither', async () => {
  const env = { ANTHROPIC_API_KEY: 'sk-ant-secret', ANTHROPIC_MODEL: 'from-environment' }
  const overlay = { maxActiveConversations: 9, models: [{ uid: 1, contextTokens: 8_000 }] }

  const { settings } = await load(JSON.stringify(overlay), env)

  expect(settings?.maxActiveConversations).toBe(9)
  expect(settings?.providers.find(({ uid }) => uid === 1)).toMatchObject({
    adapter: 'anthropic',
    secret: 'anthropic',
  })
  expect(settings?.models.find(({ uid }) => uid === 1)).toMatchObject({
    modelId: 'from-environment',
    contextTokens: 8_000,
  })
  expect(JSON.stringify(settings)).not.toContain('sk-ant')
})

test('a file that is wrong is named with each mistake', async () => {
  expect(await load('{"maxMessageLenght": 1}')).toEqual({
    file,
    mistakes: [{ path: 'maxMessageLenght', message: 'is not a known key' }],
  })
  expect(await load('{')).toEqual({
    file,
    mistakes: [{ path: '(file)', message: expect.stringMatching(/^is not JSON: /) }],
  })
  expect(await loadSettings({ AI_CHAT_SETTINGS: join(folder, 'none.json') })).toEqual({
    file: join(folder, 'none.json'),
    mistakes: [{ path: '(file)', message: 'cannot be read' }],
  })
})

test('what would mean nothing is a mistake with its path', async () => {
  const overlay = {
    tools: { disabled: ['get_recrod'] },
    configurations: [{ uid: 1, tools: ['get_*', 'update'] }],
    exchange: { issuer: 'cms', audience: 'ai-chat', key: 'partner' },
    models: [{ uid: 1, fallback: 1 }],
  }
  const short = await load(JSON.stringify(overlay), { AI_CHAT_SECRET_PARTNER: 'abc' })
  const long = await load(JSON.stringify({ exchange: overlay.exchange }), {
    AI_CHAT_SECRET_PARTNER: 'an exchange key of at least 32 bytes',
  })

  expect(short.mistakes).toEqual([
    { path: 'tools.disabled.0', message: 'matches no tool' },
    { path: 'configurations.0.tools.1', message: 'matches no tool' },
    { path: 'models.0.fallback', message: 'means nothing: it is the model itself' },
    { path: 'exchange.key', message: expect.stringMatching(/^the key has 3 bytes.* at least 32$/) },
  ])
  expect(long.mistakes).toBeUndefined()
})
