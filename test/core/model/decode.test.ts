import type { Message, StopReason } from '@anthropic-ai/sdk/resources/messages/messages'
import { describe, expect, test } from 'vitest'
import { TransientError } from '../../../core/error.ts'
import { decode } from '../../../core/model/decode.ts'
import { message } from '../../../core/model/wire/reply.ts'

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

  test.each([[[1]], ['text'], [null], [3]])('asks again for arguments that are no object: %j', (input) => {
    expect(() => decode(answer('tool_use', call('a', input)))).toThrow(TransientError)
  })
})
