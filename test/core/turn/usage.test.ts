import { beforeEach, expect, test } from 'vitest'
import * as Row from '../../../core/conversation/row.ts'
import { days, openName } from '../../../core/stage/usage/item.ts'
import { answerOf, csvOf, reportRows } from '../../../core/stage/usage/report.ts'
import * as Usage from '../../../core/stage/usage/usage.ts'
import { consume, jobOf } from '../../../core/turn/consume.ts'
import { type Attempt, under } from '../../faults/inject.ts'
import { bench, benched, editor, logInAgain } from '../../support/benched.ts'
import { model } from '../../support/settings.ts'

/** What turns use, as their users see it and as reports sum it. The API counts 100 tokens read, 20 written. */

const forever = { remainingMs: () => Number.POSITIVE_INFINITY }
const prices = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }
const models = [
  model({ modelId: 'claude-sonnet-5-5', prices, fallback: 2 }),
  model({ uid: 2, modelId: 'claude-haiku-4-5', prices: { ...prices, output: 20 } }),
]
const look = { calls: [{ name: 'get_record', arguments: { table: 'pages', uid: 3 } }] }

benched({ models, showUsage: 'cost' })
beforeEach(() => bench.configure())

const usageOf = async (id: string) => (await editor.poll(id)).usage
/** A day that no other test uses. */
async function newDay(): Promise<{ from: string; to: string }> {
  await bench.clock.pass(86_400_000)
  await logInAgain()
  const day = new Date(bench.clock.now()).toISOString().slice(0, 10)
  return { from: day, to: day }
}

/** The runs that have tokens of the day reserved. */
const reserving = async (day: string) => [...((await days(2, [day]))[0]?.open.keys() ?? [])]

/** A model that acts after its answer, before the consumer has it. */
const answering =
  (act: () => Promise<unknown>): typeof bench.live.model =>
  async (resolved) => {
    const model = await bench.live.model(resolved)
    return {
      ...model,
      ask: async (...request) => {
        const answer = await model.ask(...request)
        await act()
        return answer
      },
    }
  }

test('a conversation shows what all its turns have used, at the prices of then', async () => {
  bench.api.reply(look, { text: 'Done' }, { text: 'Again' })
  const { conversation } = await editor.turn('Look at it')

  expect(await usageOf(conversation.id)).toEqual({ tokens: 240, dollars: 0.0008, unpriced: false })

  await bench.configure({ models: [model({ modelId: 'claude-sonnet-5-5', prices: null })] })
  await editor.turn('And again', { conversationId: conversation.id })
  expect(await usageOf(conversation.id)).toEqual({ tokens: 360, dollars: 0.0008, unpriced: false })
})

test('a conversation whose model has no prices says so, and costs no $0', async () => {
  await bench.configure({ models: [model({ modelId: 'claude-sonnet-5-5', prices: null })] })
  bench.api.reply({ text: 'Done' })

  expect((await editor.turn('Hello')).usage).toEqual({ tokens: 120, dollars: null, unpriced: true })
})

test('a conversation shows how much of its window the model has used in its last call', async () => {
  await bench.configure({ models: [model({ modelId: 'claude-sonnet-5-5', contextTokens: 20_000 })] })
  bench.api.reply({ text: 'Done', usage: { input: 980 } }, { text: 'Again', usage: { input: 16_580 } })

  const { conversation, windowPercent } = await editor.turn('Hello')
  expect(windowPercent).toBe(5)
  expect(await editor.turn('More', { conversationId: conversation.id })).toMatchObject({ windowPercent: 83 })
})

test.each([
  ['tokens', { tokens: 120, dollars: null }],
  ['nothing', null],
] as const)('where the settings show %s, that is all', async (showUsage, shown) => {
  await bench.configure({ showUsage })
  bench.api.reply({ text: 'Done' })

  expect((await editor.turn('Hello')).usage).toEqual(shown)
})

test('a turn that is delivered to ten consumers counts once', async () => {
  const days = await newDay()
  bench.api.reply(look, { text: 'Done' })
  const { conversation } = await editor.send('Once')
  const job = await jobOf(conversation.id)
  if (!job) throw new Error('nothing is queued')

  await Promise.all(Array.from({ length: 10 }, () => consume(bench.live, job, forever)))
  await bench.settle()

  expect(await usageOf(conversation.id)).toMatchObject({ tokens: 240 })
  expect(answerOf(days, await reportRows(days), []).total).toMatchObject({ turns: 1, calls: 2, failed: 0 })
})

test('what a turn used that failed then is not lost, nor what was used for no word', async () => {
  const days = await newDay()
  bench.api.reply(look, { fault: 'status', status: 401 })
  const { conversation } = await editor.turn('Look at it')
  const usage = { input_tokens: 100, output_tokens: 20 }
  bench.api.reply({
    fault: 'events',
    events: [
      { type: 'message_start', message: { type: 'message', role: 'assistant', content: [], usage } },
      { type: 'message_delta', delta: { stop_reason: 'model_context_window_exceeded' }, usage },
      { type: 'message_stop' },
    ],
  })
  const full = await editor.turn('Is it full?')

  expect([conversation.status, full.conversation.status]).toEqual(['failed', 'failed'])
  expect((await usageOf(conversation.id))?.tokens).toBe(120)
  expect(full.usage?.tokens).toBe(120)
  expect(answerOf(days, await reportRows(days), []).byModel).toMatchObject([
    { key: 'claude-sonnet-5-5', turns: 2, failed: 2, calls: 2, input: 200, output: 40, dollars: 0.0008 },
  ])
})

test('a turn that fails hours after its proposal was made counts once, though another was stopped meanwhile', async () => {
  const days = await newDay()
  const fields = { title: 'Lamps' }
  bench.api.reply(
    { calls: [{ name: 'update_record', arguments: { table: 'pages', uid: 3, fields } }] },
    { fault: 'status', status: 401 },
  )
  const { conversation } = await editor.turn('Rename it')
  await bench.clock.pass(3 * 3_600_000)
  await logInAgain()
  const other = await editor.send('Something else')
  await editor.does('cancel', other.conversation.id)
  await bench.settle()

  await editor.decide(conversation.id, true)

  expect(await bench.settle()).toEqual(['failed'])
  expect(answerOf(days, await reportRows(days), []).total).toMatchObject({ turns: 1, calls: 1, failed: 1 })
})

test('a call whose reply comes too late is counted, and so is that of the next consumer', async () => {
  const days = await newDay()
  bench.api.reply({ text: 'Late' }, { text: 'In time' })
  const { conversation } = await editor.send('Who answers?')
  const [was, job] = [await bench.row(conversation.id), await jobOf(conversation.id)]
  if (!job) throw new Error('nothing is queued')
  const take = async () =>
    Row.store(await bench.row(conversation.id), { status: 'processing', requestId: was.requestId })

  expect(await bench.consume({ model: answering(take) })).toBe('lost')
  expect(await consume(bench.live, job, forever)).toBe('done')

  expect(answerOf(days, await reportRows(days), []).total).toMatchObject({ turns: 1, calls: 2, input: 200 })
  expect(await usageOf(conversation.id)).toMatchObject({ tokens: 120 })
})

test.each([
  ['still waits leaves its tokens reserved', 'processing', 1],
  ['has ended leaves no token reserved', 'failed', 0],
] as const)('a consumer that lost a turn which %s', async (_, status, count) => {
  const { from } = await newDay()
  await bench.configure({ dailyTokensPerUser: 1_000_000 })
  bench.api.reply({ text: 'Late' }, { text: 'In time' })
  const { conversation } = await editor.send('Who answers?')
  const lose = async () => Row.store(await bench.row(conversation.id), { status, requestId: 'other' })

  expect(await bench.consume({ model: answering(lose) })).toBe('lost')

  const { runId } = await bench.row(conversation.id)
  expect(await reserving(from)).toEqual([openName(runId)].slice(0, count))
})

test('a call whose count is refused beside its reply is counted all the same, once', async () => {
  const range = await newDay()
  bench.api.reply({ text: 'Done' })
  const { conversation } = await editor.send('Count it')
  const { runId } = await bench.row(conversation.id)
  const reserve = () => Usage.reserve(2, { runId, round: 1, tokens: 10 }, 1_000, bench.clock.now())

  expect(await bench.consume({ model: answering(reserve) })).toBe('done')

  expect(answerOf(range, await reportRows(range), []).total).toMatchObject({ turns: 1, calls: 1, input: 100 })
  expect(await reserving(range.from)).toEqual([])
})

test.each([
  ['refused', 'the reply', 'before', 'failed', 1],
  ['done without an answer', 'the reply', 'after', 'failed', 1],
  ['done without an answer', 'the end', 'after', 'lost', 2],
] as const)('a transaction that is %s with %s is counted once', async (_, __, when, ending, at) => {
  const days = await newDay()
  bench.api.reply(look, { text: 'Done' })
  await editor.send('Look at it')
  let counts = 0
  const isCount = ({ input }: Attempt) => JSON.stringify(input).includes('"usage#') && ++counts === at
  const broken = (attempt: Attempt) =>
    attempt.command === 'TransactWriteItems' && isCount(attempt)
      ? { when, error: new Error('The connection broke') }
      : undefined

  expect(await under(broken, () => bench.consume())).toBe(ending)

  expect(answerOf(days, await reportRows(days), []).total).toMatchObject({ turns: 1, calls: at })
})

test('the model that stood in is counted, and costs what it costs', async () => {
  const days = await newDay()
  bench.api.reply(
    ...Array.from({ length: 6 }, () => ({ fault: 'status', status: 529, retryAfter: 0.001 }) as const),
    { text: 'I' },
  )
  const { conversation } = await editor.turn('Who is there?')

  expect(await usageOf(conversation.id)).toEqual({ tokens: 120, dollars: 0.0006, unpriced: false })
  expect(answerOf(days, await reportRows(days), []).byModel.map(({ key }) => key)).toEqual([
    'claude-haiku-4-5',
  ])
})

test('a report sums by user, group, model and day, and is a file as well', async () => {
  const days = await newDay()
  bench.api.reply({ text: 'One' }, { text: 'Two' }, { fault: 'status', status: 401 })
  await editor.turn('One')
  await (await bench.login('autorin')).turn('Two')
  await bench.configure({ tasks: [] })
  await editor.turn('Three')

  const rows = await reportRows(days)
  const people = [{ uid: 2, username: '=editor', groups: ['Editors', 'Press, "all"'] }]
  const { total, byUser, byGroup, byModel, byDay, since } = answerOf(days, rows, people)

  const one = { turns: 1, failed: 0, calls: 1, input: 100, output: 20, cacheRead: 0, cacheWrite: 0 }
  const call = { ...one, dollars: 0.0004 }
  const failed = { ...one, turns: 2, failed: 1, dollars: 0.0004 }
  const all = { ...failed, turns: 3, calls: 2, input: 200, output: 40, dollars: 0.0008 }
  expect(total).toEqual(all)
  expect(since).toBe(days.from)
  expect(byUser).toEqual([
    { key: '2', name: '=editor', ...failed },
    { key: '3', name: null, ...call },
  ])
  expect(byGroup.map(({ key, turns }) => [key, turns])).toEqual([
    ['', 1],
    ['Editors', 2],
    ['Press, "all"', 2],
  ])
  expect(byModel.map(({ key, turns, failed }) => [key, turns, failed])).toEqual([
    ['', 1, 1],
    ['claude-sonnet-5-5', 2, 0],
  ])
  expect(byDay).toEqual([{ key: days.from, name: days.from, ...all }])
  const lines = csvOf(rows.rows, people).split('\r\n')
  expect(lines[0]).toBe(
    'day,uid,user,groups,model,turns,failed,calls,input,output,cacheRead,cacheWrite,dollars',
  )
  expect(lines).toContain(
    `${days.from},2,'=editor,"Editors; Press, ""all""",claude-sonnet-5-5,1,0,1,100,20,0,0,0.0004`,
  )
  expect(lines).toContain(`${days.from},3,,,claude-sonnet-5-5,1,0,1,100,20,0,0,0.0004`)
})

test('a report names the models whose cost is not known, and no sum says that they cost nothing', async () => {
  const days = await newDay()
  bench.api.reply({ text: 'One' }, { text: 'Two' })
  await editor.turn('One')
  await bench.configure({ models: [model({ modelId: 'claude-haiku-4-5' })] })
  await editor.turn('Two')

  const { total, byModel, unpriced } = answerOf(days, await reportRows(days), [])

  expect(unpriced).toEqual(['claude-haiku-4-5'])
  expect(total.dollars).toBe(0.0004)
  expect(byModel.map(({ key, dollars }) => [key, dollars])).toEqual([
    ['claude-haiku-4-5', null],
    ['claude-sonnet-5-5', 0.0004],
  ])
})

test('a report leaves out whole days, the oldest first, where there are too many', async () => {
  const first = await newDay()
  bench.api.always({ text: 'Done' })
  await editor.turn('One')
  const last = await newDay()
  await editor.turn('Two')
  await (await bench.login('autorin')).turn('Three')
  const days = { from: first.from, to: last.to }

  const whole = await reportRows(days)
  const cut = await reportRows(days, 2)

  expect([whole.since, whole.rows.length]).toEqual([first.from, 3])
  expect([cut.since, cut.rows.map(({ day }) => day)]).toEqual([last.to, [last.to, last.to]])
})
