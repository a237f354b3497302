import { beforeEach, expect, test } from 'vitest'
import type { Settings } from '../../../core/stage/settings/schema.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { gate } from '../../support/live.ts'
import type { Received } from '../../support/messages-api.ts'
import { model, provider } from '../../support/settings.ts'

/** After the first answer, the cheapest model of the settings writes the title, once. */

const rates = (input: number) => ({ input, output: 5 * input, cacheRead: 0, cacheWrite: 0 })
const large = model({ modelId: 'claude-sonnet-5-5', prices: rates(2) })
const small = model({ uid: 2, modelId: 'claude-haiku-4-5', prices: rates(1) })
const lamp = 'Aurora lamp: price'

benched({ models: [large, small] })
beforeEach(() => bench.configure())

const body = ({ body }: Received) => JSON.stringify(body)
const asked = () => bench.api.requests.map(({ body }) => body.model)
const titleOf = async (id: string) => (await editor.poll(id)).conversation.title

/** A conversation after its first turn; the title is the last reply. */
async function begun(...replies: Parameters<typeof bench.api.reply>): Promise<string> {
  bench.api.reply({ text: 'It costs 149 EUR.' }, ...replies)
  const { conversation } = await editor.turn('How much is it?')
  return conversation.id
}

test('the title of the cheaper model takes the place of the first message', async () => {
  const id = await begun({ text: `“${lamp}”.\n` })

  expect(asked()).toEqual(['claude-sonnet-5-5', 'claude-haiku-4-5'])
  expect(bench.api.requests.filter(({ refused }) => refused)).toEqual([])
  const { conversation } = await editor.poll(id)
  const { body: listed } = await editor.get<{ conversations: { id: string; title: string }[] }>(
    '/conversations',
  )
  expect(conversation).toMatchObject({ title: lamp, status: 'idle', messageCount: 2 })
  expect(listed.conversations.find((one) => one.id === id)?.title).toBe(lamp)
  expect((await editor.get('/status')).body).toMatchObject({ titles: true })
})

test('the model gets question and answer as data, and the language of the user', async () => {
  const autorin = await bench.login('autorin')
  bench.api.reply({ text: 'Sie kostet 149 EUR.' }, { text: 'Preis der Lampe' })
  await autorin.turn('Was kostet sie?')

  expect(body(bench.api.requests[1] as Received)).toMatch(
    /in German.*<data-.*Was kostet sie\?.*<data-.*Sie kostet 149 EUR/s,
  )
})

test('a title is made once, and no edit or version takes it back', async () => {
  const conversationId = await begun({ text: lamp }, { text: 'Yes.' }, { text: 'No.' })
  await editor.turn('And now?', { conversationId })
  await editor.does('edit', conversationId, {
    sequence: 0,
    content: 'How much is the desk?',
    expectedContent: 'How much is it?',
  })
  await bench.settle()

  expect(asked()).toEqual([large, small, large, large].map(({ modelId }) => modelId))
  expect(await titleOf(conversationId)).toBe(lamp)
})

test.each<[string, Partial<Settings>, string[]]>([
  ['a single model', { models: [large] }, []],
  ['no cheaper model', { models: [large, { ...small, prices: rates(3) }] }, []],
  ['a model without prices', { models: [{ ...large, prices: null }, small] }, []],
  ['titles switched off', { titles: 'off' }, []],
  ['a single model for all titles', { models: [large], titles: 'always' }, [large.modelId]],
  ['a cheaper model for all titles', { titles: 'always' }, [small.modelId]],
])('with %s, the models asked for a title are %s', async (_, settings, models) => {
  await bench.configure(settings)
  bench.api.always({ text: lamp })

  const id = await begun()

  expect(asked().slice(1)).toEqual(models)
  expect(await titleOf(id)).toBe(models.length > 0 ? lamp : 'How much is it?')
})

test('a model whose provider is trusted with less gets no conversation', async () => {
  const providers = [
    provider({ adapter: 'anthropic', baseUrl: bench.api.url }),
    provider({ uid: 2, adapter: 'anthropic', baseUrl: bench.api.url, trustZone: 'public' }),
  ]
  await bench.configure({ providers, models: [large, { ...small, provider: 2 }] })

  await begun()

  expect(asked()).toEqual([large.modelId])
})

test('a user who renames the conversation meanwhile is right', async () => {
  const { body } = await editor.post<{ conversation: { id: string } }>('create', {})
  const conversationId = body.conversation.id
  bench.api.reply({ text: 'It costs 149 EUR.' }, async () => {
    await editor.does('rename', conversationId, { title: 'Mine' })
    return { text: lamp }
  })

  await editor.turn('How much is it?', { conversationId })

  expect(asked()).toHaveLength(2)
  expect(await titleOf(conversationId)).toBe('Mine')
})

test('a conversation that has a title of its user asks for none', async () => {
  const { body } = await editor.post<{ conversation: { id: string } }>('create', {})
  const conversationId = body.conversation.id
  await editor.does('rename', conversationId, { title: 'Mine' })
  bench.api.reply({ text: 'It costs 149 EUR.' })

  await editor.turn('How much is it?', { conversationId })

  expect([asked(), await titleOf(conversationId)]).toEqual([[large.modelId], 'Mine'])
})

test.each([
  ['fails', { fault: 'status', status: 400, message: 'No.' } as const],
  ['refuses', { text: 'I cannot', stop: 'refusal' } as const],
  ['answers the question instead', { text: 'The lamp costs 149 EUR. '.repeat(20) }],
  ['says nothing', { text: ' ' }],
])('where the model %s, the first message stays the title', async (_, reply) => {
  const conversationId = await begun(reply, { text: 'Yes.' })
  const { conversation, messages } = await editor.turn('And now?', { conversationId })

  expect(asked()).toHaveLength(3)
  expect(conversation).toMatchObject({ status: 'idle', title: 'How much is it?', errorCode: null })
  expect(messages.map(({ content }) => content)).toEqual([
    'How much is it?',
    'It costs 149 EUR.',
    'And now?',
    'Yes.',
  ])
})

test('its tokens count to the conversation and to the day of the user', async () => {
  await bench.configure({ dailyTokensPerUser: 10_000_000, showUsage: 'cost' })
  const today = async () => {
    const { body } = await editor.get<{ usage: { todayTokens: number } }>('/status')
    return body.usage.todayTokens
  }
  const before = await today()

  const id = await begun({ text: lamp, usage: { input: 500, output: 10 } })

  expect((await today()) - before).toBe(120 + 510)
  // 100 and 20 tokens at 2 and 10 dollars a million, 500 and 10 at 1 and 5.
  expect((await editor.poll(id)).usage).toEqual({ tokens: 630, dollars: 0.00095, unpriced: false })
})

test('its tokens count also where the next turn is at work when it comes', async () => {
  await bench.configure({ showUsage: 'cost' })
  const [title, second] = [gate(), gate()]
  const after = async (point: ReturnType<typeof gate>, text: string) => {
    await point.reach()
    return { text }
  }
  bench.api.reply(
    { text: 'It costs 149 EUR.' },
    () => after(title, lamp),
    () => after(second, 'It is new.'),
  )
  const { conversation } = await editor.send('How much is it?')
  const first = bench.consume()
  await title.reached
  await editor.send('And since when?', { conversationId: conversation.id })
  const next = bench.consume()
  await second.reached

  title.open()
  await first
  second.open()
  await next

  const { usage, conversation: ended } = await editor.poll(conversation.id)
  expect(ended).toMatchObject({ title: lamp, status: 'idle', messageCount: 4 })
  // Two answers of 100 and 20 tokens at 2 and 10 dollars a million, a title at 1 and 5.
  expect(usage).toEqual({ tokens: 360, dollars: 0.001, unpriced: false })
})

test('a user whose tokens of the day are used up keeps the first message as the title', async () => {
  const { body } = await editor.get<{ usage: { todayTokens: number } }>('/status')
  await bench.configure({ dailyTokensPerUser: body.usage.todayTokens + 1 })
  bench.api.reply({ text: 'It costs 149 EUR.' })

  const { conversation } = await editor.turn('How much is it?')

  expect([asked(), conversation.title]).toEqual([[large.modelId], 'How much is it?'])
})

test('a key goes into no request, and into no title', async () => {
  const key = `sk-ant-${'a1B2'.repeat(10)}`
  bench.api.reply({ text: `I keep ${key}.` }, { text: `The key ${key}` })

  const { conversation } = await editor.turn(`Use ${key} for it`)

  expect(body(bench.api.requests[1] as Received)).not.toContain(key)
  expect(conversation.title).toBe(`Use ${key} for it`)
})

test('a turn that waits for a decision gets its title after the answer', async () => {
  const call = { name: 'update_record', arguments: { table: 'pages', uid: 3, fields: { title: 'Lamp' } } }
  bench.api.reply({ calls: [call] })
  const { conversation } = await editor.turn('Rename it')
  expect([conversation.status, conversation.title]).toEqual(['awaiting_approval', 'Rename it'])
  bench.api.reply({ text: 'It stays.' }, { text: 'Aurora lamp: rename' })

  await editor.decide(conversation.id, false)
  await bench.settle()

  expect(await titleOf(conversation.id)).toBe('Aurora lamp: rename')
})
