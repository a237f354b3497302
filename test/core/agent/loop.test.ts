import { beforeEach, describe, expect, test } from 'vitest'
import * as Run from '../../../core/agent/run-record.ts'
import { usageOf } from '../../../core/agent/run-record.ts'
import type { Cms } from '../../../core/cms/cms.ts'
import type { WireRequest } from '../../../core/model/wire/shape.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { gate } from '../../support/live.ts'
import { configuration, model, provider } from '../../support/settings.ts'

benched({ maxConversationsPerUser: null })
beforeEach(async () => {
  await bench.configure()
  bench.api.always({ text: 'Answer.' })
})

/** The results that a request carries last. */
function results(request: WireRequest | undefined = bench.api.requests.at(-1)?.body): [boolean, string][] {
  const last = request?.messages.at(-1)?.content
  return (Array.isArray(last) ? last : []).flatMap((block): [boolean, string][] =>
    block.type === 'tool_result' ? [[block.is_error ?? false, JSON.stringify(block.content)]] : [],
  )
}

const call = (name: string, args: object, id?: string) => ({ name, arguments: args, ...(id && { id }) })
const page = (uid: number) => call('get_page_content', { page: uid })

describe('calls', () => {
  test('of one reply run in order, each answered under its own id', async () => {
    bench.api.reply({ calls: [page(3), page(4), call('get_record', { table: 'pages', uid: 5 })] })

    const { activity } = await editor.turn('Look')

    const told = results()
    expect(told.map(([isError]) => isError)).toEqual([false, false, false])
    expect(told[0]?.[1]).toContain('149 EUR')
    expect(activity.map(({ kind, round, tool }) => [kind, round, tool])).toEqual([
      ['llm', 1, undefined],
      ['tool', 1, 'get_page_content'],
      ['tool', 1, 'get_page_content'],
      ['tool', 1, 'get_record'],
      ['llm', 2, undefined],
    ])
  })

  test('whose ids the server uses again get ids of their own', async () => {
    bench.api.reply(
      { calls: [call('get_page_tree', {}, 'same')] },
      { calls: [call('get_page_tree', { root: 2 }, 'same')] },
    )

    const { messages, conversation } = await editor.turn('Look')

    expect(conversation.status).toBe('idle')
    expect(messages.flatMap(({ toolCallId }) => toolCallId ?? [])).toEqual(['same', 'same_2'])
  })

  test.each<[string, { name: string; arguments: object }, string]>([
    [
      'of a tool that is not there',
      call('delete_everything', {}),
      'There is no such tool. Tools: get_page_tree',
    ],
    ['with an argument missing', call('get_record', { table: 'pages' }), 'The arguments are not valid'],
    ['with an argument too many', call('get_page_tree', { root: 1, force: true }), 'unknown: force'],
    [
      'with a limit out of range',
      call('list_records', { table: 'news', limit: 1_000 }),
      'The arguments are not valid',
    ],
    [
      'for what is not there',
      call('get_record', { table: 'pages', uid: 4_711 }),
      'was not found, or the user may not see it',
    ],
    [
      'for what is not permitted',
      call('get_record', { table: 'pages', uid: 11 }),
      'was not found, or the user may not see it',
    ],
    ['of a tool of administrators', call('fetch_logs', {}), 'Only administrators may use this tool'],
  ])('%s are answered with an error, and the turn goes on', async (_, wrong, words) => {
    bench.api.reply({ calls: [wrong] })

    const { conversation } = await editor.turn('Try')

    expect(results()).toEqual([[true, expect.stringContaining(words)]])
    expect(conversation.status).toBe('idle')
  })

  test('without a result show a fixed sentence for each cause in the steps', async () => {
    bench.api.reply({
      calls: [
        call('delete_everything', {}),
        call('fetch_logs', {}),
        call('get_record', {}),
        call('get_record', { table: 'pages', uid: 11 }),
      ],
    })

    const { activity } = await editor.turn('Try')

    expect(activity.flatMap(({ error }) => error ?? [])).toEqual([
      'There is no such tool.',
      'The call was not permitted.',
      'The arguments of the call were not valid.',
      'The record was not found.',
    ])
  })

  test.each([
    [
      'nobody pays',
      { status: 402 },
      'The account with the provider of the language model has no credit left.',
    ],
    ['rejects the request', { status: 400 }, 'The provider of the language model rejected the request.'],
    ['knows no key', { status: 401 }, 'The provider of the language model rejected the request.'],
  ])('of a model that %s are a step with an error', async (_, fault, error) => {
    bench.api.reply({ fault: 'status', ...fault })

    const { activity } = await editor.turn('Try')

    expect(activity).toEqual([{ kind: 'llm', round: 1, ms: expect.any(Number), error }])
  })

  test('that throw are answered with a sentence that tells nothing of the cause', async () => {
    const cms = { ...bench.live.cms }
    cms.pageContent = async () => {
      throw new Error('connect ECONNREFUSED 10.0.0.7:5432 password=hunter2')
    }
    bench.api.reply({ calls: [page(3)] })
    const { conversation } = await editor.send('Look')

    expect(await bench.consume({ cms })).toBe('done')

    expect(results()).toEqual([[true, expect.stringContaining('a technical problem, which has been logged')]])
    const seen = JSON.stringify([await editor.poll(conversation.id), bench.api.requests.at(-1)])
    expect(seen).not.toMatch(/ECONNREFUSED|hunter2/)
    expect((await editor.poll(conversation.id)).activity[1]?.error).not.toMatch(/ECONNREFUSED/)
  })

  test('beyond twenty in one reply are answered with an error', async () => {
    const calls = Array.from({ length: 23 }, (_, at) => call('get_record', { table: 'news', uid: at + 1 }))
    bench.api.reply({ calls })

    await editor.turn('Look at all')

    const told = results()
    expect(told.map(([isError]) => isError)).toEqual([...Array(20).fill(false), true, true, true])
    expect(told.at(-1)?.[1]).toContain('a reply may hold 20 calls')
  })

  test.each([300, 5_000])(
    '%i in one reply: twenty run, some are answered, the rest is dropped',
    async (count) => {
      const calls = Array.from({ length: count }, (_, at) =>
        call('get_record', { table: 'news', uid: at + 1, note: 'x'.repeat(1_000) }),
      )
      bench.api.reply({ calls })

      const { conversation, messages } = await editor.turn('Look at all')

      expect(conversation).toMatchObject({ status: 'idle', errorCode: null })
      expect(results()).toHaveLength(60)
      expect(results().at(-1)?.[1]).toContain('those beyond 60 were not even kept')
      expect(messages[1]).toMatchObject({ notice: 'truncated' })
    },
  )

  test('300 in one reply can be stopped in the middle', async () => {
    const middle = gate()
    bench.api.reply({
      calls: Array.from({ length: 300 }, (_, at) => call('get_record', { table: 'news', uid: at + 1 })),
    })
    const { conversation } = await editor.send('Look at all')
    let asked = 0
    const record: Cms['record'] = async (...given) => {
      if (++asked === 3) await middle.reach()
      return bench.live.cms.record(...given)
    }
    const working = bench.consume({ cms: { ...bench.live.cms, record } })
    await middle.reached
    await editor.does('cancel', conversation.id)
    await bench.clock.pass(2_000)
    middle.open()

    expect(await working).toBe('done')
    const stopped = await editor.poll(conversation.id)
    expect(stopped.conversation.status).toBe('idle')
    expect(stopped.messages.at(-1)).toMatchObject({ notice: 'cancelled' })
    expect(stopped.messages.filter(({ role }) => role === 'tool')).toHaveLength(60)
  })

  test('made a third time with the same arguments, whatever their order, are stopped', async () => {
    bench.api.reply(
      { calls: [call('list_records', { table: 'news', limit: 2 })] },
      { calls: [call('list_records', { limit: 2, table: 'news' })] },
      {
        calls: [
          call('list_records', { table: 'news', limit: 2 }),
          call('list_records', { table: 'news', limit: 3 }),
        ],
      },
    )

    await editor.turn('Loop')

    expect(results()).toEqual([
      [true, expect.stringContaining('made twice already')],
      [false, expect.any(String)],
    ])
  })

  test('are looked at again when their turn comes: what was switched off meanwhile does not run', async () => {
    const { cms } = bench.live
    bench.api.reply({ calls: [page(3), page(4), call('get_record', { table: 'pages', uid: 5 })] })
    await editor.send('Look')

    await bench.consume({
      cms: {
        ...cms,
        pageContent: async (...args) => {
          await bench.configure({ tools: { disabled: [], groups: { 1: { deny: ['get_page_content'] } } } })
          return cms.pageContent(...args)
        },
      },
    })

    expect(results()).toEqual([
      [false, expect.stringContaining('149 EUR')],
      [true, expect.stringContaining('not allowed to use this tool')],
      [false, expect.any(String)],
    ])
  })

  test('with arguments beyond 200 KB are not stored whole, and are answered with an error', async () => {
    bench.api.reply({
      calls: [call('search_records', { query: 'x'.repeat(300_000) }), call('get_page_tree', {})],
    })

    const { messages, conversation } = await editor.turn('Search')

    expect(conversation.status).toBe('idle')
    expect(JSON.stringify(messages[1]).length).toBeLessThan(2_000)
    expect(messages[1]?.notice).toBe('truncated')
    expect(results().map(([isError]) => isError)).toEqual([true, false])
  })

  test('with arguments nested in thousands of levels are not stored, and are answered with an error', async () => {
    const nested = JSON.parse(`{"query":${'['.repeat(3_000)}${']'.repeat(3_000)}}`)
    bench.api.reply({ calls: [call('search_records', nested), call('get_page_tree', {})] })

    const { messages, conversation } = await editor.turn('Search')

    expect(conversation.status).toBe('idle')
    expect(JSON.stringify(messages[1]).length).toBeLessThan(2_000)
    expect(results().map(([isError]) => isError)).toEqual([true, false])
  })

  test('with large arguments, each below the limit, fit into one row', async () => {
    const large = (n: number) => call('search_records', { query: `${n}${'x'.repeat(150_000)}` })
    bench.api.reply({ text: 'y'.repeat(150_000), calls: [large(1), large(2), large(3)] })

    const { conversation } = await editor.turn('Search')

    expect(conversation.status).toBe('idle')
  })
})

test('a model that cannot call tools gets none, and reads what an earlier one found', async () => {
  bench.api.reply({ calls: [page(3)] })
  const { conversation } = await editor.turn('What is on the page?')
  await bench.configure({ models: [model({ modelId: 'claude-sonnet-5-5', capabilities: ['vision'] })] })

  const { messages } = await editor.turn('And now?', { conversationId: conversation.id })

  const request = bench.api.requests.at(-1)
  expect([request?.refused, messages.at(-1)?.content]).toEqual([undefined, 'Answer.'])
  expect(request?.body).not.toHaveProperty('tools')
  expect(JSON.stringify(request?.body.messages)).toContain('149 EUR')
  expect(JSON.stringify(request?.body.system)).toContain('The language model in use cannot call tools.')
})

describe('rounds', () => {
  beforeEach(() => bench.configure({ configurations: [configuration({ maxRounds: 2 })] }))

  const endless = () => ({
    text: '',
    calls: [call('get_record', { table: 'news', uid: bench.api.requests.length })],
  })

  test('that are used up end with one more call, the same tools and no choice of them', async () => {
    bench.api.reply(endless, endless, { text: 'That is all I know.' })

    const { messages, conversation } = await editor.turn('Look')

    expect(bench.api.requests.map(({ body }) => body.tool_choice)).toEqual([
      { type: 'auto' },
      { type: 'auto' },
      { type: 'none' },
    ])
    const tools = bench.api.requests.map(({ body }) => JSON.stringify(body.tools))
    expect(new Set(tools).size).toBe(1)
    expect([conversation.status, messages.at(-1)?.content]).toEqual(['idle', 'That is all I know.'])
  })

  test.each([
    ['the text that it gave', 'So far:', 'So far:'],
    ['a fixed sentence', '', 'The steps for this answer were used up'],
  ])('and a model that calls all the same: %s', async (_, text, wanted) => {
    bench.api.reply(endless, endless, () => ({ ...endless(), text }))

    const { messages, conversation } = await editor.turn('Look')

    expect(conversation.status).toBe('idle')
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: expect.stringContaining(wanted) })
    expect(messages.at(-1)?.toolCalls).toBeUndefined()
  })
})

describe('an answer', () => {
  test('that is cut off is marked, and sent later like any other', async () => {
    bench.api.reply({ text: 'Half an ans', stop: 'max_tokens' })
    const { messages, conversation } = await editor.turn('Tell')
    expect(messages.at(-1)).toMatchObject({ content: 'Half an ans', notice: 'truncated' })

    await editor.turn('More', { conversationId: conversation.id })

    expect(JSON.stringify(bench.api.requests.at(-1)?.body.messages)).toContain('Half an ans')
  })

  test('whose last call is cut off ends the turn with what there is', async () => {
    bench.api.reply({ text: 'I look', calls: [page(3)], stop: 'cut' })

    const { messages, conversation } = await editor.turn('Tell')

    expect([conversation.status, messages.at(-1)?.notice, messages.length]).toEqual(['idle', 'truncated', 2])
  })

  test('that is refused ends the turn idle with a notice, which is never sent', async () => {
    bench.api.reply({ text: '', stop: 'refusal' })
    const { messages, conversation } = await editor.turn('Something bad')
    expect([conversation.status, messages.map(({ notice }) => notice)]).toEqual([
      'idle',
      [undefined, 'refused'],
    ])

    await editor.turn('Something good', { conversationId: conversation.id })

    const sent = JSON.stringify(bench.api.requests.at(-1)?.body.messages)
    expect(sent).not.toContain('declined')
    expect(sent).toContain('Something good')
  })

  test('that is empty says so', async () => {
    bench.api.reply({ text: '' })

    const { messages, conversation } = await editor.turn('Say nothing')

    expect([conversation.status, messages.at(-1)?.content]).toEqual([
      'idle',
      'The language model gave no answer.',
    ])
  })

  test('in German to whom German is the language', async () => {
    const autorin = await bench.login('autorin')
    bench.api.reply({ text: '' })

    const { messages } = await autorin.turn('Sag nichts')

    expect(messages.at(-1)?.content).toBe('Das Sprachmodell hat nicht geantwortet.')
  })

  test('beyond 200 KB is cut at a character, and marked', async () => {
    bench.api.reply({ text: 'ü'.repeat(150_000) })

    const { messages } = await editor.turn('Say much')

    expect(messages.at(-1)?.notice).toBe('truncated')
    expect(messages.at(-1)?.content).toBe('ü'.repeat(100_000))
  })

  test('of the demo says that it is no AI', async () => {
    await bench.configure({
      providers: [provider()],
      models: [model()],
    })

    const { messages } = await editor.turn('What does the Aurora lamp cost?')

    expect(messages.at(-1)).toMatchObject({ notice: 'demo', content: expect.stringContaining('149 EUR') })
  })
})

test('a transcript beyond the window is cut between turns, told to model and user once', async () => {
  const models = [model({ modelId: 'claude-sonnet-5-5', contextTokens: 40_000 })]
  await bench.configure({ models, summaries: false })
  const long = 'word '.repeat(1_900)
  const { conversation } = await editor.turn(long)
  const { id } = conversation
  for (let count = 0; count < 9; count++) await editor.turn(`${count} ${long}`, { conversationId: id })

  const { messages } = await editor.poll(id)
  expect(messages.filter(({ notice }) => notice === 'shortened')).toHaveLength(1)
  const sent = bench.api.requests.at(-1)?.body.messages ?? []
  expect(JSON.stringify(sent)).toContain('are left out')
  expect(sent.length).toBeLessThan(messages.length)
})

test('the run record keeps what the steps must not: arguments, results and usage', async () => {
  bench.api.reply({ text: 'I look.', calls: [call('get_record', { table: 'pages', uid: 3 })] })
  const { conversation, activity } = await editor.turn('Look')
  const { runId } = await bench.row(conversation.id)

  const run = await Run.find(2, runId, bench.clock.now())
  const steps = await Run.steps({ owner: 2, runId })

  expect(run).toMatchObject({ conversationId: conversation.id })
  expect(usageOf(steps)).toMatchObject({ input: 200, output: 40 })
  expect(steps.map(({ detail }) => detail.kind)).toEqual(['llm', 'tool', 'llm'])
  expect(steps[1]?.detail).toMatchObject({ arguments: { table: 'pages', uid: 3 }, isError: false })
  expect(JSON.stringify(activity)).not.toContain('Aurora')
  const { body } = await editor.get<{ usage: { todayTokens: number } }>('/status')
  expect(body.usage.todayTokens).toBeGreaterThanOrEqual(240)
})
