import { beforeEach, describe, expect, test } from 'vitest'
import * as Table from '../../../core/base/aws/table.ts'
import * as Claim from '../../../core/conversation/claim.ts'
import { bench, benched, editor, logInAgain } from '../../support/benched.ts'
import { startedAt } from '../../support/live.ts'
import { scan } from '../../support/scan.ts'
import { stored, storedWith } from '../../support/seeded.ts'

benched({ maxActiveConversations: null, maxConversationsPerUser: null })
beforeEach(() => {
  bench.api.always({ text: 'Answer.' })
})

const codeOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { error?: { code: string } }).error?.code,
]

async function upload(user = editor, name = 'notes.txt'): Promise<number> {
  const form = new FormData()
  form.set('file', new Blob(['Notes.'], { type: 'text/plain' }), name)
  return (await user.ask<{ fileUid: number }>('/ai-chat/file-upload', { form })).body.fileUid
}

describe('a message', () => {
  test('without a conversation makes one, titled by it, and queues it', async () => {
    const { conversation, sequence } = await editor.send('Which lamps\ndo we sell?')

    expect([conversation, sequence]).toMatchObject([
      { title: 'Which lamps do we sell?', status: 'processing', messageCount: 1, version: 1 },
      0,
    ])
    expect(await bench.settle()).toEqual(['done'])
  })

  test('with a file alone is titled by the file, and keeps its name and type', async () => {
    const { conversation } = await editor.send('', { fileUid: await upload(editor, 'Prices 2026.txt') })

    const { messages } = await editor.poll(conversation.id)
    expect(conversation.title).toBe('Prices 2026.txt')
    expect(messages).toMatchObject([
      { content: '', fileUid: expect.any(Number), fileName: 'Prices 2026.txt', fileMimeType: 'text/plain' },
    ])
  })

  test('says which page and module are open; without it nothing is carried over', async () => {
    const { conversation } = await editor.send('Here', { viewContext: { pageId: 3, module: 'page' } })
    await bench.settle()
    expect(JSON.stringify(bench.api.requests.at(-1)?.body.system)).toContain('Aurora lamp [3]')

    await editor.turn('There', { conversationId: conversation.id })
    expect(JSON.stringify(bench.api.requests.at(-1)?.body.system)).not.toContain('Selected page')
  })

  test('never names a page to the model that the user may not show', async () => {
    await editor.turn('Here', { viewContext: { pageId: 11, module: 'page' } })

    const system = JSON.stringify(bench.api.requests.at(-1)?.body.system)
    expect(system).not.toContain('Board minutes')
    expect(system).toContain('Open module: page')
  })

  test.each(['idle', 'failed'] as const)('starts a turn from %s', async (status) => {
    const { id } = await storedWith(['Before', 'Answer'], { status })

    const { conversation, sequence } = await editor.send('More', { conversationId: id })

    expect([conversation, sequence]).toMatchObject([
      { status: 'processing', messageCount: 3, errorCode: null, errorMessage: null },
      2,
    ])
  })

  test('is stored although the queue does not take it; the sweep sends it again', async () => {
    const { config } = await import('../../../core/base/config.ts')
    const settings = config()
    const url = settings.queueUrl
    settings.queueUrl = `${url}-that-is-not-there`

    const answer = await editor.post<{ conversation: { id: string } }>('send', { content: 'Lost?' })
    settings.queueUrl = url

    expect(answer.status).toBe(202)
    expect(await bench.settle()).toEqual([])
    expect(await bench.cleanup({ now: bench.clock.now() + 60_000 })).toMatchObject({ requeued: 1 })
    expect(await bench.settle()).toEqual(['done'])
    expect((await editor.poll(answer.body.conversation.id)).messages).toHaveLength(2)
  })

  test('is queued by the repetition of its request, if the queue did not take it', async () => {
    const { config } = await import('../../../core/base/config.ts')
    const settings = config()
    const url = settings.queueUrl
    settings.queueUrl = `${url}-that-is-not-there`
    const first = await editor.post('send', { content: 'Lost?' }, { key: 'lost' })
    settings.queueUrl = url
    expect(await bench.settle()).toEqual([])

    expect(await editor.post('send', { content: 'Lost?' }, { key: 'lost' })).toMatchObject({
      body: first.body,
    })
    expect(await bench.settle()).toEqual(['done'])
    await editor.post('send', { content: 'Lost?' }, { key: 'lost' })
    expect(await bench.settle()).toEqual([])
  })
})

describe('checks come in this order', () => {
  const long = 'x'.repeat(10_001)

  test.each<[string, (it: { busy: string }) => object, { key?: string }, [number, string]]>([
    ['neither content nor file', () => ({}), {}, [400, 'request.invalid']],
    ['nothing but spaces', () => ({ content: ' \n' }), {}, [400, 'message.empty']],
    ['nothing that is seen', () => ({ content: '\u2060\ufeff\u0000' }), {}, [400, 'message.empty']],
    [
      'empty, in a conversation that is not there',
      () => ({ content: '', conversationId: 'x' }),
      {},
      [400, 'message.empty'],
    ],
    [
      'a conversation that is not there, too long',
      () => ({ content: long, conversationId: '2-x' }),
      {},
      [404, 'conversation.notFound'],
    ],
    [
      'too long, with a file that is not there',
      () => ({ content: long, fileUid: 1 }),
      {},
      [400, 'message.tooLong'],
    ],
    [
      'a file that is not there, while busy',
      ({ busy }) => ({ content: 'x', fileUid: 1, conversationId: busy }),
      {},
      [404, 'file.notFound'],
    ],
    ['busy', ({ busy }) => ({ content: 'x', conversationId: busy }), {}, [409, 'conversation.busy']],
    ['a key that is none', () => ({ content: 'x' }), { key: 'not a key' }, [400, 'request.invalid']],
  ])('%s', async (_, body, options, code) => {
    const busy = await stored({ ...Claim.begin(startedAt) })

    expect(codeOf(await editor.post('send', body({ busy: busy.id }), options))).toEqual(code)
  })

  test('the file limit before busy, busy before the cap', async () => {
    const fileUid = await upload()
    const files = [0, 1, 2, 3, 4].map((at): [number, number] => [at, fileUid])
    const full = await stored({ ...Claim.begin(startedAt), files })
    expect(codeOf(await editor.post('send', { content: 'x', fileUid, conversationId: full.id }))).toEqual([
      422,
      'file.limit',
    ])

    await bench.configure({ maxActiveConversations: 1 })
    await editor.send('The only one')
    const busy = await stored({ ...Claim.begin(startedAt) })
    expect(codeOf(await editor.post('send', { content: 'x', conversationId: busy.id }))).toEqual([
      409,
      'conversation.busy',
    ])
    expect(codeOf(await editor.post('send', { content: 'x' }))).toEqual([429, 'user.tooManyActive'])
    await bench.configure()
  })

  test('lengths count code points', async () => {
    expect((await editor.post('send', { content: '😀'.repeat(10_000) })).status).toBe(202)
    expect(codeOf(await editor.post('send', { content: '😀'.repeat(10_001) }))).toEqual([
      400,
      'message.tooLong',
    ])
  })

  test('a refused send leaves nothing behind', async () => {
    await bench.settle()
    const { id } = await storedWith(['Before', 'Answer'])
    const before = await scan()

    for (const body of [{ content: '' }, { content: long }, { content: 'x', fileUid: 1 }]) {
      await editor.post('send', { conversationId: id, ...body }, { key: 'refused' })
    }

    expect(await scan()).toEqual(before)
  })
})

describe('a file', () => {
  test('of another user is not found', async () => {
    const fileUid = await upload(await bench.login('autorin'))

    expect(codeOf(await editor.post('send', { content: 'x', fileUid }))).toEqual([404, 'file.notFound'])
  })

  test('counts as often as it is named, five times at most', async () => {
    const fileUid = await upload()
    const { conversation } = await editor.turn('1', { fileUid })
    for (const content of ['2', '3', '4', '5']) {
      await editor.turn(content, { fileUid, conversationId: conversation.id })
    }

    expect(
      codeOf(await editor.post('send', { content: '6', fileUid, conversationId: conversation.id })),
    ).toEqual([422, 'file.limit'])
  })
})

describe('the same key', () => {
  test('answers what the first call answered and does nothing again, also when all has changed since', async () => {
    const body = { content: 'Once' }
    const first = await editor.post<{ conversation: { id: string } }>('send', body, { key: 'send-1' })
    await bench.settle()
    await editor.does('delete', first.body.conversation.id, { deleted: true })

    const second = await editor.post('send', body, { key: 'send-1' })

    expect([second.status, second.body]).toEqual([202, first.body])
    expect(await bench.settle()).toEqual([])
  })

  test('in parallel makes one conversation and one message', async () => {
    const send = () =>
      editor.post<{ conversation: { id: string } }>('send', { content: 'Once' }, { key: 'send-2' })

    const answers = await Promise.all([send(), send(), send(), send()])

    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202])
    expect(new Set(answers.map(({ body }) => body.conversation.id)).size).toBe(1)
    // A repetition that does not see the job in the queue queues it again; the second job finds nothing to do.
    const endings = await bench.settle()
    expect(endings.filter((ending) => ending !== 'lost')).toEqual(['done'])
    expect(bench.api.requests.length).toBe(1)
  })

  test('in parallel in one conversation stores one message', async () => {
    const { id } = await storedWith(['Before', 'Answer'])
    const send = () => editor.post('send', { content: 'Once', conversationId: id }, { key: 'send-3' })

    const answers = await Promise.all([send(), send(), send(), send()])

    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202])
    await bench.settle()
    expect((await editor.poll(id)).messages.map(({ content }) => content)).toEqual([
      'Before',
      'Answer',
      'Once',
      'Answer.',
    ])
  })

  test.each([
    ['another body', 'send', { content: 'Other' }],
    ['another route', 'create', {}],
  ])('with %s is refused', async (_, route, body) => {
    const key = `reused-${route}`
    await editor.post('send', { content: 'First' }, { key })

    expect(codeOf(await editor.post(route, body, { key }))).toEqual([422, 'request.keyReused'])
  })

  test('whose first call was refused is free', async () => {
    expect((await editor.post('send', { content: '' }, { key: 'free' })).status).toBe(400)
    expect((await editor.post('send', { content: 'Now' }, { key: 'free' })).status).toBe(202)
  })

  test('of another user is another key', async () => {
    const autorin = await bench.login('autorin')
    const mine = await editor.post<{ conversation: { id: string } }>(
      'send',
      { content: 'x' },
      { key: 'shared' },
    )
    const theirs = await autorin.post<{ conversation: { id: string } }>(
      'send',
      { content: 'x' },
      { key: 'shared' },
    )

    expect(theirs.body.conversation.id).not.toBe(mine.body.conversation.id)
  })

  test.each([
    ['send', { content: 'x' }],
    ['create', {}],
  ])('is not free where the answer of %s cannot be read', async (route, body) => {
    const key = `unread-${route}`
    await editor.post(route, body, { key })
    const place = { pk: 'user#2', sk: `idempotency#${key}` }
    const row = await Table.get(place)
    await Table.put({ ...row, ...place, answer: '{"conversation":{"id":5}}' })

    expect(codeOf(await editor.post(route, body, { key }))).toEqual([422, 'request.keyReused'])
  })

  test('is free again after 24 hours, whether or not the record is still there', async () => {
    const first = await editor.post<{ conversation: { id: string } }>(
      'send',
      { content: 'x' },
      { key: 'old' },
    )
    const row = await Table.get({ pk: 'user#2', sk: 'idempotency#old' })
    expect(row?.expires_at).toBe(Math.ceil((bench.clock.now() + 86_400_000) / 1000))
    await bench.clock.pass(86_400_000)
    await logInAgain()

    const second = await editor.post<{ conversation: { id: string } }>(
      'send',
      { content: 'x' },
      { key: 'old' },
    )

    expect(second.body.conversation.id).not.toBe(first.body.conversation.id)
  })
})

test('parallel sends in one conversation: one message, the others learn that it is busy', async () => {
  const { id } = await storedWith(['Before', 'Answer'])

  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, n) => editor.post('send', { content: `Message ${n}`, conversationId: id })),
  )

  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409])
  await bench.settle()
  expect((await editor.poll(id)).messages).toHaveLength(4)
})

test.each([['the task is not active', { tasks: [] }, 'chat.notConfigured']])(
  'a turn for which %s fails loudly, and retry goes on when it is mended',
  async (_, broken, errorCode) => {
    await bench.configure(broken)
    const { conversation, messages } = await editor.turn('Hello')
    expect([conversation.status, conversation.errorCode, messages.length]).toEqual(['failed', errorCode, 1])
    expect(conversation.errorMessage).toContain('not set up completely')
    await bench.configure()

    const { id } = conversation
    const { status } = await editor.post('retry', { conversationId: id })
    await bench.settle()

    expect([status, (await editor.poll(id)).conversation]).toMatchObject([
      202,
      { status: 'idle', errorCode: null },
    ])
  },
)
