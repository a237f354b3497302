import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import * as Table from '../../core/base/aws/table.ts'
import type { Clock } from '../../core/base/clock.ts'
import * as Claim from '../../core/conversation/claim.ts'
import * as File from '../../core/file/file.ts'
import * as Store from '../../core/file/store.ts'
import { anthropic } from '../../core/model/anthropic.ts'
import { limits, type Model } from '../../core/model/model.ts'
import type { WireRequest } from '../../core/model/wire/shape.ts'
import * as Pace from '../../core/stage/pace/pace.ts'
import { image } from '../support/documents.ts'
import { type Bench, startBench, type User } from '../support/live.ts'
import type { Step } from '../support/messages-api.ts'
import { provider } from '../support/settings.ts'
import { type Attempt, type Fault, passing, slowDown, timeout, under } from './inject.ts'

/** Whatever the provider does, a turn ends as the contract says, and says why without a secret. */

let bench: Bench
let editor: User

beforeAll(async () => {
  bench = await startBench()
  const model = modelAt(bench.clock)
  bench.live.model = async () => model
})
beforeEach(async () => {
  bench.api.reset()
  editor = await bench.login('editor')
})
afterAll(() => bench.stop())

/** The model, whose waits between attempts pass as this clock says. */
function modelAt(clock: Clock): Model {
  const windows = { contextTokens: 200_000, maxOutputTokens: 64_000 }
  return anthropic({
    about: { provider: 'Anthropic', model: 'claude-sonnet-5-5', isAI: true },
    capabilities: ['vision', 'tools'],
    limits: limits(windows, 'anthropic'),
    baseUrl: bench.api.url,
    key: bench.api.key,
    clock,
  })
}

/** Consumes what is queued while time goes by. */
const consumed = () => passing(bench.clock, bench.settle())

async function asked(steps: Step[], always?: Step) {
  bench.api.reply(...steps)
  if (always) bench.api.always(always)
  const { conversation } = await editor.send('Are you there?')
  await consumed()
  return editor.poll(conversation.id)
}

const busy: Step = { fault: 'status', status: 429, retryAfter: 3 }
const answer: Step = { text: 'Here I am.' }

describe('passes by itself', () => {
  test.each<[string, Step]>([
    ['a rate limit that says when', busy],
    ['a rate limit that does not', { fault: 'status', status: 429 }],
    ['an error of the server', { fault: 'status', status: 500 }],
    ['an overloaded server', { fault: 'status', status: 529 }],
    ['an error within the stream', { fault: 'error' }],
    ['a cut socket', { fault: 'cut' }],
    ['a stream without an end', { fault: 'eof' }],
    ['garbage in the stream', { fault: 'garbage' }],
    ['silence before the headers', { fault: 'hang', where: 'headers' }],
    ['silence within the stream', { fault: 'hang', where: 'stream' }],
  ])('%s', async (_, fault) => {
    const { conversation, messages } = await asked([fault, answer])
    expect(conversation).toMatchObject({ status: 'idle', errorMessage: null, errorCode: null })
    expect(messages.map(({ content }) => content)).toEqual(['Are you there?', 'Here I am.'])
  })
})

describe('a provider with limits in the settings', () => {
  const limited = (limits: object) =>
    bench.configure({ providers: [provider({ adapter: 'anthropic', baseUrl: bench.api.url, ...limits })] })
  /** How often a call was booked while this was done. */
  async function bookings(act: () => Promise<unknown>): Promise<number> {
    let count = 0
    const note = ({ command, input }: Attempt): undefined => {
      if (command === 'UpdateItem' && JSON.stringify(input).includes(Pace.codec.attributes.requests)) count++
    }
    await under(note, act)
    return count
  }
  afterEach(async () => {
    await bench.configure()
    await Table.remove(Pace.key(1))
  })

  test('may refuse all the same: the call is tried again, and booked once', async () => {
    await limited({ requestsPerMinute: 60 })

    expect(
      await bookings(async () => {
        const { conversation } = await asked([busy, answer])
        expect(conversation).toMatchObject({ status: 'idle', errorCode: null })
      }),
    ).toBe(1)
  })

  test('that refuses every call ends the turn, and its line does not grow with the attempts', async () => {
    await limited({ requestsPerMinute: 60, tokensPerMinute: 1_000_000 })

    expect(
      await bookings(async () => {
        const { conversation } = await asked([], busy)
        expect(conversation).toMatchObject({ status: 'failed', errorCode: 'model.unavailable' })
      }),
    ).toBe(1)
  })

  test('whose line does not answer at first delays a turn, and fails none', async () => {
    await limited({ requestsPerMinute: 60 })
    bench.api.reply(answer)
    const { conversation } = await editor.send('Are you there?')
    const slow = ({ command, input, count }: Attempt): Fault | undefined =>
      command === 'UpdateItem' && JSON.stringify(input).includes('pace#') && count < 6
        ? { when: count % 2 === 0 ? 'before' : 'after', error: timeout() }
        : undefined

    await under(slow, consumed)

    expect((await editor.poll(conversation.id)).conversation).toMatchObject({
      status: 'idle',
      errorCode: null,
    })
  })
})

const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz'

describe('ends the turn', () => {
  test.each<[string, Step, string]>([
    ['a rate limit that does not end', busy, 'model.unavailable'],
    ['a pause longer than the turn may wait', { ...busy, retryAfter: 3_600 }, 'model.unavailable'],
    ['a server that stays overloaded', { fault: 'status', status: 529 }, 'model.unavailable'],
    ['sockets that are cut again and again', { fault: 'cut' }, 'model.unavailable'],
    ['a page instead of a stream', { fault: 'garbage', html: true }, 'model.unavailable'],
    ['silence that does not end', { fault: 'hang', where: 'headers' }, 'model.unavailable'],
    ['a wrong key', { fault: 'status', status: 401, message: `invalid key ${secret}` }, 'model.unauthorized'],
    ['a forbidden model', { fault: 'status', status: 403, message: secret }, 'model.unauthorized'],
    ['an account without credit', { fault: 'status', status: 402, message: secret }, 'model.unpaid'],
    ['an unknown model', { fault: 'status', status: 404 }, 'model.rejected'],
    ['a request that is refused', { fault: 'status', status: 400, message: secret }, 'model.rejected'],
    ['a request that is too large', { fault: 'status', status: 413 }, 'model.tooLarge'],
  ])('%s', async (_, fault, errorCode) => {
    const { conversation, messages } = await asked([], fault)
    expect(conversation).toMatchObject({ status: 'failed', errorCode, messageCount: 1 })
    expect(conversation.errorMessage).toMatch(/^The (?:language model|conversation|account) .*\.$/)
    expect(JSON.stringify({ conversation, messages })).not.toContain('sk-ant')
  })

  test('and a retry goes on behind the last stored row', async () => {
    const call = { name: 'get_record', arguments: { table: 'pages', uid: 3 } }
    const { conversation } = await asked([{ calls: [call] }], { fault: 'status', status: 400 })
    expect(conversation).toMatchObject({ status: 'failed', messageCount: 3 })

    bench.api.reset()
    bench.api.reply(answer)
    await editor.does('retry', conversation.id)
    await consumed()

    const { messages } = await editor.poll(conversation.id)
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(bench.api.requests).toHaveLength(1)
  })
})

test('a refusal ends the turn idle, with a notice', async () => {
  const { conversation, messages } = await asked([{ text: '', stop: 'refusal' }])
  expect(conversation).toMatchObject({ status: 'idle', errorCode: null })
  expect(messages.at(-1)).toMatchObject({ role: 'assistant', notice: 'refused' })
})

test('a model that calls tools for ever is closed after twenty rounds', async () => {
  const call = { name: 'get_record', arguments: { table: 'pages', uid: 3 } }
  const { conversation, messages } = await asked([], { text: 'Again.', calls: [call] })
  expect(conversation.status).toBe('idle')
  expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Again.' })
  expect(messages.at(-1)).not.toHaveProperty('toolCalls')
  expect(bench.api.requests).toHaveLength(21)
  expect(bench.api.requests.at(-1)?.body.tool_choice).toMatchObject({ type: 'none' })
  // The third time the same call is stopped.
  expect(messages.filter(({ isError }) => isError).length).toBe(18)
})

describe('a file', () => {
  async function withFile(): Promise<{ id: string; fileUid: number }> {
    const form = new FormData()
    form.set('file', new Blob(['All about lamps'], { type: 'text/plain' }), 'lamps.txt')
    const { body } = await editor.ask<{ fileUid: number }>('/ai-chat/file-upload', { form })
    const { conversation } = await editor.send('Read it', { fileUid: body.fileUid })
    return { id: conversation.id, fileUid: body.fileUid }
  }

  test('whose object is gone is named to the model, and the turn goes on', async () => {
    const { id, fileUid } = await withFile()
    const stored = await File.load(2, fileUid)
    await Store.remove(stored?.objectKey ?? '')
    bench.api.reply(answer)
    await consumed()
    expect((await editor.poll(id)).conversation.status).toBe('idle')
    expect(JSON.stringify(bench.api.requests[0]?.body.messages)).toContain('it no longer exists')
  })

  test('that the provider refuses without saying which one is left out, now and later', async () => {
    const [good, bad] = await Promise.all([image('png', 8), image('png', 9)])
    const holds = (request: WireRequest) =>
      [good, bad].map((bytes) => JSON.stringify(request.messages).includes(bytes.toString('base64')))
    const refusing = { fault: 'status', status: 400, message: 'Could not process image' } as const
    bench.api.always((request) => (holds(request)[1] ? refusing : answer))
    const attach = async (bytes: Buffer) => {
      const form = new FormData()
      form.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'a.png')
      return (await editor.ask<{ fileUid: number }>('/ai-chat/file-upload', { form })).body.fileUid
    }
    const first = await editor.turn('Look', { fileUid: await attach(good) })
    const conversationId = first.conversation.id

    const second = await editor.turn('And this?', { conversationId, fileUid: await attach(bad) })
    const third = await editor.turn('And now?', { conversationId })

    expect([second, third].map(({ conversation }) => conversation.status)).toEqual(['idle', 'idle'])
    expect(bench.api.requests.map(({ body }) => holds(body))).toEqual([
      [true, false],
      [true, true],
      [true, false],
      [true, false],
    ])
  })

  test('that the store does not give fails the turn in plain words, and a retry reads it', async () => {
    const { id } = await withFile()
    bench.api.reply(answer)
    await under(
      ({ service }) => (service === 's3' ? { when: 'before', error: slowDown() } : undefined),
      () => consumed(),
    )
    const failed = (await editor.poll(id)).conversation
    expect(failed).toMatchObject({ status: 'failed', errorCode: 'internal.error' })
    expect(failed.errorMessage).not.toMatch(/SlowDown|request rate|files-/)

    await editor.does('retry', id)
    await consumed()
    expect((await editor.poll(id)).conversation.status).toBe('idle')
    expect(JSON.stringify(bench.api.requests.at(-1)?.body.messages)).toContain('All about lamps')
  })
})

describe('a clock that jumps', () => {
  test('forward over the lease: the turn goes to another consumer, and the first one writes nothing', async () => {
    const reached = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    bench.api.reply(async () => {
      reached.resolve()
      await held.promise
      return { text: 'From the first.' }
    })
    const { conversation } = await editor.send('Are you there?')
    const clock: Clock = {
      ...bench.clock,
      sleep: (_, signal) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    }
    const first = bench.consume({ clock, model: async () => modelAt(clock) })
    await reached.promise
    const later = bench.clock.now() + Claim.leaseMs + 1
    expect(await bench.cleanup({ now: later })).toMatchObject({ resumed: 1 })
    bench.api.reply({ text: 'From the second.' })
    await consumed()
    held.resolve()
    expect(await first).toBe('lost')
    const { messages } = await editor.poll(conversation.id)
    expect(messages.map(({ content }) => content)).toEqual(['Are you there?', 'From the second.'])
  })

  test('backward: no turn is given up, and the turn ends', async () => {
    bench.api.reply(answer)
    const { conversation } = await editor.send('Are you there?')
    const hourAgo = () => bench.clock.now() - 60 * 60_000
    expect(await bench.cleanup({ now: hourAgo() })).toMatchObject({ requeued: 0, resumed: 0, failed: 0 })
    await bench.consume({ clock: { ...bench.clock, now: hourAgo } })
    expect((await editor.poll(conversation.id)).conversation).toMatchObject({
      status: 'idle',
      messageCount: 2,
    })
  })
})
