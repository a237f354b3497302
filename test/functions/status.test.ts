import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { version } from '../../core/base/version.ts'
import type { StatusAnswer } from '../../core/chat/status-request.ts'
import { acceptAttribute, saveAs, supportedFormats } from '../../core/file/format.ts'
import { type Bench, startBench } from '../support/live.ts'
import { model, provider } from '../support/settings.ts'

let bench: Bench

beforeAll(async () => {
  bench = await startBench()
})
beforeEach(() => bench.configure())
afterAll(() => bench.stop())

const statusOf = async (username: 'admin' | 'editor' | 'autorin') =>
  (await (await bench.login(username)).get<StatusAnswer>('/status')).body

test('says what the interface may offer this user now', async () => {
  const { tools, ...rest } = await statusOf('editor')

  expect(rest).toEqual({
    available: true,
    issues: [],
    provider: { name: 'Anthropic', model: 'claude-sonnet-5-5', isAI: true },
    supportedFormats: supportedFormats(['vision', 'pdf']),
    saveAs,
    accept: expect.stringContaining('.png'),
    maxFileSize: 20_971_520,
    maxFilesPerConversation: 5,
    maxMessageLength: 10_000,
    maxSystemPromptLength: 10_000,
    maxCharacters: {
      title: 255,
      reason: 2_000,
      answer: 2_000,
      wording: 20_000,
      feedback: 500,
      promptTitle: 100,
      promptText: 2_000,
      instructions: 2_000,
      tokenName: 60,
      secret: 8_192,
    },
    pollIntervalMs: 1_500,
    activeConversations: 0,
    maxActiveConversations: 3,
    usage: { todayTokens: 0, dailyTokens: null, stage: null },
    pages: 'pages',
    home: 1,
    connections: false,
    accessTokens: false,
    titles: false,
    siteFiles: true,
    version,
  })
  expect(tools).toHaveLength(34)
  expect(tools.filter(({ available }) => !available).map(({ name }) => name)).toEqual([
    'fetch_logs',
    'get_last_exception',
    'get_system_status',
    'list_backend_users',
  ])
  for (const { available, reason } of tools) expect(reason === null).toBe(available)
})

test('names the tools in the language that the page chose, whatever the user’s own is', async () => {
  const editor = await bench.login('editor')

  const { body } = await editor.get<StatusAnswer>('/status', { lang: 'fr' })

  expect(body.tools[0]).toMatchObject({
    title: 'Arborescence des pages',
    did: 'A lu l’arborescence des pages',
  })
})

test('says what is wrong in the language that the page chose, whatever the user’s own is', async () => {
  await bench.configure({ tasks: [], maintenance: true })
  const editor = await bench.login('editor')

  const { body } = await editor.get<StatusAnswer>('/status', { lang: 'fr' })

  expect(body.issues.map(({ message }) => message)).toEqual([
    'Le chat IA n’est pas entièrement configuré. Un administrateur peut voir ce qui manque.',
    'L’assistant est en maintenance et ne prend pas de nouvelle tâche. Réessayez plus tard.',
  ])
})

test('lists the formats that can be read, and what other formats can be saved as', async () => {
  await bench.configure({ models: [model({ modelId: 'claude-sonnet-5-5', capabilities: ['tools'] })] })
  expect(await statusOf('editor')).toMatchObject({
    supportedFormats: supportedFormats(['tools']),
    accept: acceptAttribute(supportedFormats(['tools'])),
    saveAs: { doc: 'docx', xls: 'xlsx', ppt: 'pptx' },
  })
})

test('lists no format that only one of the two models of a turn can see', async () => {
  const fallback = model({ uid: 2, capabilities: ['tools'] })
  await bench.configure({ models: [model({ capabilities: ['vision', 'tools'], fallback: 2 }), fallback] })
  const { supportedFormats: formats, tools } = await statusOf('editor')

  expect(formats).toEqual(supportedFormats(['tools']))
  expect(tools.find(({ name }) => name === 'view_image')).toMatchObject({ reason: expect.any(String) })
})

test('says before a message is written that no turn may start, and why', async () => {
  await bench.configure({ maintenance: true, dailyTokensPerUser: 100 })
  bench.api.always({ text: 'Answer.' })
  const closed = await statusOf('autorin')

  await bench.configure({ dailyTokensPerUser: 100 })
  const editor = await bench.login('editor')
  const before = (await editor.get<StatusAnswer>('/status')).body
  await editor.turn('Use them up')
  const spent = (await editor.get<StatusAnswer>('/status')).body

  expect([closed.available, before.issues]).toEqual([true, []])
  expect([...closed.issues, ...spent.issues]).toEqual([
    {
      code: 'service.maintenance',
      message:
        'Der Assistent wird gerade gewartet und nimmt keine neuen Aufgaben an. Versuchen Sie es später noch einmal.',
    },
    {
      code: 'user.budgetSpent',
      message: 'Your tokens for today are used up. It is possible again at midnight UTC.',
    },
  ])
})

test('tells administrators in technical terms what is wrong, and others in a plain sentence of their language', async () => {
  await bench.configure({ tasks: [] })

  const [admin, autorin] = [await statusOf('admin'), await statusOf('autorin')]

  expect([admin.available, autorin.available]).toEqual([false, false])
  expect(autorin.tools.filter((tool: { available: boolean }) => tool.available)).toEqual([])
  expect(admin.issues).toEqual([
    {
      code: 'chat.notConfigured',
      message: expect.stringContaining('Task 1, named by llmTaskUid, does not exist.'),
    },
  ])
  expect(autorin.issues).toEqual([
    {
      code: 'chat.notConfigured',
      message: 'Der KI-Chat ist nicht vollständig eingerichtet. Ein Administrator sieht, was fehlt.',
    },
  ])
})

test('tells administrators the secret of the provider that is not set, and is available once it is', async () => {
  const named = provider({ name: 'Anthropic', adapter: 'anthropic', secret: 'not-there' })
  await bench.configure({ providers: [named] })

  const [admin, autorin] = [await statusOf('admin'), await statusOf('autorin')]
  process.env.AI_CHAT_SECRET_NOT_THERE = 'a key'
  const later = await statusOf('admin')
  delete process.env.AI_CHAT_SECRET_NOT_THERE

  expect([admin.available, autorin.available]).toEqual([false, false])
  expect(admin.issues).toMatchObject([
    { code: 'chat.notConfigured', message: expect.stringContaining('AI_CHAT_SECRET_NOT_THERE') },
  ])
  expect(autorin.issues[0]?.message).not.toContain('NOT_THERE')
  expect([later.available, later.issues]).toEqual([true, []])
})
