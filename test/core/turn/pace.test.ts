import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as Table from '../../../core/base/aws/table.ts'
import type * as Queue from '../../../core/conversation/queue.ts'
import * as Waiting from '../../../core/conversation/waiting.ts'
import * as Pace from '../../../core/stage/pace/pace.ts'
import * as Share from '../../../core/stage/pace/share.ts'
import * as Usage from '../../../core/stage/usage/usage.ts'
import type { JobResult } from '../../../core/turn/break-off.ts'
import { consume, jobOf } from '../../../core/turn/consume.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { configuration, model, provider, task } from '../../support/settings.ts'

/** What a turn does whose provider takes no more requests now. */

benched({ maxActiveConversations: null })

beforeEach(() => configure({ requestsPerMinute: 2 }))
afterEach(async () => Table.removeAll([Pace.key(1), Waiting.key, ...(await shares())]))

/** Keys of what is stored of the groups of the provider. */
async function shares(): Promise<Table.Key[]> {
  const rows = await Table.all({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :share)',
    ExpressionAttributeValues: { ':pk': 'stage', ':share': 'share#' },
  })
  return rows.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) }))
}

const configure = (limits: object) =>
  bench.configure({ providers: [provider({ adapter: 'anthropic', baseUrl: bench.api.url, ...limits })] })
const forever = { remainingMs: () => Number.POSITIVE_INFINITY }
/** Works on the turn of a conversation as it is queued. The queue of the emulator keeps a delay by a clock of its own. */
const work = async (id: string): Promise<JobResult | undefined> => {
  const job = await jobOf(id)
  return job && consume(bench.live, job, forever)
}
const booked = async () => Pace.decode(await Table.get(Pace.key(1))).requests - bench.clock.now()
/** The provider is busy for 28 seconds from now on. */
const keepBusy = async () => {
  const { conversation } = await editor.send('Before')
  bench.api.reply({ text: 'Answer.' })
  await work(conversation.id)
}

describe('a turn whose provider takes no more now', () => {
  test('goes back to the queue, holds no consumer, and goes on at its time', async () => {
    await keepBusy()
    const { conversation } = await editor.send('Hello')
    const { id } = conversation

    expect(await work(id)).toBe('deferred')
    const until = new Date(bench.clock.now() + 28_000).toISOString()
    expect(await bench.row(id)).toMatchObject({
      status: 'processing',
      deferredUntil: until,
      handovers: 0,
      lapses: 0,
    })
    expect(await editor.poll(id)).toMatchObject({ deferredUntil: until, pollAfterMs: 10_000 })
    const line = await booked()

    await bench.clock.pass(28_000)
    bench.api.reply({ text: 'Here I am.' })
    expect(await work(id)).toBe('done')
    expect(await booked()).toBe(line - 28_000)
    const { messages, deferredUntil } = await editor.poll(id)
    expect(messages.map(({ content }) => content)).toEqual(['Hello', 'Here I am.'])
    expect(deferredUntil).toBeNull()
  })

  test('is asked for again by cleanup where its message was lost, and is not stuck however long it waits', async () => {
    await configure({ requestsPerMinute: null, tokensPerMinute: 1_000 })
    await Table.put({ ...Pace.key(1), tokens_until: bench.clock.now() + 400_000, schema: 1 })
    const { conversation } = await editor.send('Hello')
    expect(await work(conversation.id)).toBe('deferred')

    await bench.clock.pass(390_000)
    expect(await bench.cleanup()).toMatchObject({ requeued: 0, failed: 0 })
    await bench.clock.pass(70_000)
    expect(await bench.cleanup()).toMatchObject({ requeued: 1, failed: 0 })
    bench.api.reply({ text: 'Late.' })
    expect(await work(conversation.id)).toBe('done')
  })

  test('keeps what is done: the next consumer asks for the next step alone', async () => {
    bench.api.reply({ text: 'I look.', calls: [{ name: 'get_page_tree', arguments: {} }] })
    const { conversation } = await editor.send('Look')
    expect(await work(conversation.id)).toBe('deferred')
    await bench.clock.pass(60_000)
    bench.api.reply({ text: 'Found.' })

    expect(await work(conversation.id)).toBe('done')
    const { messages, activity } = await editor.poll(conversation.id)
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(activity.map(({ kind }) => kind)).toEqual(['llm', 'tool', 'llm'])
  })

  test('that is claimed before its time waits on, and books nothing twice', async () => {
    await keepBusy()
    const { conversation } = await editor.send('Hello')
    await work(conversation.id)
    const line = await booked()
    const { deferredUntil } = await bench.row(conversation.id)

    expect(await work(conversation.id)).toBe('deferred')
    expect([await booked(), (await bench.row(conversation.id)).deferredUntil]).toEqual([line, deferredUntil])
  })

  test('waits for the share of its group without a booking, and books when it comes again', async () => {
    await configure({ requestsPerMinute: 60 })
    const { conversation } = await editor.send('Hello')
    const { id } = conversation
    const line = bench.clock.now() + 22_000
    const share = Share.key(1, (await bench.row(id)).tenant)
    await Table.put({ ...Pace.key(1), requests_until: line, schema: 1 })
    await Table.put({ ...share, ...Share.codec.encode({ booked: line, first: 0, again: 0 }) })

    const until = new Date(bench.clock.now() + 15_000).toISOString()
    for (let time = 0; time < 2; time++) {
      expect(await work(id)).toBe('deferred')
      expect(await bench.row(id)).toMatchObject({ deferredUntil: until, isUnbooked: true })
    }
    expect(await booked()).toBe(22_000)
    expect(await editor.poll(id)).toMatchObject({ deferredUntil: until })

    await bench.clock.pass(15_000)
    expect(await work(id)).toBe('deferred')
    expect(await booked()).toBe(8_000)
    expect((await bench.row(id)).isUnbooked).toBeUndefined()
    await bench.clock.pass(5_000)
    bench.api.reply({ text: 'My turn.' })
    expect(await work(id)).toBe('done')
    expect(await booked()).toBe(3_000)
  })

  test('that its user stops before it is back in the queue ends at once, not at its time', async () => {
    await keepBusy()
    const { conversation } = await editor.send('Hello')
    const job = (await jobOf(conversation.id)) as Queue.Job
    const model: typeof bench.live.model = async (resolved) => {
      await editor.does('cancel', conversation.id)
      return bench.live.model(resolved)
    }

    expect(await consume({ ...bench.live, model }, job, forever)).toBe('deferred')

    expect((await bench.settle()).filter((ending) => ending !== 'lost')).toEqual(['done'])
    expect((await bench.row(conversation.id)).status).toBe('idle')
  })

  test('that was stopped leaves its booking to no other turn', async () => {
    await keepBusy()
    const { id } = (await editor.send('Hello')).conversation
    await work(id)
    await editor.does('cancel', id)
    await bench.clock.pass(600_000)

    await editor.send('Something else', { conversationId: id })

    bench.api.reply({ text: 'Answer.' })
    expect([(await bench.row(id)).deferredUntil, await work(id)]).toEqual([undefined, 'done'])
    expect(await booked()).toBeGreaterThan(0)
  })

  test('is stopped at once by its user', async () => {
    await keepBusy()
    const { conversation } = await editor.send('Hello')
    await work(conversation.id)

    expect(await editor.does('cancel', conversation.id)).toMatchObject({ status: 'idle' })
    expect(await editor.poll(conversation.id)).toMatchObject({ deferredUntil: null, pollAfterMs: null })
  })

  test('fails in words where the provider is booked for more than ten minutes', async () => {
    await Table.put({ ...Pace.key(1), requests_until: bench.clock.now() + 700_000, schema: 1 })
    const { conversation } = await editor.send('Hello')

    expect(await work(conversation.id)).toBe('failed')
    expect(await bench.row(conversation.id)).toMatchObject({ errorCode: 'model.unavailable' })
  })
})

test('a start is refused while turns of its group wait too long for their share, and one of another group is not', async () => {
  const { tenant } = await bench.row((await editor.turn('First')).conversation.id)
  const lines = { booked: 0, first: bench.clock.now() + 130_000, again: 0 }
  await Table.put({ ...Share.key(1, tenant), ...Share.codec.encode(lines) })
  await Table.put({ ...Pace.key(1), requests_until: bench.clock.now() + 8_000, schema: 1 })
  await bench.cleanup()

  expect(await editor.post('send', { content: 'Too many' })).toMatchObject({
    status: 503,
    body: { error: { code: 'service.busy', retryAfterMs: 60_000 } },
  })
  const admin = await bench.login('admin')
  expect((await admin.post('send', { content: 'Of another group' })).status).toBe(202)
})

test('a start is refused while calls of all providers wait for longer than the limit', async () => {
  await Table.put({ ...Pace.key(1), requests_until: bench.clock.now() + 500_000, schema: 1 })
  await bench.cleanup()
  expect(await editor.post('send', { content: 'Too many' })).toMatchObject({
    status: 503,
    body: { error: { code: 'service.busy', retryAfterMs: 60_000 } },
  })

  const free = provider({ uid: 2, adapter: 'anthropic', baseUrl: bench.api.url })
  await bench.configure({
    providers: [provider({ requestsPerMinute: 2 }), free],
    models: [model(), model({ uid: 2, provider: 2 })],
    configurations: [configuration(), configuration({ uid: 2, model: 2 })],
    tasks: [task(), task({ uid: 2, configuration: 2 })],
    groupTaskMapping: [[2, 2]],
  })
  await bench.cleanup()
  expect((await editor.post('send', { content: 'There is another' })).status).toBe(202)
})

test('a turn waits while calls of other turns hold the rest of the tokens of its user', async () => {
  await bench.configure({ dailyTokensPerUser: 1_000_000 })
  await Usage.reserve(2, { runId: 'other', round: 1, tokens: 1_000_000 }, 1_000_000, bench.clock.now())
  const { conversation } = await editor.send('And this?')

  expect(await work(conversation.id)).toBe('deferred')

  await Usage.release(2, 'other', bench.clock.now())
  await bench.clock.pass(5_000)
  bench.api.reply({ text: 'Answer.' })
  expect(await work(conversation.id)).toBe('done')
})
