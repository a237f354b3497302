import { describe, expect, test } from 'vitest'
import { validate } from '../../../../core/model/wire/validate.ts'
import {
  assistant,
  type Body,
  body,
  image,
  model,
  pages,
  pdf,
  result,
  text,
  use,
  user,
  verdict,
} from './request.ts'

const tool = (name = 'get_record', more: Body = {}) => ({
  name,
  description: 'Reads',
  input_schema: { type: 'object', properties: {} },
  ...more,
})
const cached = (ttl?: string) => ({ cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } })

const open = (ids: string, at = 1) =>
  `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`

describe('tool calls and their results', () => {
  test.each<[string, unknown[], string]>([
    ['a call with its result', [user(text()), assistant(use('a')), user(result('a'))], 'accepted'],
    ['a call without one', [user(text()), assistant(use('a')), user(text())], open('a')],
    ['one of two without', [user(text()), assistant(use('a'), use('b')), user(result('a'))], open('b')],
    ['text behind the result', [user(text()), assistant(use('a')), user(result('a'), text())], 'accepted'],
    ['text before the result', [user(text()), assistant(use('a')), user(text(), result('a'))], open('a')],
    [
      'results in two messages of one turn',
      [user(text()), assistant(use('a'), use('b')), user(result('a')), user(result('b'))],
      'accepted',
    ],
    [
      'a result of no call',
      [user(text()), assistant(text()), user(result('a'))],
      'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
    ],
    [
      'two results of one call',
      [user(text()), assistant(use('a')), user(result('a'), result('a'))],
      'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
    ],
    [
      'an id that comes twice',
      [user(text()), assistant(use('a')), user(result('a')), assistant(use('a')), user(result('a'))],
      'messages.3.content.0: `tool_use` ids must be unique',
    ],
    [
      'an error result with text',
      [user(text()), assistant(use('a')), user(result('a', { is_error: true, content: [text()] }))],
      'accepted',
    ],
    [
      'an error result with an image',
      [
        user(text()),
        assistant(use('a')),
        user(result('a', { is_error: true, content: [image('image/png', 'aGVsbG8h')] })),
      ],
      'messages.2.content.0: all content must be type "text" if "is_error" is true',
    ],
    [
      'a result without content',
      [user(text()), assistant(use('a')), user({ type: 'tool_result', tool_use_id: 'a' })],
      'accepted',
    ],
  ])('%s', (_, messages, expected) => {
    expect(verdict(body({}, ...messages))).toBe(expected)
  })
})

describe('text and turns', () => {
  test.each<[string, unknown[], string]>([
    ['a string for one text', [{ role: 'user', content: 'Hello' }], 'accepted'],
    ['an empty text', [user(text(''))], 'messages: text content blocks must be non-empty'],
    ['spaces alone', [user(text(' \n'))], 'messages: text content blocks must contain non-whitespace text'],
    [
      'no content',
      [user(), assistant(text()), user(text())],
      'messages.0: all messages must have non-empty content except for the optional final assistant message',
    ],
    [
      'the assistant first',
      [assistant(text()), user(text())],
      'messages: first message must use the "user" role',
    ],
    ['two of a role in a row', [user(text()), user(text())], 'accepted'],
    [
      'a document of the assistant',
      [user(text()), assistant(pdf(pages(1))), user(text())],
      'messages.1.content.0: `document` blocks are not permitted in `assistant` messages',
    ],
    [
      'citations of the user',
      [user(text('Hello', { citations: [{}] }))],
      'messages.0.content.0.text.citations: citations are not permitted in `user` messages',
    ],
    [
      'a thought without its signature',
      [user(text()), assistant({ type: 'thinking', thinking: 'x', signature: '' }, text()), user(text())],
      'messages.1.content.0: Invalid `signature` in `thinking` block',
    ],
  ])('%s', (_, messages, expected) => {
    expect(verdict(body({}, ...messages))).toBe(expected)
  })

  const noPrefill =
    'This model does not support assistant message prefill. The conversation must end with a user message.'
  test.each([
    ['claude-sonnet-5-5', 'Yes', noPrefill],
    ['claude-haiku-4-5', 'Yes', 'accepted'],
    ['claude-haiku-4-5', 'Yes ', 'messages: final assistant content cannot end with trailing whitespace'],
  ])('%s is given the beginning “%s” of its answer', (id, beginning, expected) => {
    expect(verdict(body({ model: id }, user(text()), assistant(text(beginning))))).toBe(expected)
  })

  test('an empty last turn of the assistant is a prefill of nothing', () => {
    expect(verdict(body({ model: 'claude-haiku-4-5' }, user(text()), assistant()))).toBe('accepted')
  })
})

describe('a system message within the messages', () => {
  const note = { role: 'system', content: 'Open: [3]' }
  const misplaced =
    'messages.2: a system message must follow a user message, and be last or be followed by an assistant message'

  test.each<[string, string, unknown[], string]>([
    ['last', 'claude-opus-4-8', [user(text()), note], 'accepted'],
    [
      'before an answer',
      'claude-opus-4-8',
      [user(text()), note, assistant(text()), user(text())],
      'accepted',
    ],
    [
      'behind results',
      'claude-opus-4-8',
      [user(text()), assistant(use('a')), user(result('a')), note],
      'accepted',
    ],
    [
      'for an older model',
      'claude-opus-4-7',
      [user(text()), note],
      "role 'system' is not supported on this model",
    ],
    [
      'first',
      'claude-opus-4-8',
      [note, user(text())],
      "messages.0: use the top-level 'system' parameter for the initial system prompt",
    ],
    ['behind an answer', 'claude-opus-4-8', [user(text()), assistant(text()), note, user(text())], misplaced],
    ['behind another', 'claude-opus-4-8', [user(text()), note, note], misplaced.replace('2', '1')],
  ])('%s, to %s', (_, model, messages, expected) => {
    expect(verdict(body({ model }, ...messages))).toBe(expected)
  })
})

describe('fields', () => {
  test.each<[string, Body, string]>([
    ['nothing more than needed', body(), 'accepted'],
    ['temperature', body({ temperature: 1 }), 'temperature: Extra inputs are not permitted'],
    ['top_p', body({ top_p: 1 }), 'top_p: Extra inputs are not permitted'],
    ['top_k', body({ top_k: 1 }), 'top_k: Extra inputs are not permitted'],
    [
      'a field of ours on a message',
      body({}, { ...user(text()), fileUid: 3 }),
      'messages.0.fileUid: Extra inputs are not permitted',
    ],
    [
      'a field of ours on a block',
      body({}, user(text()), assistant(use('a', { index: 0 })), user(result('a'))),
      'messages.1.content.0.tool_use.index: Extra inputs are not permitted',
    ],
    ['no max_tokens', { model, messages: [user(text())] }, 'max_tokens: Field required'],
    ['max_tokens as text', body({ max_tokens: '5' }), 'max_tokens: Input should be a valid number'],
    [
      'more than the model gives',
      body({ max_tokens: 128_001 }),
      `max_tokens: 128001 > 128000, which is the maximum allowed number of output tokens for ${model}`,
    ],
    ['no messages', body({ messages: [] }), 'messages: at least 1 message is required'],
    ['an unknown model', body({ model: 'gpt-9' }), 'model: gpt-9'],
    ['an inference profile of Bedrock', body({ model: 'global.anthropic.claude-sonnet-5-5' }), 'accepted'],
    [
      'an unknown kind of block',
      body({}, user({ type: 'video' })),
      'messages.0.content.0: Input tag does not match any of the expected tags',
    ],
    [
      'a role that is none',
      body({}, { role: 'tool', content: 'x' }),
      "messages.0.role: Input should be 'user', 'assistant' or 'system'",
    ],
    [
      'a prompt beyond the window',
      body({ model: 'claude-haiku-4-5' }, user(text('word '.repeat(170_000)))),
      'prompt is too long: 212517 tokens > 200000 maximum',
    ],
    [
      'thinking within the tokens',
      body({ max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 1024 } }),
      'accepted',
    ],
    [
      'thinking beyond the tokens',
      body({ max_tokens: 1024, thinking: { type: 'enabled', budget_tokens: 1024 } }),
      '`max_tokens` must be greater than `thinking.budget_tokens`',
    ],
    [
      'thinking too little',
      body({ thinking: { type: 'enabled', budget_tokens: 10 } }),
      'thinking.budget_tokens: Input should be greater than or equal to 1024',
    ],
  ])('%s', (_, request, expected) => {
    expect(verdict(request)).toBe(expected)
  })

  test('says of an unknown model that it was not found', () => {
    expect(validate(body({ model: 'gpt-9' }))).toEqual({
      ok: false,
      refusal: { status: 404, type: 'not_found_error', message: 'model: gpt-9' },
    })
  })
})

describe('tools', () => {
  test.each<[string, Body, string]>([
    ['two of them', { tools: [tool('a'), tool('b')] }, 'accepted'],
    ['one name twice', { tools: [tool('a'), tool('a')] }, 'tools: Tool names must be unique.'],
    [
      'a name with a dot',
      { tools: [tool('a.b')] },
      "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ],
    [
      'a schema without type',
      { tools: [tool('a', { input_schema: {} })] },
      'tools.0.custom.input_schema.type: Field required',
    ],
    [
      'a choice without tools',
      { tool_choice: { type: 'auto' } },
      'tool_choice: `tool_choice` may only be specified while providing `tools`.',
    ],
    ['none of them to be used', { tools: [tool()], tool_choice: { type: 'none' } }, 'accepted'],
    [
      'one that is not there',
      { tools: [tool()], tool_choice: { type: 'tool', name: 'b' } },
      "tool_choice: Tool 'b' not found in provided tools",
    ],
  ])('%s', (_, more, expected) => {
    expect(verdict(body(more))).toBe(expected)
  })
})

describe('cache breakpoints', () => {
  const system = (...ttls: (string | undefined)[]) => ({ system: ttls.map((ttl) => text('x', cached(ttl))) })
  test.each<[string, Body, string]>([
    ['four', { ...system(undefined, undefined), tools: [tool('a', cached())], ...cached() }, 'accepted'],
    [
      'five, the automatic one among them',
      { ...system(undefined, undefined, undefined), tools: [tool('a', cached())], ...cached() },
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    ],
    ['an hour before five minutes', system('1h', '5m'), 'accepted'],
    [
      'five minutes before an hour',
      system('5m', '1h'),
      "cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
    ],
  ])('%s', (_, more, expected) => {
    expect(verdict(body(more))).toBe(expected)
  })
})
