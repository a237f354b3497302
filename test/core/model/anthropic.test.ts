import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { Answer } from '../../../core/model/model.ts'
import type { Scripted } from '../../support/messages-api.ts'
import { api, ask, hello, model } from './asking.ts'

afterEach(() => api.reset())
afterAll(() => api.stop())

const usage = { input: 100, output: 20, cacheRead: 0, cacheWrite: 0 }

describe('an answer', () => {
  test('comes whole, in any language', async () => {
    api.reply({ text: 'Grüße 😀 aus dem Norden, in mehr als einem Stück.' })

    expect(await ask()).toEqual({
      text: 'Grüße 😀 aus dem Norden, in mehr als einem Stück.',
      calls: [],
      stop: 'end',
      usage,
    })
  })

  test('has its calls with their arguments, also a call without any', async () => {
    const calls = [
      { id: 'a', name: 'get_record', arguments: { uid: 3, note: 'a "b" \\ ü' } },
      { id: 'b', name: 'get_record', arguments: {} },
    ]
    api.reply({ text: 'I look.', calls })

    expect(await ask()).toEqual({ text: 'I look.', calls, stop: 'calls', usage })
  })

  test.each<[string, Scripted, Pick<Answer, 'text' | 'calls' | 'stop'>]>([
    [
      'without the call that was cut off',
      { text: 'I look.', calls: [{ name: 'get_record', arguments: { note: 'x'.repeat(99) } }], stop: 'cut' },
      { text: 'I look.', calls: [], stop: 'length' },
    ],
    ['empty, as a refusal may be', { stop: 'refusal' }, { text: '', calls: [], stop: 'refusal' }],
    ['empty, although nothing is wrong', {}, { text: '', calls: [], stop: 'end' }],
    [
      'that filled the window',
      { text: 'The', stop: 'model_context_window_exceeded' },
      { text: 'The', calls: [], stop: 'context' },
    ],
  ])('%s', async (_, step, expected) => {
    api.reply(step)
    const { text, calls, stop } = await ask()

    expect({ text, calls, stop }).toEqual(expected)
  })

  test('counts what came from the cache as input', async () => {
    api.reply({ text: 'Yes', usage: { input: 10, output: 3, cacheRead: 500, cacheWrite: 40 } })

    expect((await ask()).usage).toEqual({ input: 550, output: 3, cacheRead: 500, cacheWrite: 40 })
  })
})

describe('a request', () => {
  test('is a stream with the key as bearer and the current version', async () => {
    api.reply({ text: 'Yes' })
    await ask({ ...hello, toolChoice: 'none' })
    const [received] = api.requests

    expect({
      path: received?.path,
      authorization: received?.headers.authorization,
      version: received?.headers['anthropic-version'],
    }).toEqual({
      path: '/v1/messages',
      authorization: 'Bearer secret-of-the-test',
      version: '2026-10-21',
    })
    expect(received?.body).toMatchObject({
      stream: true,
      tool_choice: { type: 'none' },
      tools: [{ name: 'get_record' }],
    })
  })
})

describe('an abort', () => {
  const reason = new Error('the turn was cancelled')

  test.each([
    ['before the headers', 'headers'],
    ['in the stream', 'stream'],
  ] as const)('ends the call %s, with its reason', async (_, where) => {
    const caller = new AbortController()
    api.reply({ fault: 'hang', where })
    const asking = model().ask(hello, caller.signal)
    await api.received(1)
    caller.abort(reason)

    await expect(asking).rejects.toBe(reason)
  })

  test('ends the pause between two attempts', async () => {
    const caller = new AbortController()
    api.reply({ fault: 'status', status: 429, retryAfter: 60 })
    const asking = model().ask(hello, caller.signal)
    await api.received(1)
    caller.abort(reason)

    await expect(asking).rejects.toBe(reason)
  })

  test('that came before sends nothing', async () => {
    await expect(model().ask(hello, AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(api.requests).toEqual([])
  })
})
