import { beforeEach, describe, expect, test } from 'vitest'
import * as Table from '../../../core/base/aws/table.ts'
import { openMs } from '../../../core/chat/next.ts'
import * as Quota from '../../../core/conversation/quota.ts'
import type { NextMessage, Summary } from '../../../core/conversation/schema.ts'
import * as Next from '../../../core/conversation/transcript/next.ts'
import { maxFilesPerConversation } from '../../../core/file/schema.ts'
import { type Attempt, under } from '../../faults/inject.ts'
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

/** Stores a file of the editor, and returns its uid. */
async function upload() {
  const form = new FormData()
  form.set('file', new Blob(['The price is 7.'], { type: 'text/plain' }), 'notes.txt')
  return (await editor.ask<{ fileUid: number }>('/ai-chat/file-upload', { form })).body.fileUid
}

type Args = { input: object }
type Sent = (args: Args) => Promise<unknown>

/** Acts once, after the table has answered the next request for several items with `key` in one of their keys. */
function afterRead(key: string, act: () => Promise<unknown>): void {
  const { middlewareStack } = Table.documents()
  const middle = (next: Sent) => async (args: Args) => {
    const answer = await next(args)
    if (
      'RequestItems' in args.input &&
      JSON.stringify(args.input).includes(key) &&
      middlewareStack.remove('after')
    )
      await act()
    return answer
  }
  middlewareStack.add(middle as never, { step: 'initialize', name: 'after' })
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

  test.each([
    ['its other words', { act: 'edit', content: 'Right' }, 'Right'],
    ['the words that it had', { act: 'release' }, 'Wrong'],
  ])('wait while their user writes at one, and go with %s', async (_, leave, sent) => {
    const id = await running()
    const [first] = (await add(id, 'Wrong')).next
    await change(id, { act: 'hold', id: first?.id })
    expect(await bench.settle()).toEqual(['done'])
    expect(await waiting(id)).toEqual(['Wrong'])

    await change(id, { ...leave, id: first?.id }, `leave-${sent}`)

    expect(await bench.settle()).toEqual(['done'])
    expect(await contents(id)).toEqual(['First', 'Answer.', sent, 'Answer.'])
  })

  test('go ten minutes after their user began to write at one, if nothing came of it', async () => {
    const id = await running()
    const [row] = (await add(id, 'Second')).next
    const hold = () => change(id, { act: 'hold', id: row?.id })
    await hold()
    await bench.settle()
    await bench.clock.pass(openMs - 1_000)
    await hold()
    await bench.clock.pass(openMs - 1_000)
    expect((await bench.cleanup()).requeued).toBe(0)
    await bench.clock.pass(1_000)
    expect((await bench.cleanup()).requeued).toBe(1)
    await bench.settle()

    expect(await contents(id)).toEqual(['First', 'Answer.', 'Second', 'Answer.'])
  })

  test('of an old release stay while one is open, however long', async () => {
    const waits = { next: [['old', 0]] as [string, number][], nextOpen: 'old' }
    const { id } = await storedWith(['Question', 'Answer'], waits)
    await Table.transact([Next.put(id, { id: 'old', content: 'Old' })])
    await bench.cleanup()
    expect((await bench.row(id)).status).toBe('idle')

    await change(id, { act: 'release', id: 'old' })
    await bench.settle()
    expect(await contents(id)).toEqual(['Question', 'Answer', 'Old', 'Answer.'])
  })

  test('go after the turn that began while their user wrote at one, if the user is done before its end', async () => {
    const id = await running()
    await add(id, 'Second')
    const row = (await add(id, 'Wrong')).next.at(-1)
    await bench.consume()
    await change(id, { act: 'hold', id: row?.id })
    bench.api.reply(async () => {
      await change(id, { act: 'edit', id: row?.id, content: 'Right' })
      return { text: 'The end.' }
    })
    await bench.settle()

    expect((await contents(id)).slice(2)).toEqual(['Second', 'The end.', 'Right', 'Answer.'])
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

  test('count with their files to those of the conversation', async () => {
    const files = await Promise.all(Array.from({ length: maxFilesPerConversation + 1 }, upload))
    const id = (await editor.send('First', { fileUid: files[0] })).conversation.id

    const codes: unknown[] = []
    for (const fileUid of files.slice(1))
      codes.push((await change(id, { act: 'add', content: '', fileUid })).body.error?.code)

    expect(codes).toEqual([undefined, undefined, undefined, undefined, 'file.limit'])
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

  test('while too many turns run for the user, until cleanup comes by', async () => {
    await bench.configure({ maxConversationsPerUser: null, maxActiveConversations: 1 })
    const conversation = await storedWith(['Question', 'Answer'], { runId: '' })
    const busy = await running()
    expect(await add(conversation.id, 'Later')).toMatchObject({ conversation: { status: 'idle' } })
    expect(await waiting(conversation.id)).toEqual(['Later'])
    await bench.settle()

    expect(await bench.cleanup()).toMatchObject({ requeued: 1 })
    await bench.settle()
    expect(await contents(conversation.id)).toEqual(['Question', 'Answer', 'Later', 'Answer.'])
    expect(Quota.decode(await Table.get(Quota.key(2))).active).not.toContain(busy)
  })
})

test.each([
  ['archive', 'archived'],
  ['delete', 'deleted'],
])('a conversation that comes back after %s sends none of its messages by itself', async (verb, name) => {
  await bench.configure({ maxConversationsPerUser: null, maxActiveConversations: 1 })
  const { id } = await storedWith(['Question', 'Answer'], { runId: '' })
  await running()
  await add(id, 'Later')

  for (const isAway of [true, false]) await editor.does(verb, id, { [name]: isAway })
  await bench.settle()

  expect(await bench.cleanup()).toMatchObject({ requeued: 0 })
  expect(await waiting(id)).toEqual(['Later'])
})

describe('a message that its user hands to the running turn', () => {
  const reading = { calls: [{ name: 'get_page_content', arguments: { page: 3 } }] }
  const hand = async (id: string, content: string) => {
    const row = (await add(id, content)).next.at(-1)
    return (await change(id, { act: 'send', id: row?.id })).body
  }
  /** What the newest request of the model ends with: each block of the last message in one word. */
  const lastBlocks = () => {
    const { content = [] } = bench.api.requests.at(-1)?.body.messages.at(-1) ?? {}
    return typeof content === 'string' ? [content] : content.map((it) => ('text' in it ? it.text : it.type))
  }
  /** Waits until the consumer has looked at the row. */
  const looked = async () => {
    await bench.clock.pass(1_500)
    await expect.poll(() => bench.clock.sleeping()).toContain(1_500)
  }

  test('is read by the model at its next step, behind the results of its calls', async () => {
    let id = ''
    bench.api.reply(
      async () => {
        await hand(id, 'Shorter, please')
        await looked()
        return reading
      },
      { text: 'Both.' },
    )
    id = await running()
    expect(await bench.settle()).toEqual(['done'])

    const rows = (await editor.poll(id)).messages
    expect(rows.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant'])
    expect(rows.slice(3).map(({ content }) => content)).toEqual(['Shorter, please', 'Both.'])
    expect(new Set(rows.flatMap(({ runId }) => runId ?? [])).size).toBe(1)
    expect(lastBlocks()).toEqual(['tool_result', 'Shorter, please'])
    expect(await waiting(id)).toEqual([])
  })

  test('is marked, comes before the others, and is read at once where the turn has not begun', async () => {
    const id = await running()
    await add(id, 'Later')
    expect((await hand(id, 'First of all')).next).toMatchObject([
      { content: 'First of all', now: true },
      { content: 'Later' },
    ])
    await bench.settle()

    expect(await contents(id)).toEqual(['First', 'First of all', 'Answer.', 'Later', 'Answer.'])
  })

  test('is sent once where the stage began its turn a moment before', async () => {
    const id = await running()
    const [row] = (await add(id, 'Second')).next
    const send = () => change(id, { act: 'send', id: row?.id })
    let during: unknown
    bench.api.reply({ text: 'Answer.' })
    bench.api.reply(async () => {
      during = await send()
      return { text: 'Answer.' }
    })
    await bench.settle()

    expect(during).toMatchObject({ status: 200, body: { conversation: { status: 'locked' }, next: [] } })
    expect(await send()).toMatchObject({ status: 409, body: { error: { code: 'conversation.changed' } } })
    expect(await contents(id)).toEqual(['First', 'Answer.', 'Second', 'Answer.'])
  })

  test('brings the page that was open then, or no page, as a message that is sent', async () => {
    const viewContext = { pageId: 3, module: 'page' }
    const { id } = (await editor.send('First', { viewContext })).conversation
    await hand(id, 'Of no page')
    await bench.settle()

    expect((await contents(id)).slice(1)).toEqual(['Of no page', 'Answer.'])
    expect((await bench.row(id)).viewContext).toBeUndefined()
  })

  test('is handed also where the turn began while its user sent it', async () => {
    const id = await running()
    const [row] = (await add(id, 'Held')).next
    await editor.does('cancel', id)
    await bench.settle()
    afterRead(id, () => editor.send('Something else', { conversationId: id }))

    expect(await change(id, { act: 'send', id: row?.id })).toMatchObject({
      status: 200,
      body: { conversation: { status: 'processing' }, next: [{ content: 'Held', now: true }] },
    })
    await bench.settle()
    expect((await contents(id)).slice(-3)).toEqual(['Something else', 'Held', 'Answer.'])
  })

  test('begins the next turn where this one had no further step', async () => {
    let id = ''
    bench.api.reply(async () => {
      await add(id, 'Later')
      await hand(id, 'Too late')
      return { text: 'The end.' }
    })
    id = await running()
    await bench.settle()

    expect(await contents(id)).toEqual(['First', 'The end.', 'Too late', 'Answer.', 'Later', 'Answer.'])
  })

  test('begins the next turn also where a stop still held it when this one began', async () => {
    const id = await running()
    const [row] = (await add(id, 'Held')).next
    await editor.does('cancel', id)
    await bench.settle()
    await editor.send('Something else', { conversationId: id })
    let now: unknown
    bench.api.reply(async () => {
      now = (await change(id, { act: 'send', id: row?.id })).body.next[0]?.now
      return { text: 'The end.' }
    })
    await bench.settle()

    expect(now).toBe(true)
    expect((await contents(id)).slice(-4)).toEqual(['Something else', 'The end.', 'Held', 'Answer.'])
  })

  test.each([
    [
      'goes with the words that its user gives it',
      { act: 'edit', content: 'The right words' },
      ['First', 'The right words'],
      [],
    ],
    ['stays where its user begins to write at it', { act: 'hold' }, ['First'], ['The wrong words']],
  ])('%s at the moment when the turn takes it up', async (_, act, sent, left) => {
    let id = ''
    const fileUid = await upload()
    bench.api.reply(async () => {
      const row = (await change(id, { act: 'add', content: 'The wrong words', fileUid })).body.next.at(-1)
      await change(id, { act: 'send', id: row?.id })
      await looked()
      afterRead('file#', () => change(id, { ...act, id: row?.id }))
      return reading
    })
    id = await running()
    expect(await bench.settle()).toEqual(['done'])

    const asked = (await editor.poll(id)).messages.filter(({ role }) => role === 'user')
    expect([asked.map(({ content }) => content), await waiting(id)]).toEqual([sent, left])
  })

  test('stays handed while its user writes at it and the turn takes up another', async () => {
    let id = ''
    let left: NextMessage[] = []
    bench.api.reply(
      async () => {
        await hand(id, 'Taken up')
        const row = (await hand(id, 'Open')).next.at(-1)
        await change(id, { act: 'hold', id: row?.id })
        await looked()
        return reading
      },
      async () => {
        left = (await editor.poll(id)).next
        return { text: 'Both.' }
      },
    )
    id = await running()
    await bench.settle()

    expect(left).toEqual([{ id: expect.any(String), content: 'Open', now: true }])
  })

  test('waits like any other once its turn was stopped', async () => {
    const id = await running()
    await hand(id, 'Not any more')
    await editor.does('cancel', id)
    await bench.settle()
    await editor.send('Something else', { conversationId: id })
    await bench.settle()

    expect((await contents(id)).slice(-2)).toEqual(['Something else', 'Answer.'])
    expect(await waiting(id)).toEqual(['Not any more'])
  })

  test('stays in the transcript where the turn fails because no answer says that it is stored', async () => {
    let id = ''
    bench.api.reply(async () => {
      await hand(id, 'Shorter, please')
      await looked()
      return reading
    })
    const broken = ({ command, input }: Attempt) =>
      command === 'TransactWriteItems' && JSON.stringify(input).includes('"Delete":{"TableName"')
        ? { when: 'after' as const, error: new Error('The connection broke') }
        : undefined
    id = await running()

    expect(await under(broken, () => bench.consume())).toBe('failed')

    const rows = (await editor.poll(id)).messages
    expect(rows.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect([rows[3]?.content, await waiting(id)]).toEqual(['Shorter, please', []])
    await editor.does('retry', id)
    expect(await bench.settle()).toEqual(['done'])
    expect((await contents(id)).slice(3)).toEqual(['Shorter, please', 'Answer.'])
  })

  test('goes with its file', async () => {
    const fileUid = await upload()
    const id = await running()
    const row = (await change(id, { act: 'add', content: 'Read it', fileUid })).body.next.at(-1)
    await change(id, { act: 'send', id: row?.id })
    await bench.settle()

    expect((await editor.poll(id)).messages[1]).toMatchObject({
      content: 'Read it',
      fileUid,
      fileName: 'notes.txt',
    })
    expect(lastBlocks().join()).toContain('The price is 7.')
    expect((await bench.row(id)).files).toEqual([[1, fileUid]])
  })

  test('stays where its file is one too many for the version that is shown', async () => {
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, upload))
    const { id } = (await editor.turn('One', { fileUid: first })).conversation
    for (const fileUid of others) await editor.turn('More', { fileUid, conversationId: id })
    await editor.does('edit', id, { sequence: 0, content: 'Another one', expectedContent: 'One' })
    const row = (await change(id, { act: 'add', content: 'Sixth', fileUid: await upload() })).body.next[0]
    await editor.does('cancel', id)
    await editor.does('version', id, { sequence: 0, version: 1 })

    await editor.send('Go on', { conversationId: id })
    await change(id, { act: 'send', id: row?.id })
    await hand(id, 'Shorter, please')
    await bench.settle()

    expect((await contents(id)).slice(-3)).toEqual(['Go on', 'Shorter, please', 'Answer.'])
    expect([await waiting(id), (await bench.row(id)).files.length]).toEqual([['Sixth'], 5])
  })

  test.each([
    ['before', (id: string) => hand(id, 'Shorter, please')],
    ['after', async () => undefined],
  ])('is read once where the consumer dies %s it took it up', async (_, whileAsked) => {
    let id = ''
    const { reached, reach } = gate()
    const asked = async () => {
      await whileAsked(id)
      return (await reach()) as never
    }
    bench.api.reply(asked)
    id = await running()
    if (_ === 'after') await hand(id, 'Shorter, please')
    await bench.die({})
    await reached
    await bench.clock.pass(91_000)
    await bench.cleanup()
    await bench.settle()

    expect(await contents(id)).toEqual(['First', 'Shorter, please', 'Answer.'])
    expect(await waiting(id)).toEqual([])
  })

  test('loses nothing to its user, who writes at the same moment', async () => {
    const id = await running()
    await hand(id, 'Handed')
    await Promise.all([bench.settle(), ...['a', 'b', 'c'].map((content) => add(id, content))])
    await bench.settle()

    const asked = (await editor.poll(id)).messages.filter(({ role }) => role === 'user')
    expect(asked.map(({ content }) => content).toSorted()).toEqual(['First', 'Handed', 'a', 'b', 'c'])
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
    expect(reports.map(({ requeued }) => requeued).toSorted()).toEqual([0, 0, 1])
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
