import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { ModelError } from '../../../core/model/model.ts'
import { api, ask, hello } from './asking.ts'

/** What gateways and servers of other vendors make of the Messages API, over the wire. */

afterEach(() => api.reset())
afterAll(() => api.stop())

type Event = { type: string } & Record<string, unknown>

const start = (over: object = {}): Event => ({ type: 'message_start', message: { content: [], ...over } })
const text = (index: number | undefined, words: string): Event[] => [
  { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index, delta: { type: 'text_delta', text: words } },
  { type: 'content_block_stop', index },
]
const call = (index: number | undefined, uid: number, id = `call_${uid}`): Event[] => [
  {
    type: 'content_block_start',
    index,
    content_block: { type: 'tool_use', id, name: 'get_record', input: {} },
  },
  { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: '{"uid":' } },
  { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: `${uid}}` } },
  { type: 'content_block_stop', index },
]
const end = (reason: string, usage: object = { output_tokens: 5 }): Event[] => [
  { type: 'message_delta', delta: { stop_reason: reason }, usage },
  { type: 'message_stop' },
]
const record = (uid: number) => ({ id: `call_${uid}`, name: 'get_record', arguments: { uid } })

async function answered(...events: Event[]) {
  api.reply({ fault: 'events', events })
  return ask()
}

async function failed(...events: Event[]): Promise<[code: string, message: string]> {
  const error = await answered(...events).catch((error: unknown) => error)
  if (!(error instanceof ModelError)) throw error
  return [error.code, error.message]
}

describe('a call keeps its arguments and a text its words', () => {
  test.each<[string, Event[], object]>([
    [
      'with a gap in the numbers',
      [...text(0, 'I look.'), ...call(2, 3)],
      { text: 'I look.', calls: [record(3)] },
    ],
    ['with two gaps', [...call(1, 3), ...call(4, 5)], { calls: [record(3), record(5)] }],
    ['with numbers from 1', [...text(1, 'I look.'), ...call(2, 3)], { text: 'I look.', calls: [record(3)] }],
    ['without numbers', [...text(undefined, 'I look.'), ...call(undefined, 3)], { calls: [record(3)] }],
    [
      'with one number for all',
      [...text(0, 'I look.'), ...call(0, 3)],
      { text: 'I look.', calls: [record(3)] },
    ],
  ])('%s', async (_, events, expected) => {
    expect(await answered(start(), ...events, ...end('tool_use'))).toMatchObject(expected)
  })

  test('with numbers from 1 and the pieces of two calls in turn', async () => {
    const [one, other] = [call(1, 3), call(2, 5)]
    const inTurn = one.flatMap((event, at) => [event, other[at] ?? event])

    expect(await answered(start(), ...inTurn, ...end('tool_use'))).toMatchObject({
      calls: [record(3), record(5)],
    })
  })

  test('when the first event comes again in the middle of its message', async () => {
    const [begin, ...rest] = text(0, 'Yes, it is.')
    const events = [
      start({ id: 'msg_1' }),
      begin as Event,
      start({ id: 'msg_1' }),
      ...rest,
      ...end('end_turn'),
    ]

    expect((await answered(...events)).text).toBe('Yes, it is.')
  })

  test.each<[string, Event[]]>([
    ['another message begins', [start({ id: 'msg_2' }), ...text(1, 'Two')]],
    ['the message begins from its first block', [start({ id: 'msg_1' }), ...text(0, 'One')]],
  ])('and the answer is refused where %s in between', async (_, events) => {
    const all = [start({ id: 'msg_1' }), ...text(0, 'One'), ...events, ...end('end_turn')]

    expect(await failed(...all)).toEqual([
      'model.unavailable',
      expect.stringContaining('mixed the events of several messages'),
    ])
  })
})

describe('the words of other vendors for an end', () => {
  test.each([
    ['length', 'length'],
    ['MAX_TOKENS', 'length'],
    ['content_filter', 'refusal'],
    ['SAFETY', 'refusal'],
    ['model_length', 'context'],
    ['stop', 'end'],
    ['toString', 'end'],
  ])('%s is %s', async (reason, stop) => {
    expect((await answered(start(), ...text(0, 'Yes'), ...end(reason))).stop).toBe(stop)
  })

  test('a call that was cut off is not run', async () => {
    expect(await answered(start(), ...call(0, 3), ...call(1, 5), ...end('length'))).toMatchObject({
      calls: [record(3)],
      stop: 'length',
    })
  })
})

describe('usage beyond the window', () => {
  test('is believed, because it is paid', async () => {
    const events = [
      start(),
      ...text(0, 'Yes'),
      ...end('end_turn', { input_tokens: 482_529, output_tokens: 70_000 }),
    ]

    expect((await answered(...events)).usage).toEqual({
      input: 482_529,
      output: 70_000,
      cacheRead: 0,
      cacheWrite: 0,
    })
  })
})

describe('a call that is written as text', () => {
  test.each([
    '<tool_call>\n{"name": "get_record", "arguments": {"uid": 3}}\n</tool_call>',
    'I look it up.\n<tool_call>{"name":"get_record","arguments":{"uid":3}}',
    '[TOOL_CALLS] [{"name": "get_record", "arguments": {"uid": 3}}]',
  ])('is told as what it is: %j', async (words) => {
    expect(await failed(start(), ...text(0, words), ...end('end_turn'))).toEqual([
      'model.unavailable',
      expect.stringMatching(/^127\.0\.0\.1:\d+ sent the call of a tool as text\. /),
    ])
  })

  test.each([
    'Servers of Qwen write <tool_call>{"name": "get_record"} in the middle of a line.',
    '<tool_call>\n{"name": "of_no_tool", "arguments": {}}\n</tool_call>',
  ])('is an answer where it only looks like one: %j', async (words) => {
    expect((await answered(start(), ...text(0, words), ...end('end_turn'))).text).toBe(words)
  })
})

describe('an account without credit', () => {
  test.each<[number, string | undefined, string]>([
    [400, undefined, 'Your credit balance is too low to access the Anthropic API.'],
    [402, undefined, 'Payment required'],
    [403, undefined, 'Insufficient balance'],
    [
      429,
      'insufficient_quota',
      'You exceeded your current quota, please check your plan and billing details.',
    ],
  ])('is told as that, at once: %i %s %s', async (status, type, message) => {
    api.always({ fault: 'status', status, message, ...(type && { type }) })
    const error = await ask(hello).catch((error: unknown) => error)

    expect(error).toMatchObject({ code: 'model.unpaid', message: expect.stringContaining(message) })
    expect(api.requests).toHaveLength(1)
  })
})
