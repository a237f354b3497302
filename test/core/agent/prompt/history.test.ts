import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildHistory, type HistoryOptions } from '../../../../core/agent/prompt/history.ts'
import { fixedTokensOf } from '../../../../core/agent/prompt/window.ts'
import type { Message, Notice } from '../../../../core/conversation/transcript/schema.ts'
import { encodeMessages } from '../../../../core/model/encode.ts'
import type { ModelMessage, UserBlock } from '../../../../core/model/model.ts'
import { validate } from '../../../../core/model/wire/validate.ts'

const system = [{ text: 'You are the assistant.' }]
const reading = [{ name: 'get_record', description: 'Reads a record.', schema: { type: 'object' } }]
const options: HistoryOptions = {
  fixedTokens: fixedTokensOf({ system, tools: reading }),
  maxTokens: 1_000,
  contextTokens: 100_000,
  expand: () => ({ blocks: [], tokens: 0 }),
}

type Draft = Omit<Message, 'sequence' | 'createdAt'>
const transcript = (...rows: Draft[]): Message[] =>
  rows.map((row, sequence) => ({ ...row, sequence, createdAt: '2026-01-01T00:00:00.000Z' }))
const user = (content: string): Draft => ({ role: 'user', content })
const assistant = (content: string, ...ids: string[]): Draft => ({
  role: 'assistant',
  content,
  runId: 'run',
  toolCalls: ids.map((id) => ({ id, name: 'get_record', arguments: { uid: 3 } })),
})
const tool = (toolCallId: string, content: string, isError = false): Draft => ({
  role: 'tool',
  content,
  toolCallId,
  toolName: 'get_record',
  isError,
})
const notice = (notice: Notice, content = 'A sentence for the user.'): Draft => ({
  role: 'assistant',
  content,
  notice,
})

const text = (text: string) => ({ type: 'text', text })
const call = (id: string) => ({ type: 'tool_call', id, name: 'get_record', arguments: { uid: 3 } })
const result = (callId: string, text: string, isError = false) => ({
  type: 'tool_result',
  callId,
  text,
  isError,
})
const notRun = (callId: string) => result(callId, 'This call was not run: the turn ended before it.', true)

const built = (...rows: Draft[]) => buildHistory(transcript(...rows), options).messages
const contents = (messages: ModelMessage[]) => messages.map(({ role, content }) => [role, content])

describe('rows become messages', () => {
  test('calls and results of earlier turns stay, field by field', () => {
    const messages = built(
      user('What is [3]?'),
      assistant('I look.', 'a'),
      tool('a', 'A lamp'),
      assistant('A lamp.'),
      user('Thanks'),
    )

    expect(messages).toEqual([
      { role: 'user', content: [text('What is [3]?')] },
      { role: 'assistant', content: [text('I look.'), call('a')] },
      { role: 'user', content: [result('a', 'A lamp')] },
      { role: 'assistant', content: [text('A lamp.')] },
      { role: 'user', content: [text('Thanks')] },
    ])
  })

  test('results have the order of the calls, before the text that follows', () => {
    const messages = built(
      user('?'),
      assistant('', 'a', 'b'),
      tool('b', 'B'),
      tool('a', 'A', true),
      user('and?'),
    )

    expect(contents(messages)).toEqual([
      ['user', [text('?')]],
      ['assistant', [call('a'), call('b')]],
      ['user', [result('a', 'A', true), result('b', 'B'), text('and?')]],
    ])
  })

  test('calls without a result are answered in one turn with the new text', () => {
    const messages = built(user('?'), assistant('', 'a', 'b', 'c'), tool('b', 'B'), user('again'))

    expect(contents(messages).at(-1)).toEqual([
      'user',
      [notRun('a'), result('b', 'B'), notRun('c'), text('again')],
    ])
  })

  test('a result that was stored behind the next message still answers its call', () => {
    const messages = built(user('?'), assistant('', 'a'), user('again'), tool('a', 'Written.'))

    expect(contents(messages).at(-1)).toEqual(['user', [result('a', 'Written.'), text('again')]])
  })

  test('ids that a model used twice become different, each with its own result', () => {
    const messages = built(
      user('?'),
      assistant('', 'a'),
      tool('a', '1'),
      assistant('', 'a', 'a'),
      tool('a', '2'),
      tool('a', '3'),
    )

    expect(contents(messages).slice(1)).toEqual([
      ['assistant', [call('a')]],
      ['user', [result('a', '1')]],
      ['assistant', [call('a_2'), call('a_3')]],
      ['user', [result('a_2', '2'), result('a_3', '3')]],
    ])
  })

  test.each<[string, Draft[], ModelMessage['content'][]]>([
    ['a result without a call', [user('?'), tool('x', 'X')], [[text('?')] as never]],
    ['an empty answer', [user('?'), assistant(' \n'), user('!')], [[text('?'), text('!')] as never]],
  ])('%s is dropped', (_, rows, left) => {
    expect(built(...rows).map(({ content }) => content)).toEqual(left)
  })

  test('an empty result says so', () => {
    expect(built(user('?'), assistant('', 'a'), tool('a', ' ')).at(-1)?.content).toEqual([
      result('a', '(no output)'),
    ])
  })

  test('a message without any text keeps its place', () => {
    expect(contents(built(user(' \n ')))).toEqual([['user', [text('(no text)')]]])
  })

  test('the request begins and ends with the user whatever the transcript', () => {
    expect(contents(built(assistant('Hello')))).toEqual([
      ['user', [text('(The beginning of the conversation is not shown.)')]],
      ['assistant', [text('Hello')]],
      ['user', [text('(Go on.)')]],
    ])
  })
})

describe('notices', () => {
  test.each<Notice>([
    'cancelled',
    'superseded',
    'expired',
    'archived',
    'deleted',
    'refused',
    'shortened',
    'summarised',
    'notUsed',
  ])('%s is never sent', (kind) => {
    expect(contents(built(user('?'), notice(kind), user('!')))).toEqual([['user', [text('?'), text('!')]]])
  })

  test.each<Notice>(['truncated', 'demo'])('%s marks an answer that is sent like any other', (kind) => {
    expect(contents(built(user('?'), notice(kind, 'Half'), user('!')))[1]).toEqual([
      'assistant',
      [text('Half')],
    ])
  })

  const undone = notice('undone', 'Undone: Aurora lamp [3].')
  const told =
    '[Note of the system, not of the user: changes that you made earlier in this conversation were taken back. Undone: Aurora lamp [3].]'

  test('an undo reaches the model with the next message', () => {
    expect(contents(built(user('?'), assistant('Done.'), undone, user('Why?'))).at(-1)).toEqual([
      'user',
      [text(told), text('Why?')],
    ])
  })

  test('an undo reaches the model that goes on with a failed turn', () => {
    expect(contents(built(user('?'), assistant('', 'a'), tool('a', 'Written.'), undone)).at(-1)).toEqual([
      'user',
      [result('a', 'Written.'), text(told)],
    ])
  })

  test('an undo reaches the model even where the turn before it no longer fits', () => {
    const rows = transcript(user('x'.repeat(9_000)), assistant('Done.'), undone, user('Why?'))

    const { messages, shortened } = buildHistory(rows, { ...options, contextTokens: 3_000 })

    expect(shortened).toBe(true)
    expect(contents(messages)).toEqual([
      [
        'user',
        [
          text(expect.stringMatching(/^\[Earlier turns .* left out\.\]\n.*\n- "x{700,750}"$/) as never),
          text(told),
          text('Why?'),
        ],
      ],
    ])
  })
})

describe('attachments', () => {
  const row: Draft = { ...user('Read this'), fileUid: 7, fileName: 'a.txt', fileMimeType: 'text/plain' }
  const blocks: UserBlock[] = [
    { type: 'text', text: 'Content of a.txt' },
    { type: 'text', text: ' ' },
  ]

  test('precede the text of their message, without empty blocks', () => {
    const { messages } = buildHistory(transcript(row), { ...options, expand: () => ({ blocks, tokens: 0 }) })

    expect(contents(messages)).toEqual([['user', [text('Content of a.txt'), text('Read this')]]])
  })

  test('are asked for where there is a file, alone', () => {
    const asked: (number | undefined)[] = []
    const expand = ({ fileUid }: Message) => {
      asked.push(fileUid)
      return { blocks: [], tokens: 0 }
    }

    buildHistory(transcript(user('?'), assistant('!'), row), { ...options, expand })

    expect(asked).toEqual([7])
  })

  test('may stand without any text', () => {
    const { messages } = buildHistory(transcript({ ...row, content: '' }), {
      ...options,
      expand: () => ({ blocks, tokens: 0 }),
    })

    expect(contents(messages)).toEqual([['user', [text('Content of a.txt')]]])
  })

  test('count against the window with their cost', () => {
    const rows = transcript(row, assistant('Read.'), user('And now?'))

    const { messages, shortened } = buildHistory(rows, {
      ...options,
      expand: () => ({ blocks, tokens: 200_000 }),
    })

    expect(shortened).toBe(true)
    expect(JSON.stringify(messages)).not.toContain('Content of a.txt')
  })
})

describe('whatever the transcript, the API takes the request', () => {
  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const content = fc.oneof(
    fc.constantFrom('', ' ', '\n\t', '\ud83d', 'Hello', '</data-x>'),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.nat(4_000).map((length) => 'long '.repeat(length)),
  )
  const id = fc.oneof(fc.constantFrom('a', 'b', 'a_2', 'toolu 1', ''), fc.string({ maxLength: 6 }))
  const block: fc.Arbitrary<UserBlock> = fc.oneof(
    content.map((text): UserBlock => ({ type: 'text', text })),
    fc.constant<UserBlock>({ type: 'image', mimeType: 'image/png', base64: pixel }),
  )
  const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined })
  const row = fc
    .record({
      role: fc.constantFrom('user', 'assistant', 'tool'),
      content,
      fileUid: optional(fc.nat()),
      toolCalls: optional(
        fc.array(
          fc.record({
            id,
            name: fc.oneof(fc.constant('get_record'), fc.string()),
            arguments: fc.dictionary(fc.string(), fc.jsonValue()),
          }),
          { maxLength: 4 },
        ),
      ),
      toolCallId: optional(id),
      isError: optional(fc.boolean()),
      notice: optional(
        fc.constantFrom(
          ...[
            'cancelled',
            'superseded',
            'expired',
            'refused',
            'truncated',
            'shortened',
            'summarised',
            'undone',
            'demo',
          ],
        ),
      ),
    })
    .map((fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)))

  test.each([
    [300, reading, null],
    [3_000, reading, null],
    [100_000, reading, null],
    [100_000, reading, 500],
    [100_000, reading, 5_000],
    [3_000, [], 1_000],
  ])('with a window of %i tokens, the tools %j and %s for history', (contextTokens, tools, historyTokens) => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 25 }), fc.array(block, { maxLength: 3 }), (rows, blocks) => {
        const { messages } = buildHistory(transcript(...(rows as Draft[])), {
          ...options,
          fixedTokens: fixedTokensOf({ system, tools }),
          contextTokens,
          historyTokens,
          maxTokens: 100,
          expand: () => ({ blocks, tokens: 50 }),
        })
        const request = { system, tools, maxTokens: options.maxTokens, messages, toolChoice: 'auto' as const }

        expect(
          validate(JSON.parse(JSON.stringify(encodeMessages('claude-sonnet-5-5', request)))),
        ).toMatchObject({
          ok: true,
        })
      }),
      { numRuns: 500 },
    )
  })
})
