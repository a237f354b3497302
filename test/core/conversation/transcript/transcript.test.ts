import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as Table from '../../../../core/base/aws/table.ts'
import * as Item from '../../../../core/conversation/item.ts'
import * as Row from '../../../../core/conversation/row.ts'
import * as Activity from '../../../../core/conversation/transcript/activity.ts'
import { decode, encode } from '../../../../core/conversation/transcript/item.ts'
import * as Pending from '../../../../core/conversation/transcript/pending.ts'
import type { Message } from '../../../../core/conversation/transcript/schema.ts'
import * as Transcript from '../../../../core/conversation/transcript/transcript.ts'
import { startedAt } from '../../../support/live.ts'
import { scan } from '../../../support/scan.ts'
import { stored, storedWith } from '../../../support/seeded.ts'

const createdAt = new Date(startedAt).toISOString()
const texts = (messages: { content: string }[]) => messages.map(({ content }) => content)

describe('a stored message', () => {
  test.each<[string, Partial<Message>]>([
    [
      'of a user, with a file',
      { role: 'user', fileUid: 3, fileName: 'a.pdf', fileMimeType: 'application/pdf' },
    ],
    [
      'with calls',
      { role: 'assistant', runId: 'r', toolCalls: [{ id: 'a', name: 'get_record', arguments: { uid: 3 } }] },
    ],
    [
      'of a tool',
      {
        role: 'tool',
        toolCallId: 'a',
        toolName: 'get_record',
        runId: 'r',
        outcome: 'done',
        records: [{ table: 'news', uid: 8, title: 'Winter', page: 7 }],
        count: 3,
      },
    ],
    [
      'of a call that was denied',
      {
        role: 'tool',
        toolCallId: 'a',
        isError: true,
        outcome: 'denied',
        approved: false,
        remark: 'Not now.',
      },
    ],
    [
      'of an undo',
      {
        role: 'assistant',
        notice: 'undone',
        records: [{ table: 'news', uid: 8, title: 'Winter' }],
        conflicts: [{ table: 'news', uid: 7, title: '', reason: 'Changed since.' }],
      },
    ],
    ['with a notice', { role: 'assistant', notice: 'cancelled' }],
  ])('%s reads as it was written', async (_, more) => {
    const message: Message = { sequence: 4, role: 'user', content: 'Text', createdAt, ...more }
    const { id } = await stored()

    await Table.put(encode(id, message, 0))

    const [row] = (await scan()).filter(
      ({ pk, sk }) => pk === Item.partition(id) && sk.startsWith('message#'),
    )
    expect(row && decode(row)).toEqual(message)
  })

  test('takes whatever arguments a model comes up with', async () => {
    const { id } = await stored()
    // The schema leaves this name out.
    const name = fc.string().filter((text) => text !== '__proto__')
    let deep: unknown = 'bottom'
    for (let level = 0; level < 60; level++) deep = { deep }

    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, fc.jsonValue()), async (args) => {
        const toolCalls = [{ id: 'a', name: 'b', arguments: { ...args, huge: 1e300, tiny: 1e-300, deep } }]
        const message: Message = { sequence: 0, role: 'assistant', content: '', createdAt, toolCalls }
        await Table.put(encode(id, message, 0))
        const row = await Table.get({ pk: Item.partition(id), sk: 'message#00000000' })
        expect(row && decode(row)).toEqual(JSON.parse(JSON.stringify(message)))
      }),
      { numRuns: 25 },
    )
  })
})

describe('append', () => {
  test('puts rows behind the stored ones; they count when the conversation says so', async () => {
    const conversation = await storedWith(['One'])
    const rows = [
      { role: 'assistant' as const, content: 'Two', createdAt },
      { role: 'user' as const, content: 'Three', createdAt },
    ]

    await Table.transact(Transcript.append(conversation, rows))
    expect(texts((await Transcript.part(conversation, 0, 10, false)).messages)).toEqual(['One'])
    expect(await Transcript.at(conversation, 1)).toBeUndefined()

    const { next, write } = Row.change(conversation, { messageCount: 3 })
    await Table.transact([write])
    expect(
      (await Transcript.part(next, 0, 10, false)).messages.map(({ sequence, content }) => [
        sequence,
        content,
      ]),
    ).toEqual([
      [0, 'One'],
      [1, 'Two'],
      [2, 'Three'],
    ])
    expect(await Transcript.at(next, 2)).toMatchObject({ content: 'Three' })
  })
})

describe('opening', () => {
  const pending: Pending.Proposed = {
    runId: 'run',
    digest: 'd',
    until: createdAt,
    open: [{ id: 'a', name: 'update_record' }],
    versions: {},
    definitions: {},
    calls: [{ id: 'a', tool: 'update_record', title: 'T', arguments: { deep: { n: 1e300 } }, preview: null }],
  }

  test('of a short transcript is all of it, with its side rows', async () => {
    const conversation = await storedWith(['One', 'Two'], {
      activityKey: 'turn',
      hasPrompt: true,
      awaitingUntil: createdAt,
    })
    await Table.transact([
      ...Pending.store(conversation.id, pending),
      Transcript.instruct(conversation.id, 'Be brief.'),
    ])
    const step = { kind: 'llm' as const, round: 1, ms: 1 }
    await Activity.write({ ...conversation, claim: 1 }, [step], 0)

    const opened = await Transcript.opening(conversation, 1_000)

    expect({ ...opened, messages: texts(opened.messages) }).toEqual({
      messages: ['One', 'Two'],
      pending: { ...pending, decision: undefined, items: 1 },
      systemPrompt: 'Be brief.',
      activity: { entries: [step], version: 1 },
    })
  })

  test('of a long one is its end, in order, however the pages of the table fall', async () => {
    const conversation = await storedWith(
      Array.from({ length: 40 }, (_, at) => `${at} ${'x'.repeat(100_000)}`),
    )

    const all = (await Transcript.opening(conversation, 100_000_000)).messages
    const some = (await Transcript.opening(conversation, 1_200_000)).messages

    expect(all.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 40 }, (_, at) => at))
    expect(some.length).toBeGreaterThanOrEqual(12)
    expect(some.length).toBeLessThan(40)
    expect(some).toEqual(all.slice(-some.length))
  })

  test.each<[string, Item.Conversation['path']]>([
    ['on one branch', []],
    ['on a branch of its own', [[1, 2]]],
  ])('of a turn longer than the limit reaches back to its question, %s', async (_, path) => {
    const results = Array.from({ length: 30 }, (_, at): Partial<Message> => {
      return { role: 'tool', runId: 'run', content: `${at} ${'x'.repeat(100_000)}` }
    })
    const conversation = await storedWith(['Which pages name it?', ...results], { path })

    const { messages } = await Transcript.opening(conversation, 1_200_000)

    expect(messages.map(({ sequence }) => sequence)).toEqual([0, ...results.map((_, at) => at + 1)])
  })

  test('leaves out rows that do not count', async () => {
    const conversation = await storedWith(['One', 'Left over', 'And this'])

    expect(texts((await Transcript.opening({ ...conversation, messageCount: 1 }, 1_000)).messages)).toEqual([
      'One',
    ])
  })
})

describe('a path through branches', () => {
  test('is read as one transcript, from the start, in part, from the end, and by sequence', async () => {
    const conversation = await storedWith(['One', 'Answer one', 'Two', 'Answer two', 'Three'])
    const path: Item.Conversation['path'] = [
      [1, 2],
      [4, 3],
    ]
    const now = { ...conversation, path, messageCount: 5, hasPrompt: true }
    const message = (sequence: number, content: string): Message => ({
      sequence,
      role: 'user',
      content,
      createdAt,
    })
    await Table.transact([
      Transcript.put({ id: conversation.id, path: [[1, 2]] }, message(2, 'Two edited')),
      Transcript.put({ id: conversation.id, path: [[1, 2]] }, message(3, 'On another branch')),
      ...['Three', 'Four'].map((text, at) => Transcript.put(now, message(3 + at, `${text} edited`))),
      Transcript.instruct(conversation.id, 'Be brief.'),
    ])
    const all = ['One', 'Answer one', 'Two edited', 'Three edited', 'Four edited']

    const whole = await Transcript.part(now, 0, 10, true)
    expect([texts(whole.messages), whole.systemPrompt]).toEqual([all, 'Be brief.'])
    expect(texts((await Transcript.part(now, 1, 4, false)).messages)).toEqual(all.slice(1, 4))
    const opening = await Transcript.opening(now, 10_000)
    expect([texts(opening.messages), opening.systemPrompt]).toEqual([all, 'Be brief.'])
    expect(texts((await Transcript.opening(now, 300)).messages)).toEqual(all.slice(3))
    expect((await Transcript.at(now, 2))?.content).toBe('Two edited')
    expect(texts((await Transcript.part(conversation, 0, 10, false)).messages)).toEqual([
      'One',
      'Answer one',
      'Two',
      'Answer two',
      'Three',
    ])
  })
})
