import type { Message, StopReason } from '@anthropic-ai/sdk/resources/messages/messages'
import { describe, expect, test } from 'vitest'
import { decode as decodeAs } from '../../../core/model/decode.ts'
import type { EstimatedRequest } from '../../../core/model/estimate.ts'
import { message } from '../../../core/model/wire/reply.ts'

const asked: EstimatedRequest = {
  request: { system: [], messages: [], tools: [], toolChoice: 'auto', maxTokens: 10 },
  limits: { contextTokens: 200_000, maxOutputTokens: 64_000 },
  isAI: true,
}
const decode = (message: Parameters<typeof decodeAs>[0]) => decodeAs(message, asked)

const text = (text: string) => ({ type: 'text' as const, text })
const call = (id: string, input: unknown = { uid: 3 }) => ({
  type: 'tool_use' as const,
  id,
  name: 'get_record',
  input: input as object,
})

function answer(
  stop: StopReason | null,
  ...content: (ReturnType<typeof text> | ReturnType<typeof call>)[]
): Message {
  const request = { model: 'claude-sonnet-5-5', max_tokens: 10, messages: [] }
  const usage = { input: 10, output: 5, cacheRead: 3, cacheWrite: 2 }
  return { ...message('msg_1', request, { content, stop: stop ?? 'end_turn', usage }), stop_reason: stop }
}

const whole = (id: string) => ({ id, name: 'get_record', arguments: { uid: 3 } })

describe('decode', () => {
  test('tells text, calls and tokens, those of the cache among the input', () => {
    expect(decode(answer('tool_use', text('I look.'), call('a'), call('b')))).toEqual({
      text: 'I look.',
      calls: [whole('a'), whole('b')],
      stop: 'calls',
      usage: { input: 15, output: 5, cacheRead: 3, cacheWrite: 2 },
    })
  })

  test.each([
    ['end_turn', 'end'],
    ['stop_sequence', 'end'],
    ['pause_turn', 'end'],
    [null, 'end'],
    ['max_tokens', 'length'],
    ['refusal', 'refusal'],
    ['model_context_window_exceeded', 'context'],
  ] as const)('reads %s as %s', (reason, stop) => {
    expect(decode(answer(reason, text('Yes'))).stop).toBe(stop)
  })

  test.each([
    ['end_turn', [call('a')], { calls: [whole('a')], stop: 'calls' }],
    ['tool_use', [text('Yes')], { calls: [], stop: 'end' }],
    ['max_tokens', [call('a'), call('b')], { calls: [whole('a')], stop: 'length' }],
    ['max_tokens', [call('a'), text('cut')], { calls: [whole('a')], stop: 'length' }],
    ['model_context_window_exceeded', [call('a')], { calls: [], stop: 'context' }],
    ['refusal', [call('a')], { calls: [], stop: 'refusal' }],
  ] as const)('after %s decides by what is there: %j', (reason, content, expected) => {
    const { calls, stop } = decode(answer(reason, ...content))

    expect({ calls, stop }).toEqual(expected)
  })

  test('gives an empty text for an empty refusal', () => {
    expect(decode(answer('refusal')).text).toBe('')
  })

  test.each([
    [[text('One '), text('sentence.')], 'One sentence.'],
    [[text('Before.'), call('a'), text('After.')], 'Before.\n\nAfter.'],
    [[call('a'), text(' \n')], ''],
  ])('joins %j', (content, expected) => {
    expect(decode(answer('end_turn', ...content)).text).toBe(expected)
  })

  test.each<[string, unknown, object]>([
    ['JSON written twice', JSON.stringify(JSON.stringify({ uid: 3 })), { uid: 3 }],
    ['JSON as text', '{"uid":3}', { uid: 3 }],
    ['a list without members', [], {}],
    ['null', null, {}],
    ['no text at all', '', {}],
    ['a list', [1], { '(the arguments were no JSON object)': true }],
    ['a number', 3, { '(the arguments were no JSON object)': true }],
    ['text that is no JSON', '{uid: 3', { '(the arguments were no JSON object)': true }],
    [
      'a tower of objects',
      JSON.parse(`${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`),
      { '(the arguments were nested too deep)': true },
    ],
  ])('mends arguments, or leaves what no tool takes: %s', (_, input, expected) => {
    expect(decode(answer('tool_use', call('a', input))).calls).toEqual([
      { id: 'a', name: 'get_record', arguments: expected },
    ])
  })

  test.each<[unknown, unknown, object]>([
    [undefined, 'get_record', { id: 'call_1', name: 'get_record' }],
    [7, 'get_record', { id: 'call_7', name: 'get_record' }],
    ['', 'get_record', { id: 'call_1', name: 'get_record' }],
    ['__proto__', 'get_record', { id: 'call_1', name: 'get_record' }],
    ['constructor', 'get_record', { id: 'call_1', name: 'get_record' }],
    ['x'.repeat(8_001), 'get_record', { id: 'call_1', name: 'get_record' }],
    ['call_a__thought__b+/=', 'get_record', { id: 'call_a__thought__b+/=', name: 'get_record' }],
    ['a', undefined, { id: 'a', name: 'unnamed_tool' }],
    ['a', 3, { id: 'a', name: 'unnamed_tool' }],
    ['a', `${'x'.repeat(127)}💡`, { id: 'a', name: `${'x'.repeat(127)}\ufffd` }],
  ])('gives a call with the id %j and the name %j what is missing', (id, name, expected) => {
    const content = [{ type: 'tool_use', id, name, input: {} }]

    expect(decode({ content, stop_reason: 'tool_use' }).calls).toEqual([{ ...expected, arguments: {} }])
  })

  test.each<[string, unknown]>([
    ['is no list', { a: 1 }],
    ['is missing', undefined],
    ['holds null and numbers', [null, 3, 'x']],
    ['holds a text that is none', [{ type: 'text', text: 3 }, { type: 'text' }]],
  ])('is an empty answer when the content %s', (_, content) => {
    expect(decode({ content, stop_reason: 'end_turn' })).toMatchObject({ text: '', calls: [], stop: 'end' })
  })

  test.each([
    ['<think>I wonder.</think>\n\nYes', 'Yes'],
    ['\n<thinking>I wonder.</thinking>Yes', 'Yes'],
    ['<think> is a tag that marks a thought.', '<think> is a tag that marks a thought.'],
    ['I wonder.\n</think>\n\nYes', 'Yes'],
    ['Let me see.\n<think>\nI wonder.\n</think>\nYes', 'Let me see.\nYes'],
    ['Close it with </think> and go on', 'Close it with </think> and go on'],
    ['Like this:\n```\n<think>x\n</think>\n```', 'Like this:\n```\n<think>x\n</think>\n```'],
    ['Open it:\n<think> is the mark', 'Open it:\n<think> is the mark'],
    ['Write <think>x</think> in HTML', 'Write <think>x</think> in HTML'],
    ['<thinker>x</thinker>', '<thinker>x</thinker>'],
  ])('keeps thoughts out of a text: %j', (said, expected) => {
    expect(decode(answer('end_turn', text(said))).text).toBe(expected)
  })

  test.each([
    ['max_tokens', [text('<think>I wonder')], ''],
    ['tool_use', [text('<think>I look it up.'), call('a')], ''],
  ] as const)(
    'takes a thought that never ends for one where %s ends the answer',
    (stop, content, expected) => {
      expect(decode(answer(stop, ...content)).text).toBe(expected)
    },
  )
})
