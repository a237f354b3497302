import { beforeEach, expect, test } from 'vitest'
import * as Table from '../../../../core/base/aws/table.ts'
import { config } from '../../../../core/base/config.ts'
import * as Conversations from '../../../../core/chat/conversation.ts'
import * as Item from '../../../../core/conversation/item.ts'
import * as Legacy from '../../../../core/conversation/legacy/into-rows.ts'
import * as Row from '../../../../core/conversation/row.ts'
import * as MessageItem from '../../../../core/conversation/transcript/item.ts'
import * as Transcript from '../../../../core/conversation/transcript/transcript.ts'
import { type Listener, upgrade } from '../../../../core/conversation/transcript/upgrade.ts'
import { actor } from '../../../support/actor.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const transcript: Item.Conversation['legacy'] = [
  {
    role: 'user',
    content: 'Which lamps do we sell?',
    fileUid: 7,
    fileName: 'a.pdf',
    fileMimeType: 'application/pdf',
  },
  { role: 'assistant', content: 'The Aurora lamp.' },
]
const silent: Listener = { progress: () => {}, damage: () => {}, failure: () => {} }

beforeEach(async () => {
  // Every test has the table for itself, since the upgrade reads all of it.
  const known = await all()
  await Table.removeAll(known.map(({ pk, sk }) => ({ pk, sk }) as Table.Key))
})

async function all(): Promise<Table.Row[]> {
  const { ScanCommand } = await import('@aws-sdk/lib-dynamodb')
  const { Items = [] } = await Table.documents().send(new ScanCommand({ TableName: config().table }))
  return Items
}

async function stored(changes: Partial<Item.Conversation> = {}): Promise<Item.Conversation> {
  const editor = actor({ uid: 2 })
  const conversation = { ...Item.empty(Conversations.newId(editor, now), now), ...changes }
  await Table.put(Item.encode(conversation))
  return conversation
}

const legacy = (changes: Partial<Item.Conversation> = {}) => stored({ legacy: transcript, ...changes })

async function read(id: string) {
  const conversation = (await Row.read(id)) as Item.Conversation
  const { messages } = await Transcript.part(conversation, 0, 1_000, false)
  return { it: conversation, messages }
}

test('moves old transcripts into rows that read like before, and finds nothing to do afterwards', async () => {
  const old = await legacy()
  const none = await stored()
  const before = await read(old.id)

  expect(await upgrade(false, silent)).toEqual({ migrated: 1, messages: 2, damaged: 0, failed: 0 })

  const after = await read(old.id)
  expect(after.messages).toEqual(before.messages)
  expect(after.it).toEqual({ ...old, legacy: [], messageCount: 2, version: 2, files: [[0, 7]] })
  expect((await read(none.id)).it).toEqual(none)
  expect(await upgrade(false, silent)).toEqual({ migrated: 0, messages: 0, damaged: 0, failed: 0 })
})

test('a dry run counts the same and writes nothing', async () => {
  await legacy()
  await legacy()
  const before = await all()

  expect(await upgrade(true, silent)).toEqual({ migrated: 2, messages: 4, damaged: 0, failed: 0 })

  expect(await all()).toEqual(before)
})

test('goes on where a run was killed between the rows and the column', async () => {
  const old = await legacy()
  const [first] = Legacy.messages(old)
  if (first) await Table.put(MessageItem.encode(old.id, first, old.cut))

  expect(await upgrade(false, silent)).toEqual({ migrated: 1, messages: 2, damaged: 0, failed: 0 })

  expect((await read(old.id)).messages).toEqual(Legacy.messages(old))
})

test('two upgrades at once move each conversation once', async () => {
  const ids: string[] = []
  for (let at = 0; at < 8; at++) ids.push((await legacy()).id)

  const reports = await Promise.all([upgrade(false, silent), upgrade(false, silent)])

  expect(reports.reduce((sum, { migrated }) => sum + migrated, 0)).toBe(8)
  for (const id of ids) expect((await read(id)).it).toMatchObject({ version: 2, messageCount: 2, legacy: [] })
})

test('who read a conversation before a user moved and edited it changes nothing any more', async () => {
  const old = await legacy()
  const moved = (await Legacy.move(old)) as Item.Conversation
  const edited = {
    sequence: 0,
    role: 'user',
    content: 'Which desks do we sell?',
    createdAt: old.createdAt,
  } as const
  const { write } = Row.change(moved, { messageCount: 1, cut: 1 })
  await Table.transact([write, Transcript.put({ id: old.id, path: [] }, edited)])

  expect(await Legacy.move(old)).toBeUndefined()

  expect((await read(old.id)).messages).toEqual([edited])
})

test('leaves running turns alone', async () => {
  await legacy()
  const running = await stored({ status: 'locked', requestId: 'a', messageCount: 3, progressAt: old(0) })

  await upgrade(false, silent)

  expect((await read(running.id)).it).toEqual(running)
})

const old = (ms: number) => new Date(now - ms).toISOString()

test('reads a table of many pages, and tells of its progress after each', async () => {
  const long = [{ role: 'user' as const, content: 'x'.repeat(300_000) }]
  for (let at = 0; at < 5; at++) await legacy({ legacy: long })
  const seen: number[] = []

  const report = await upgrade(false, { ...silent, progress: ({ migrated }) => seen.push(migrated) })

  expect(report).toEqual({ migrated: 5, messages: 5, damaged: 0, failed: 0 })
  expect(seen.length).toBeGreaterThan(1)
  expect(seen.at(-1)).toBe(5)
})

test.each([
  ['JSON text', JSON.stringify(transcript), 2, 0],
  ['no JSON text', 'x', 1, 1],
  ['a map', { role: 'user' }, 1, 1],
  ['an entry that is null', [null], 1, 1],
  ['a file uid with a fraction', [{ role: 'user', content: 'See', fileUid: 1.5 }], 1, 1],
])('a column that is %s is moved, reported, and found no more', async (_, messages, count, damaged) => {
  const old = await stored()
  await Table.put({ ...Item.encode(old), messages })
  await legacy()
  const named: string[] = []
  const listener = { ...silent, damage: (id: string) => named.push(id) }

  expect(await upgrade(true, listener)).toEqual({ migrated: 2, messages: 2 + count, damaged, failed: 0 })
  expect(await upgrade(false, listener)).toEqual({ migrated: 2, messages: 2 + count, damaged, failed: 0 })

  expect(named).toEqual(damaged ? [old.id, old.id] : [])
  expect((await Table.get(Item.key(old.id)))?.damaged).toEqual(damaged ? { messages } : {})
  expect(await upgrade(false, listener)).toEqual({ migrated: 0, messages: 0, damaged: 0, failed: 0 })
})

test.each([
  ['an empty text', ''],
  ['null', null],
  ['a text of an empty list', '[]'],
])('a column that is %s says nothing and is left alone', async (_, messages) => {
  const old = await stored()
  await Table.put({ ...Item.encode(old), messages })

  expect(await upgrade(false, silent)).toEqual({ migrated: 0, messages: 0, damaged: 0, failed: 0 })
})
