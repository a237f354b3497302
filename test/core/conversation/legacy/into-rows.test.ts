import { beforeEach, expect, test } from 'vitest'
import * as Table from '../../../../core/base/aws/table.ts'
import * as Item from '../../../../core/conversation/item.ts'
import * as Legacy from '../../../../core/conversation/legacy/into-rows.ts'
import * as Row from '../../../../core/conversation/row.ts'
import { bench, benched, editor } from '../../../support/benched.ts'
import { startedAt } from '../../../support/live.ts'
import { scan } from '../../../support/scan.ts'
import { stored } from '../../../support/seeded.ts'

benched()
beforeEach(() => bench.api.always({ text: 'Answer.' }))

const transcript = (length: number): Item.Conversation['legacy'] =>
  Array.from({ length }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `Old ${at}` }))

const rowsOf = async (id: string) =>
  (await scan()).filter(({ pk, sk }) => pk === Item.partition(id) && sk.startsWith('message#'))

test('an old transcript is moved by the first send, and the model reads all of it', async () => {
  const { id } = await stored({ legacy: transcript(4) })

  const { sequence } = await editor.send('New', { conversationId: id })
  await bench.settle()

  expect(sequence).toBe(4)
  const { messages, conversation } = await editor.poll(id)
  expect(messages.map(({ content }) => content)).toEqual([
    'Old 0',
    'Old 1',
    'Old 2',
    'Old 3',
    'New',
    'Answer.',
  ])
  expect(conversation.messageCount).toBe(6)
  expect((await Table.get(Item.key(id)))?.messages).toEqual([])
  expect(bench.api.requests.at(-1)?.body.messages).toHaveLength(5)
})

test('rename, pin and instructions do not touch it', async () => {
  const { id } = await stored({ legacy: transcript(2) })

  await editor.does('rename', id, { title: 'Renamed' })
  await editor.does('pin', id, { pinned: true })
  await editor.does('system-prompt', id, { systemPrompt: 'Brief.' })

  expect((await bench.row(id)).legacy).toHaveLength(2)
  expect(await rowsOf(id)).toEqual([])
  const seen = await editor.poll(id)
  expect([seen.messages.length, seen.systemPrompt]).toEqual([2, 'Brief.'])
})

test('what is interrupted between the rows and the conversation is moved again, and reads the same all the while', async () => {
  const conversation = await stored({ legacy: transcript(150) })
  const before = await editor.poll(conversation.id)
  await Legacy.move(conversation)
  // As if the process had ended before the last write.
  await Table.put(Item.encode(conversation))
  expect(await rowsOf(conversation.id)).toHaveLength(150)
  expect(await editor.poll(conversation.id)).toEqual(before)

  const moved = await Legacy.move(conversation)

  expect(moved).toMatchObject({ messageCount: 150, legacy: [], version: conversation.version + 1 })
  const after = await editor.poll(conversation.id)
  expect(after.messages).toEqual(before.messages)
  expect(await Row.read(conversation.id)).toEqual(moved)
})

test('of two writers that move it at once one wins, and the other overwrites nothing', async () => {
  const conversation = await stored({ legacy: transcript(3) })
  const [first, second] = await Promise.all([Legacy.move(conversation), Legacy.move(conversation)])
  expect([first, second].filter((moved) => moved !== undefined)).toHaveLength(1)
  await editor.post('edit', {
    conversationId: conversation.id,
    sequence: 2,
    content: 'Edited',
    expectedContent: 'Old 2',
  })

  expect(await Legacy.move(conversation)).toBeUndefined()

  expect((await editor.poll(conversation.id)).messages.map(({ content }) => content)).toEqual([
    'Old 0',
    'Old 1',
    'Edited',
  ])
  await bench.settle()
})

/** A stored conversation whose old column is as given. */
async function withColumn(messages: unknown): Promise<Item.Conversation> {
  const conversation = await stored()
  await Table.put({ ...Item.encode(conversation), messages })
  return (await Row.read(conversation.id)) as Item.Conversation
}

const createdAt = new Date(startedAt).toISOString()
const says = (conversation: Item.Conversation) =>
  Legacy.messages(conversation).map(({ sequence: _, createdAt: __, ...message }) => message)

test('attachments keep their fields and count; unknown roles read as the assistant', async () => {
  const read = await withColumn([
    { role: 'user', content: 'See', fileUid: 7, fileName: 'a.pdf', fileMimeType: 'application/pdf', x: 1 },
    { role: 'system', content: 'Be brief.' },
  ])

  expect(Legacy.messages(read)).toEqual([
    {
      sequence: 0,
      role: 'user',
      content: 'See',
      createdAt,
      fileUid: 7,
      fileName: 'a.pdf',
      fileMimeType: 'application/pdf',
    },
    { sequence: 1, role: 'assistant', content: 'Be brief.', createdAt },
  ])
  expect(read.unread).toEqual({})
  expect((await Legacy.move(read))?.files).toEqual([[0, 7]])
})

const call = { id: 'c1', name: 'get_record', arguments: { table: 'pages', uid: 3 } }
const whole: [what: string, column: unknown, messages: object[]][] = [
  ['an empty text', '', []],
  ['null', null, []],
  ['JSON text', '[{"role":"user","content":"Hi"}]', [{ role: 'user', content: 'Hi' }]],
  [
    'calls and results in fields of their own',
    [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', content: 'Page 3', tool_call_id: 'c1', tool_name: 'get_record', is_error: false },
    ],
    [
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', content: 'Page 3', toolCallId: 'c1', toolName: 'get_record', isError: false },
    ],
  ],
  [
    'calls of the Chat Completions API',
    [
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          {
            id: 'c1',
            type: 'function',
            function: { name: 'get_record', arguments: JSON.stringify(call.arguments) },
          },
        ],
      },
    ],
    [{ role: 'assistant', content: '', toolCalls: [call] }],
  ],
  [
    'calls as JSON text, with numbers as ids',
    [
      { role: 'assistant', content: 'I look.', tool_calls: JSON.stringify([{ ...call, id: 7 }]) },
      { role: 'tool', content: 'Page 3', tool_call_id: 7 },
    ],
    [
      { role: 'assistant', content: 'I look.', toolCalls: [{ ...call, id: '7' }] },
      { role: 'tool', content: 'Page 3', toolCallId: '7' },
    ],
  ],
  [
    'text, calls and results among the parts of a content',
    [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'c1', name: 'get_record', input: call.arguments },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'Page 3' }] },
          { type: 'text', text: 'Go on.' },
        ],
      },
    ],
    [
      { role: 'assistant', content: 'I look.', toolCalls: [call] },
      { role: 'tool', content: 'Page 3', toolCallId: 'c1' },
      { role: 'user', content: 'Go on.' },
    ],
  ],
]

test.each(whole)('%s is carried over whole', async (_, column, messages) => {
  const conversation = await withColumn(column)

  expect([says(conversation), conversation.unread]).toEqual([messages, {}])
})

const unreadable = { role: 'assistant', content: '', notice: 'unreadable' }
const damaged: [what: string, column: unknown, messages: object[]][] = [
  ['no JSON text', 'x', [unreadable]],
  ['a map', { role: 'user', content: 'Hi' }, [unreadable]],
  ['a number', 7, [unreadable]],
  ['a text instead of an entry', ['x'], [{ role: 'assistant', content: 'x' }]],
  [
    'null instead of an entry',
    [null, { role: 'user', content: 'Hi' }],
    [unreadable, { role: 'user', content: 'Hi' }],
  ],
  [
    'a file uid with a fraction',
    [{ role: 'user', content: 'See', fileUid: 1.5 }],
    [{ role: 'user', content: 'See' }],
  ],
  ['a content that is a map', [{ role: 'user', content: { a: 1 } }], [unreadable]],
  [
    'calls without an id or a name',
    [{ role: 'assistant', content: 'I look.', tool_calls: [{ name: 'get_record' }, { id: 'c2' }, call] }],
    [{ role: 'assistant', content: 'I look.', toolCalls: [call] }],
  ],
]

test.each(damaged)(
  '%s: the rest is carried over, and the column is kept beside',
  async (_, column, messages) => {
    const conversation = await withColumn(column)
    expect(says(conversation)).toEqual(messages)
    expect((await editor.poll(conversation.id)).messages).toEqual(Legacy.messages(conversation))

    await editor.does('rename', conversation.id, { title: 'Renamed' })
    expect((await Table.get(Item.key(conversation.id)))?.messages).toEqual(column)
    await Legacy.move(await bench.row(conversation.id))

    const row = await Table.get(Item.key(conversation.id))
    expect([row?.messages, row?.damaged]).toEqual([[], { messages: column }])
    expect(await bench.row(conversation.id)).toMatchObject({
      legacy: [],
      unread: {},
      messageCount: messages.length,
    })
    expect((await editor.poll(conversation.id)).messages).toEqual(Legacy.messages(conversation))
  },
)

test('a conversation without an old transcript stays as it is', async () => {
  const conversation = await stored()

  expect(await Legacy.move(conversation)).toBe(conversation)
})
