import { describe, expect, test } from 'vitest'
import { encodeMessages } from '../../../core/model/encode.ts'
import type { ModelRequest } from '../../../core/model/model.ts'
import { validate } from '../../../core/model/wire/validate.ts'

const cache_control = { type: 'ephemeral' }
const model = 'claude-sonnet-5-5'

function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    tools: [],
    toolChoice: 'auto',
    maxTokens: 1_000,
    ...more,
  }
}

describe('encode', () => {
  test('says everything in the words of the API, and nothing else', () => {
    const image = { type: 'image' as const, mimeType: 'image/png' as const, base64: 'iVBO' }
    const pdf = {
      type: 'document' as const,
      mimeType: 'application/pdf' as const,
      base64: 'JVBE',
      title: 'Offer',
    }
    const extra = { fileUid: 7 }
    const encoded = encodeMessages(
      model,
      request({
        system: [{ text: 'Identity' }, { text: 'Rules', cache: true }, { text: 'Today' }],
        messages: [
          { role: 'user', content: [image, pdf, { type: 'text', text: 'Compare', ...extra }] },
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'I look' },
              { type: 'tool_call', id: 'a', name: 'get_record', arguments: { uid: 3 } },
              { type: 'tool_call', id: 'b', name: 'get_record', arguments: {} },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', callId: 'a', text: 'found', isError: false },
              { type: 'tool_result', callId: 'b', text: '', isError: true },
            ],
          },
        ],
        tools: [{ name: 'get_record', description: 'Reads', schema: { type: 'object', properties: {} } }],
        toolChoice: 'none',
      }),
    )

    expect(encoded).toEqual({
      model,
      max_tokens: 1_000,
      system: [
        { type: 'text', text: 'Identity' },
        { type: 'text', text: 'Rules', cache_control },
        { type: 'text', text: 'Today' },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } },
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
              title: 'Offer',
            },
            { type: 'text', text: 'Compare', cache_control },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I look' },
            { type: 'tool_use', id: 'a', name: 'get_record', input: { uid: 3 } },
            { type: 'tool_use', id: 'b', name: 'get_record', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'found' },
            { type: 'tool_result', tool_use_id: 'b', content: '(no output)', is_error: true, cache_control },
          ],
        },
      ],
      tools: [{ name: 'get_record', description: 'Reads', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'none' },
    })
  })

  test('leaves out what is empty: no tools, no choice; no system prompt', () => {
    const { messages, ...rest } = encodeMessages(model, request({ system: [{ text: ' ' }] }))

    expect(messages).toHaveLength(1)
    expect(rest).toEqual({ model, max_tokens: 1_000 })
  })

  test('tells calls and results as text where there are no tools, each in its place', () => {
    const { messages } = encodeMessages(
      model,
      request({
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'What is [3]?' }] },
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'I look.' },
              { type: 'tool_call', id: 'a', name: 'get_record', arguments: { uid: 3, table: 'pages' } },
              { type: 'tool_call', id: 'b', name: 'get_record', arguments: {} },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', callId: 'a', text: 'found', isError: false },
              { type: 'tool_result', callId: 'b', text: 'gone', isError: true },
            ],
          },
        ],
      }),
    )

    expect(
      messages.slice(1).map(({ content }) => (content as { text: string }[]).map(({ text }) => text)),
    ).toEqual([
      ['I look.', '[Called get_record with {"table":"pages","uid":3}]', '[Called get_record with {}]'],
      ['[Result of a tool]\nfound', '[Result of a tool, an error]\ngone'],
    ])
  })

  test('never sets more than four breakpoints, the later ones of the system prompt and of the history', () => {
    const turn = (text: string): ModelRequest['messages'] => [
      { role: 'user', content: [{ type: 'text', text }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Yes' }] },
    ]
    const encoded = encodeMessages(
      model,
      request({
        system: ['a', 'b', 'c', 'd'].map((text) => ({ text, cache: true })),
        messages: [...turn('one'), ...turn('two'), ...turn('three').slice(0, 1)],
      }),
    )
    const marked = JSON.stringify(encoded).match(/"text":"\w+","cache_control"/g)

    expect(marked).toEqual(['c', 'd', 'two', 'three'].map((text) => `"text":"${text}","cache_control"`))
    expect(validate(encoded).ok).toBe(true)
  })

  test('sends no half of a surrogate pair', () => {
    const half = 'cut \ud83d'
    const encoded = encodeMessages(
      model,
      request({
        tools: [{ name: 'x', description: 'X', schema: { type: 'object' } }],
        messages: [
          { role: 'user', content: [{ type: 'text', text: half }] },
          {
            role: 'assistant',
            content: [{ type: 'tool_call', id: 'a', name: 'x', arguments: { deep: [{ text: half }] } }],
          },
          { role: 'user', content: [{ type: 'tool_result', callId: 'a', text: half, isError: false }] },
        ],
      }),
    )

    expect(JSON.stringify(encoded)).not.toContain('\\ud83d')
    expect(encoded.messages[1]?.content).toEqual([
      { type: 'tool_use', id: 'a', name: 'x', input: { deep: [{ text: 'cut \ufffd' }] } },
    ])
  })

  test('gives the same bytes for the same request', () => {
    const same = request({ tools: [{ name: 'x', description: 'X', schema: { type: 'object' } }] })

    expect(JSON.stringify(encodeMessages(model, same))).toBe(
      JSON.stringify(encodeMessages(model, structuredClone(same))),
    )
  })
})

describe('what changes with the open page', () => {
  const system = [
    { text: 'Identity', cache: 'hour' as const },
    { text: 'Rules', cache: true },
    { text: 'Open: [3]', late: true },
    { text: 'Be kind', late: true },
  ]
  const called: ModelRequest['messages'] = [
    { role: 'user', content: [{ type: 'text', text: 'What is [3]?' }] },
    {
      role: 'assistant',
      content: [{ type: 'tool_call', id: 'a', name: 'get_record', arguments: { uid: 3 } }],
    },
    { role: 'user', content: [{ type: 'tool_result', callId: 'a', text: 'found', isError: false }] },
  ]
  const tools = [{ name: 'get_record', description: 'Reads', schema: { type: 'object' } }]
  const later: ModelRequest['messages'] = [
    ...called,
    { role: 'assistant', content: [{ type: 'text', text: 'A lamp.' }] },
    { role: 'user', content: [{ type: 'text', text: 'And now?' }] },
  ]
  const more: ModelRequest['messages'] = [
    {
      role: 'assistant',
      content: [{ type: 'tool_call', id: 'b', name: 'get_record', arguments: { uid: 4 } }],
    },
    { role: 'user', content: [{ type: 'tool_result', callId: 'b', text: 'found', isError: false }] },
  ]
  const late = { role: 'system', content: ['Open: [3]', 'Be kind'].map((text) => ({ type: 'text', text })) }
  const manner = { systemMessages: true, hourCache: true }
  const rolesOf = (encoded: ReturnType<typeof encodeMessages>) => encoded.messages.map(({ role }) => role)

  test('goes behind the message that began the turn, and stays there while the turn runs', () => {
    const first = encodeMessages(model, request({ system, tools, messages: later }), manner)
    const running = encodeMessages(model, request({ system, tools, messages: [...later, ...more] }), manner)

    expect(first.messages.at(-1)).toEqual(late)
    expect(rolesOf(first)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'system'])
    expect(rolesOf(running).slice(4)).toEqual(['user', 'system', 'assistant', 'user'])
    expect(first.system).toEqual([
      { type: 'text', text: 'Identity', cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'text', text: 'Rules', cache_control },
    ])
    expect([validate(first), validate(running)]).toMatchObject([{ ok: true }, { ok: true }])
  })

  test('goes behind the newest message of the user where the turn before was stopped after a result', () => {
    const text = { type: 'text' as const, text: 'Rather this' }
    const last = called.at(-1) as Extract<ModelRequest['messages'][number], { role: 'user' }>
    const stopped = [...called.slice(0, -1), { ...last, content: [...last.content, text] }]
    const encoded = encodeMessages(model, request({ system, tools, messages: stopped }), manner)
    const running = encodeMessages(model, request({ system, tools, messages: [...stopped, ...more] }), manner)

    expect(rolesOf(encoded)).toEqual(['user', 'assistant', 'user', 'system'])
    expect(rolesOf(running)).toEqual(['user', 'assistant', 'user', 'system', 'assistant', 'user'])
    expect(validate(encoded)).toMatchObject({ ok: true })
  })

  test('stays in the system prompt, in its order, where the model takes no system messages', () => {
    const { system: all, messages } = encodeMessages(model, request({ system, tools, messages: later }))

    expect(all).toEqual([
      { type: 'text', text: 'Identity', cache_control },
      { type: 'text', text: 'Rules', cache_control },
      { type: 'text', text: 'Open: [3]' },
      { type: 'text', text: 'Be kind' },
    ])
    expect(messages.map(({ role }) => role)).not.toContain('system')
  })

  test('is behind the mark that the turn before has set, however many blocks that turn had', () => {
    const marks = (messages: ModelRequest['messages']) =>
      encodeMessages(model, request({ system, tools, messages }), manner).messages.flatMap(
        ({ content }, at) => (JSON.stringify(content).includes('cache_control') ? [at] : []),
      )

    expect(marks(called.slice(0, 1))).toEqual([0])
    expect(marks(called)).toEqual([0, 3])
    expect(marks(later)).toEqual([0, 4])
  })
})

describe('ids of calls', () => {
  const signed = `call_1__thought__${'aB+/'.repeat(200)}==`
  const called = (...ids: string[]) =>
    request({
      messages: [
        { role: 'user', content: [{ type: 'text', text: '?' }] },
        {
          role: 'assistant',
          content: ids.map((id) => ({ type: 'tool_call', id, name: 'get_record', arguments: {} })),
        },
        {
          role: 'user',
          content: ids.map((callId) => ({ type: 'tool_result', callId, text: 'x', isError: false })),
        },
      ],
      tools: [{ name: 'get_record', description: 'Reads', schema: { type: 'object', properties: {} } }],
    })
  const idsOf = (encoded: ReturnType<typeof encodeMessages>) =>
    encoded.messages
      .flatMap(({ content }) => content as unknown as Record<string, unknown>[])
      .flatMap(({ id, tool_use_id }) => [id, tool_use_id])
      .filter((id) => id !== undefined)

  test('go back letter by letter to a server that made them', () => {
    expect(idsOf(encodeMessages(model, called(signed), { ids: 'given' }))).toEqual([signed, signed])
  })

  test('have no character that Anthropic refuses, and stay different', () => {
    const encoded = encodeMessages(model, called('a+b', 'a/b', signed))
    const short = signed.replace(/[+/=]/g, '_').slice(0, 100)

    expect(idsOf(encoded)).toEqual(['a_b', 'a_b_2', short, 'a_b', 'a_b_2', short])
    expect(validate(encoded)).toMatchObject({ ok: true })
  })
})

test('effort and thinking are said where they are set, and only there', () => {
  const { output_config, thinking, ...rest } = encodeMessages(
    model,
    request({ reasoning: { effort: 'low', thinking: 'between_tools' } }),
  )

  expect({ output_config, thinking }).toEqual({
    output_config: { effort: 'low' },
    thinking: { type: 'between_tools' },
  })
  expect(rest).toEqual(encodeMessages(model, request()))
})
