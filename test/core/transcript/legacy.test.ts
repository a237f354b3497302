import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import * as Table from '../../../core/aws/table.ts'
import * as Item from '../../../core/conversation/item.ts'
import * as Row from '../../../core/conversation/row.ts'
import * as Legacy from '../../../core/transcript/legacy.ts'
import { type Bench, startBench, startedAt, type User } from '../../support/live.ts'
import { scan } from '../../support/scan.ts'
import { stored } from '../../support/seeded.ts'

let bench: Bench
let editor: User

beforeAll(async () => {
  bench = await startBench()
  editor = await bench.login('editor')
})
beforeEach(() => bench.api.always({ text: 'Answer.' }))
afterAll(() => bench.stop())

const transcript = (length: number): Item.LegacyMessage[] =>
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
  const it = await stored({ legacy: transcript(150) })
  const before = await editor.poll(it.id)
  await Legacy.move(it)
  // As if the process had ended before the last write.
  await Table.put(Item.encode(it))
  expect(await rowsOf(it.id)).toHaveLength(150)
  expect(await editor.poll(it.id)).toEqual(before)

  const moved = await Legacy.move(it)

  expect(moved).toMatchObject({ messageCount: 150, legacy: [], version: it.version + 1 })
  const after = await editor.poll(it.id)
  expect(after.messages).toEqual(before.messages)
  expect(await Row.read(it.id)).toEqual(moved)
})

test('of two who move it at once one wins, and nobody overwrites what came after', async () => {
  const it = await stored({ legacy: transcript(3) })
  const [first, second] = await Promise.all([Legacy.move(it), Legacy.move(it)])
  expect([first, second].filter((moved) => moved !== undefined)).toHaveLength(1)
  await editor.post('edit', {
    conversationId: it.id,
    sequence: 2,
    content: 'Edited',
    expectedContent: 'Old 2',
  })

  expect(await Legacy.move(it)).toBeUndefined()

  expect((await editor.poll(it.id)).messages.map(({ content }) => content)).toEqual([
    'Old 0',
    'Old 1',
    'Edited',
  ])
  await bench.settle()
})

test('attachments keep their fields and count; what is no text reads as empty, unknown roles as the assistant', async () => {
  const odd = { role: 'system', content: [{ type: 'text' }] } as unknown as Item.LegacyMessage
  const it = await stored()
  await Table.put({
    ...Item.encode(it),
    messages: [
      { role: 'user', content: 'See', fileUid: 7, fileName: 'a.pdf', fileMimeType: 'application/pdf', x: 1 },
      odd,
    ],
  } as Table.Row & Table.Key)

  const read = (await Row.read(it.id)) as Item.Conversation
  const createdAt = new Date(startedAt).toISOString()
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
    { sequence: 1, role: 'assistant', content: '', createdAt },
  ])
  expect((await Legacy.move(read))?.files).toEqual([[0, 7]])
})

test('a conversation without an old transcript stays as it is', async () => {
  const it = await stored()

  expect(await Legacy.move(it)).toBe(it)
})
