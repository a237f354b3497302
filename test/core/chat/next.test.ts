import { beforeEach, describe, expect, test } from 'vitest'
import * as Table from '../../../core/aws/table.ts'
import * as Quota from '../../../core/conversation/quota.ts'
import type { NextMessage, Summary } from '../../../core/conversation/schema.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { gate } from '../../support/live.ts'
import { storedWith } from '../../support/seeded.ts'

type Queued = { conversation: Summary; next: NextMessage[]; error?: { code: string } }

benched({ maxConversationsPerUser: null })
beforeEach(async () => {
  await bench.configure({ maxConversationsPerUser: null })
  bench.api.always({ text: 'Answer.' })
})

const change = (conversationId: string, more: object, key?: string) =>
  editor.post<Queued>('next', { conversationId, ...more }, key ? { key } : {})
const add = async (conversationId: string, content: string, key?: string) =>
  (await change(conversationId, { act: 'add', content }, key)).body
const contents = async (id: string) => (await editor.poll(id)).messages.map(({ content }) => content)
const waiting = async (id: string) => (await editor.poll(id)).next.map(({ content }) => content)
const proposal = {
  calls: [{ name: 'update_record', arguments: { table: 'pages', uid: 3, fields: { title: 'New' } } }],
}

/** A conversation whose turn is queued. */
const running = async () => (await editor.send('First')).conversation.id

describe('messages written while a turn runs', () => {
  test('wait, are shown to every reader under a new version, and are sent in their order', async () => {
    const id = await running()
    const before = await editor.poll(id)
    const answer = await add(id, 'Second')
    await add(id, 'Third')

    expect(answer.next).toEqual([{ id: expect.any(String), content: 'Second' }])
    const polled = await editor.poll(id, { version: before.conversation.version })
    expect([polled.unchanged, polled.next.map(({ content }) => content)]).toEqual([
      false,
      ['Second', 'Third'],
    ])
    expect(await bench.settle()).toEqual(['done', 'done', 'done'])
    expect(await contents(id)).toEqual(['First', 'Answer.', 'Second', 'Answer.', 'Third', 'Answer.'])
    expect(await waiting(id)).toEqual([])
  })

  test('can be changed and removed while they wait', async () => {
    const id = await running()
    const [first] = (await add(id, 'Wrong')).next
    const second = (await add(id, 'Superfluous')).next.at(-1)

    await change(id, { act: 'edit', id: first?.id, content: 'Right' })
    expect((await change(id, { act: 'remove', id: second?.id })).body.next).toEqual([
      { id: first?.id, content: 'Right' },
    ])
    expect((await change(id, { act: 'remove', id: second?.id })).status).toBe(200)
    await bench.settle()
    expect(await contents(id)).toEqual(['First', 'Answer.', 'Right', 'Answer.'])
  })

  test('are at most five', async () => {
    const id = await running()
    for (const content of ['1', '2', '3', '4', '5']) await add(id, content)

    expect(await change(id, { act: 'add', content: '6' })).toMatchObject({
      status: 409,
      body: { error: { code: 'message.tooManyNext' } },
    })
    await bench.settle()
    expect(await waiting(id)).toEqual([])
  })

  test('twenty at once with one key are one message', async () => {
    const id = await running()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => change(id, { act: 'add', content: 'Once' }, 'one-key')),
    )

    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(await waiting(id)).toEqual(['Once'])
    await bench.settle()
  })

  test('are sent at once where no turn runs any more', async () => {
    const id = (await editor.turn('First')).conversation.id

    expect(await add(id, 'Late')).toMatchObject({ conversation: { status: 'processing' }, next: [] })
    await bench.settle()
    expect(await contents(id)).toEqual(['First', 'Answer.', 'Late', 'Answer.'])
  })

  test('go with their file, which is given back when they are removed', async () => {
    const form = () => {
      const data = new FormData()
      data.set('file', new Blob(['Notes.'], { type: 'text/plain' }), 'notes.txt')
      return data
    }
    const upload = async () =>
      (await editor.ask<{ fileUid: number }>('/ai-chat/file-upload', { form: form() })).body.fileUid
    const id = await running()
    const [kept, dropped] = [await upload(), await upload()]
    await change(id, { act: 'add', content: '', fileUid: kept })
    const row = (await change(id, { act: 'add', content: 'x', fileUid: dropped })).body.next.at(-1)
    await change(id, { act: 'remove', id: row?.id })
    await bench.settle()

    expect((await editor.poll(id)).messages[2]).toMatchObject({ fileUid: kept, fileName: 'notes.txt' })
    expect(await Table.get({ pk: 'user#2', sk: `file#${dropped}` })).not.toHaveProperty('conversations')
  })
})

describe('messages that wait stay', () => {
  test('behind a turn that failed, until the user sends one', async () => {
    const id = await running()
    bench.api.reset()
    bench.api.always({ fault: 'status', status: 400 })
    const [row] = (await add(id, 'Second')).next
    expect(await bench.settle()).toEqual(['failed'])
    await bench.cleanup()
    expect([await waiting(id), (await bench.row(id)).status]).toEqual([['Second'], 'failed'])

    bench.api.reset()
    bench.api.always({ text: 'Answer.' })
    expect((await change(id, { act: 'send', id: row?.id })).body).toMatchObject({
      conversation: { status: 'processing' },
      next: [],
    })
    await bench.settle()
    expect(await contents(id)).toEqual(['First', 'Second', 'Answer.'])
  })

  test('behind a turn that the user stopped, queued or at work', async () => {
    const queued = await running()
    await add(queued, 'Second')
    await editor.does('cancel', queued)
    expect(await bench.settle()).toEqual(['lost'])
    const atWork = await running()
    await add(atWork, 'Second')
    const { reached, reach } = gate()
    await bench.die({ opening: async () => reach() as never })
    await reached
    await editor.does('cancel', atWork)
    await bench.clock.pass(91_000)
    await bench.cleanup()
    await bench.settle()
    await bench.cleanup()

    expect([await waiting(queued), await waiting(atWork)]).toEqual([['Second'], ['Second']])
    expect([(await bench.row(queued)).status, (await bench.row(atWork)).status]).toEqual(['idle', 'idle'])
  })

  test('while a proposal waits, and are sent after the decision', async () => {
    bench.api.reply(proposal)
    const id = (await editor.turn('Change it')).conversation.id
    await add(id, 'And then')
    await bench.cleanup()
    expect([await waiting(id), (await bench.row(id)).status]).toEqual([['And then'], 'awaiting_approval'])

    await editor.decide(id, false)
    await bench.settle()
    expect((await contents(id)).slice(-2)).toEqual(['And then', 'Answer.'])
  })

  test('where another turn runs: it cannot be overtaken', async () => {
    const id = await running()
    const [row] = (await add(id, 'Second')).next

    expect((await change(id, { act: 'send', id: row?.id })).body.error?.code).toBe('conversation.busy')
    await bench.settle()
  })

  test('while too many turns run for the user, until cleanup comes by', async () => {
    await bench.configure({ maxConversationsPerUser: null, maxActiveConversations: 1 })
    const it = await storedWith(['Question', 'Answer'], { runId: '' })
    const busy = await running()
    expect(await add(it.id, 'Later')).toMatchObject({ conversation: { status: 'idle' } })
    expect(await waiting(it.id)).toEqual(['Later'])
    await bench.settle()

    expect(await bench.cleanup()).toMatchObject({ followed: 1 })
    await bench.settle()
    expect(await contents(it.id)).toEqual(['Question', 'Answer', 'Later', 'Answer.'])
    expect(Quota.decode(await Table.get(Quota.key(2))).active).not.toContain(busy)
  })
})

describe('a consumer that dies', () => {
  test('between the end of its turn and the message that waits leaves it to cleanup, which sends it once', async () => {
    const id = await running()
    await add(id, 'Second')
    const users = bench.live.cms.user
    const dead = { ...bench.live.cms, user: () => Promise.reject(new Error('The process died')) }
    await bench.consume({ cms: dead })
    expect(bench.live.cms.user).toBe(users)
    expect([(await bench.row(id)).status, await waiting(id)]).toEqual(['idle', ['Second']])

    const reports = await Promise.all([bench.cleanup(), bench.cleanup(), bench.cleanup()])
    expect(reports.map(({ followed }) => followed).toSorted()).toEqual([0, 0, 1])
    await bench.settle()
    expect(await contents(id)).toEqual(['First', 'Answer.', 'Second', 'Answer.'])
  })

  test('loses nothing to the user who writes at the same moment', async () => {
    const id = await running()
    const written = ['a', 'b', 'c', 'd', 'e']
    await Promise.all([bench.settle(), ...written.map((content) => add(id, content))])
    await bench.settle()

    const asked = (await editor.poll(id)).messages.filter(({ role }) => role === 'user')
    expect(asked.map(({ content }) => content).toSorted()).toEqual(['First', ...written])
    expect(await waiting(id)).toEqual([])
  })
})

test('a conversation that is removed takes its messages that wait with it', async () => {
  const id = await running()
  await add(id, 'Second')
  await editor.does('cancel', id)
  await editor.does('delete', id, { deleted: true })
  await bench.cleanup({ now: bench.clock.now() + 25 * 3_600_000 })

  const { rows } = await Table.query({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': `conversation#${id}` },
  })
  expect(rows).toEqual([])
})
