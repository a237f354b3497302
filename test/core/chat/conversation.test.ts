import { beforeEach, describe, expect, test } from 'vitest'
import * as Table from '../../../core/base/aws/table.ts'
import * as Claim from '../../../core/conversation/claim.ts'
import * as Item from '../../../core/conversation/item.ts'
import * as Quota from '../../../core/conversation/quota.ts'
import type { Summary } from '../../../core/conversation/schema.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { startedAt } from '../../support/live.ts'
import { stored, storedWith } from '../../support/seeded.ts'

const hourMs = 60 * 60_000

benched()
beforeEach(() => {
  bench.api.always({ text: 'Answer.' })
})

const codeOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { error?: { code: string } }).error?.code,
]

describe('create', () => {
  test('answers an empty conversation', async () => {
    const { status, body } = await editor.post<{ conversation: Summary }>('create', {})

    expect([status, body]).toEqual([
      201,
      {
        conversation: {
          id: expect.stringMatching(/^2-[0-9a-z]{26}$/),
          title: '',
          status: 'idle',
          messageCount: 0,
          version: 1,
          pinned: false,
          archived: false,
          errorMessage: null,
          errorCode: null,
          createdAt: new Date(bench.clock.now()).toISOString(),
          updatedAt: new Date(bench.clock.now()).toISOString(),
        },
      },
    ])
  })

  test('with a key makes one, also in parallel', async () => {
    const answers = await Promise.all(
      [1, 2, 3].map(() => editor.post<{ conversation: Summary }>('create', {}, { key: 'create-1' })),
    )

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(answers.map(({ body }) => body.conversation.id)).size).toBe(1)
  })

  test('of more than a user may have is refused; archived ones count, deleted ones do not', async () => {
    await bench.configure({ maxConversationsPerUser: 2 })
    const autorin = await bench.login('autorin')
    const create = () => autorin.post<{ conversation: Summary }>('create', {})
    const first = await create()
    const { id } = first.body.conversation
    await create()
    await autorin.does('archive', id, { archived: true })

    expect(codeOf(await create())).toEqual([409, 'user.tooManyConversations'])
    expect(codeOf(await autorin.post('send', { content: 'New' }))).toEqual([409, 'user.tooManyConversations'])
    await autorin.does('delete', id, { deleted: true })
    expect((await create()).status).toBe(201)
    expect(codeOf(await autorin.post('delete', { conversationId: id, deleted: false }))).toEqual([
      409,
      'user.tooManyConversations',
    ])
    await bench.configure()
  })

  test('in parallel never passes the number that a user may have', async () => {
    await bench.configure({ maxConversationsPerUser: 3 })
    const admin = await bench.login('admin')

    const answers = await Promise.all(Array.from({ length: 8 }, () => admin.post('create', {})))

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    await bench.configure()
  })
})

describe('rename', () => {
  test('sets a title that the first message does not change any more, and moves updatedAt', async () => {
    const { id } = await stored({}, 2, startedAt - hourMs)

    const renamed = await editor.does('rename', id, { title: '  My title ' })
    await editor.turn('First message', { conversationId: id })

    expect(renamed).toMatchObject({ title: 'My title', version: 2, updatedAt: '2026-11-20T12:00:00.000Z' })
    expect((await editor.poll(id)).conversation.title).toBe('My title')
  })

  test.each([
    ['nothing', ''],
    ['spaces', '   '],
    ['invisible characters', '\u200b\u2060\ufeff'],
    ['control characters', '\u0000\n\u001b'],
    ['256 characters', 'x'.repeat(256)],
  ])('to %s is refused', async (_, title) => {
    const { id } = await stored()

    expect(codeOf(await editor.post('rename', { conversationId: id, title }))).toEqual([
      400,
      'request.invalid',
    ])
  })

  test('to several lines makes one of them', async () => {
    const { id } = await stored()

    const { title } = await editor.does('rename', id, { title: 'Prices\r\n\tof\u0000our\u2028lamps\u0007' })

    expect(title).toBe('Prices of our lamps')
  })

  test('counts code points', async () => {
    const { id } = await stored()

    expect((await editor.does('rename', id, { title: '😀'.repeat(255) })).title).toHaveLength(510)
  })

  test('while a turn runs disturbs nothing', async () => {
    const { conversation } = await editor.send('Question')
    const { id } = conversation
    bench.api.always(async () => {
      await editor.does('rename', id, { title: 'Meanwhile' })
      await editor.does('pin', id, { pinned: true })
      await editor.does('system-prompt', id, { systemPrompt: 'Meanwhile too' })
      return { text: 'Answer.' }
    })

    expect(await bench.settle()).toEqual(['done'])

    const seen = await editor.poll(id)
    expect(seen.conversation).toMatchObject({
      title: 'Meanwhile',
      pinned: true,
      status: 'idle',
      messageCount: 2,
    })
    expect(seen.systemPrompt).toBe('Meanwhile too')
    const { conversations } = (await editor.get<{ conversations: Summary[] }>('/conversations')).body
    expect(conversations.filter((one) => one.id === id)).toHaveLength(1)
    expect(conversations[0]?.id).toBe(id)
    await editor.does('pin', id, { pinned: false })
  })
})

describe('pin', () => {
  test('is a new version but no change of updatedAt', async () => {
    const conversation = await stored({}, 2, startedAt - hourMs)

    const pinned = await editor.does('pin', conversation.id, { pinned: true })

    expect(pinned).toMatchObject({ pinned: true, version: 2, updatedAt: conversation.updatedAt })
    expect(await editor.does('pin', conversation.id, { pinned: false })).toMatchObject({
      pinned: false,
      version: 3,
    })
  })
})

describe('system-prompt', () => {
  test('is stored, reaches the model last, and an empty one removes it', async () => {
    const { id } = await stored()

    const { status, body } = await editor.post('system-prompt', {
      conversationId: id,
      systemPrompt: ' Be brief. ',
    })
    await editor.turn('Hello', { conversationId: id })

    expect([status, body]).toMatchObject([200, { systemPrompt: 'Be brief.', conversation: { version: 2 } }])
    expect(JSON.stringify(bench.api.requests.at(-1)?.body.system)).toContain('Be brief.')
    await editor.post('system-prompt', { conversationId: id, systemPrompt: '' })
    expect((await editor.poll(id)).systemPrompt).toBe('')
    await editor.turn('Again', { conversationId: id })
    expect(JSON.stringify(bench.api.requests.at(-1)?.body.system)).not.toContain('Be brief.')
  })

  test('of invisible characters removes the one that was there', async () => {
    const { id } = await stored()
    await editor.does('system-prompt', id, { systemPrompt: 'Be brief.' })

    const { body } = await editor.post('system-prompt', { conversationId: id, systemPrompt: '\u200b\u0000' })

    expect(body).toMatchObject({ systemPrompt: '' })
  })

  test('may have as many code points as the settings say', async () => {
    const { id } = await stored()
    const set = (systemPrompt: string) => editor.post('system-prompt', { conversationId: id, systemPrompt })

    expect((await set('😀'.repeat(10_000))).status).toBe(200)
    expect(codeOf(await set('😀'.repeat(10_001)))).toEqual([400, 'systemPrompt.tooLong'])
  })
})

describe('archive', () => {
  test('takes it from the list, a send brings it back', async () => {
    const { id, updatedAt } = await stored({}, 2, startedAt - hourMs)
    const listed = async (archived: boolean) => {
      const { body } = await editor.get<{ conversations: Summary[] }>('/conversations', { archived })
      return body.conversations.some((one) => one.id === id)
    }

    expect(await editor.does('archive', id, { archived: true })).toMatchObject({ archived: true, updatedAt })
    expect([await listed(false), await listed(true)]).toEqual([false, true])
    await editor.turn('Back', { conversationId: id })
    expect([await listed(false), await listed(true)]).toEqual([true, false])
    await editor.does('archive', id, { archived: true })
    expect(await editor.does('archive', id, { archived: false })).toMatchObject({ archived: false })
  })

  test.each([
    ['archive', { archived: true }],
    ['archive', { archived: false }],
    ['delete', { deleted: true }],
  ])('%s %j is refused while busy', async (verb, body) => {
    const { id } = await stored({ ...Claim.begin(startedAt) })

    expect(codeOf(await editor.post(verb, { conversationId: id, ...body }))).toEqual([
      409,
      'conversation.busy',
    ])
  })
})

describe('delete', () => {
  test('hides at once on every path', async () => {
    const { id } = await storedWith(['Question', 'Answer'])

    await editor.does('delete', id, { deleted: true })

    const attempts = await Promise.all([
      editor.get('/conversations/messages', { conversationId: id }),
      editor.get('/conversations/export', { conversationId: id }),
      editor.post('send', { conversationId: id, content: 'x' }),
      editor.post('edit', { conversationId: id, sequence: 0, content: 'x', expectedContent: 'Question' }),
      editor.post('retry', { conversationId: id }),
      editor.post('cancel', { conversationId: id }),
      editor.post('approve', { conversationId: id, digest: 'x', approve: true }),
      editor.post('rename', { conversationId: id, title: 'x' }),
      editor.post('pin', { conversationId: id, pinned: true }),
      editor.post('archive', { conversationId: id, archived: true }),
      editor.post('system-prompt', { conversationId: id, systemPrompt: 'x' }),
      editor.post('undo', { conversationId: id, runId: 'run' }),
    ])
    for (const attempt of attempts) expect(codeOf(attempt)).toEqual([404, 'conversation.notFound'])
    const { conversations } = (await editor.get<{ conversations: Summary[] }>('/conversations')).body
    expect(conversations.some((one) => one.id === id)).toBe(false)
  })

  test.each([
    [24 * hourMs - 1, 200],
    [24 * hourMs, 404],
  ])('can be undone after %i ms: %i', async (ms, status) => {
    const { id } = await storedWith(['Question'], {
      deletedAt: new Date(bench.clock.now() - ms).toISOString(),
    })
    const quota = async () => Quota.decode(await Table.get(Quota.key(2))).conversations
    const before = await quota()

    expect((await editor.post('delete', { conversationId: id, deleted: false })).status).toBe(status)

    expect(await quota()).toBe(before + (status === 200 ? 1 : 0))
    if (status === 200) expect((await editor.poll(id)).messages).toHaveLength(1)
  })

  test('again answers the same, and counts once', async () => {
    const { body } = await editor.post<{ conversation: Summary }>('create', {})
    const { id } = body.conversation
    const quota = async () => Quota.decode(await Table.get(Quota.key(2))).conversations
    const before = await quota()
    const remove = () =>
      editor.post<{ conversation: Summary }>('delete', { conversationId: id, deleted: true })

    const together = await Promise.all([remove(), remove(), remove()])
    const later = await remove()

    const [first] = together
    expect([...together, later].map(({ status, body }) => [status, body])).toEqual(
      Array.from({ length: 4 }, () => [200, first?.body]),
    )
    expect(await quota()).toBe(before - 1)
  })

  test('again is refused once it cannot be undone any more', async () => {
    const { id } = await storedWith(['Question'], {
      deletedAt: new Date(bench.clock.now() - 24 * hourMs).toISOString(),
    })

    expect(codeOf(await editor.post('delete', { conversationId: id, deleted: true }))).toEqual([
      404,
      'conversation.notFound',
    ])
  })

  test('undone twice counts once', async () => {
    const { body } = await editor.post<{ conversation: Summary }>('create', {})
    const { id } = body.conversation
    const quota = async () => Quota.decode(await Table.get(Quota.key(2))).conversations
    const before = await quota()
    await editor.does('delete', id, { deleted: true })

    await Promise.all([1, 2, 3].map(() => editor.does('delete', id, { deleted: false })))

    expect(await quota()).toBe(before)
  })

  test('undone twice at the limit brings it back, and refuses nobody', async () => {
    const admin = await bench.login('admin')
    const { body } = await admin.post<{ conversation: Summary }>('create', {})
    const { id } = body.conversation
    await bench.configure({
      maxConversationsPerUser: Quota.decode(await Table.get(Quota.key(1))).conversations,
    })
    await admin.does('delete', id, { deleted: true })

    const undone = await Promise.all(
      Array.from({ length: 6 }, () => admin.post('delete', { conversationId: id, deleted: false })),
    )

    expect(undone.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    await bench.configure()
  })

  test('in parallel with a send: one of them happens', async () => {
    const { id } = await storedWith(['Question', 'Answer'])

    const [removed, sent] = await Promise.all([
      editor.post('delete', { conversationId: id, deleted: true }),
      editor.post('send', { conversationId: id, content: 'More' }),
    ])

    expect([removed.status, sent.status]).toSatisfy(
      ([a, b]: number[]) => (a === 200 && b === 404) || (a === 409 && b === 202),
    )
    await bench.settle()
  })
})

describe('a place among the active', () => {
  test('twenty parallel sends in twenty conversations leave exactly three running', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => stored()))

    const answers = await Promise.all(
      all.map(({ id }) => editor.post('send', { conversationId: id, content: 'Go' })),
    )

    expect(answers.filter(({ status }) => status === 202)).toHaveLength(3)
    for (const refused of answers.filter(({ status }) => status !== 202)) {
      expect(codeOf(refused)).toEqual([429, 'user.tooManyActive'])
      expect(refused.body).toMatchObject({ error: { retryAfterMs: expect.any(Number) } })
    }
    const { body } = await editor.get<{ activeConversations: number }>('/status')
    expect(body.activeConversations).toBe(3)
    expect(await bench.settle()).toEqual(['done', 'done', 'done'])
    expect((await editor.get<typeof body>('/status')).body.activeConversations).toBe(0)
  })

  test('that nothing busy holds is taken away when it would refuse a start', async () => {
    const leaked = [await stored(), await stored(), await stored({ status: 'failed' })]
    const caps = { active: null, conversations: null }
    for (const { id } of leaked) await Table.transact([Quota.take(2, id, caps, false)])

    const { conversation } = await editor.send('Go')

    expect(Quota.decode(await Table.get(Quota.key(2))).active).toEqual([conversation.id])
  })

  test('that a busy conversation holds stays', async () => {
    await Promise.all(['a', 'b', 'c'].map((content) => editor.send(content)))

    expect(codeOf(await editor.post('send', { content: 'd' }))).toEqual([429, 'user.tooManyActive'])
    await bench.settle()
  })

  test('is without limit where the settings say so', async () => {
    await bench.configure({ maxActiveConversations: null })

    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => editor.post('send', { content: `${n}` })),
    )

    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(202))
    await bench.settle()
    await bench.configure()
  })
})

test('what the table stores of a conversation carries the names of the specification', async () => {
  const conversation = await stored({
    viewContext: { pageId: 3, module: 'page' },
    errorMessage: 'Broken',
    requestId: 'x',
  })

  expect(await Table.get(Item.key(conversation.id))).toMatchObject({
    be_user: 2,
    messages: [],
    message_count: 0,
    status: 'idle',
    current_request_id: 'x',
    view_context: { pageId: 3, module: 'page' },
    archived: false,
    pinned: false,
    error_message: 'Broken',
  })
  expect(Item.decode(Item.encode(conversation))).toEqual(conversation)
})
