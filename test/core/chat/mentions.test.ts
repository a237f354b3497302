import { beforeEach, describe, expect, test } from 'vitest'
import { ToolError } from '../../../core/base/error.ts'
import type { MentionsAnswer } from '../../../core/chat/request.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import type { User } from '../../support/live.ts'

benched({ maxActiveConversations: null, maxConversationsPerUser: null })
beforeEach(() => {
  bench.api.always({ text: 'Answer.' })
})

const lamp = { kind: 'page', table: 'pages', uid: 3 }
const minutes = { kind: 'page', table: 'pages', uid: 11 }

async function found(user: User, query: Record<string, string>) {
  const { body } = await user.get<MentionsAnswer>('/mentions', query)
  return body.mentions
}
const titles = async (user: User, query: Record<string, string>) =>
  (await found(user, query)).map(({ title }) => title)
const sentMessages = () => JSON.stringify(bench.api.requests.at(-1)?.body.messages)

describe('what a message can name', () => {
  test('is found by the words of its title first, pages before records', async () => {
    const [first, second] = await found(editor, { query: 'aurora' })

    expect([first, second]).toEqual([
      { ...lamp, title: 'Aurora lamp' },
      { kind: 'record', table: 'content', uid: expect.any(Number), title: 'Aurora lamp', page: 3 },
    ])
  })

  test('is the open page with its parts before anything was written', async () => {
    const [page, part] = await found(editor, { page: '3' })

    expect([page, part]).toEqual([
      { ...lamp, title: 'Aurora lamp' },
      expect.objectContaining({ kind: 'record', table: 'content', page: 3 }),
    ])
    expect(await titles(editor, {})).toContain('Products')
  })

  test('is what the user may see, and no more', async () => {
    const admin = await bench.login('admin')

    expect(await titles(editor, { query: 'Nightjar' })).toEqual([])
    expect(await titles(editor, { query: 'Board minutes' })).toEqual([])
    expect(await titles(editor, { page: '11' })).not.toContain('Board minutes')
    expect(await titles(admin, { query: 'Board minutes' })).toContain('Board minutes')
  })

  test('has the title that it has now, where it is asked for alone', async () => {
    const one = (uid: number) => found(editor, { kind: 'page', table: 'pages', uid: String(uid) })

    expect(await one(3)).toEqual([{ ...lamp, title: 'Aurora lamp' }])
    expect(await one(11)).toEqual([])
    expect(await one(9_999)).toEqual([])
  })

  test('is a backend user for administrators alone', async () => {
    const admin = await bench.login('admin')

    expect(await found(editor, { query: 'autorin', kind: 'user' })).toEqual([])
    const user = { kind: 'user', table: 'users', uid: 3, title: expect.any(String) }
    expect(await found(admin, { query: 'autorin', kind: 'user' })).toEqual([user])
    expect(await found(admin, { query: 'autorin' })).toEqual([user])
  })
})

describe('a message that names something', () => {
  test('keeps it with the title that the CMS tells, and gives it to the model inside the fence', async () => {
    const { conversation } = await editor.send('Shorten it', { mentions: [lamp, lamp] })
    await bench.settle()

    const { messages } = await editor.poll(conversation.id)
    expect(conversation.title).toBe('Shorten it – Aurora lamp')
    expect(messages[0]).toMatchObject({
      content: 'Shorten it',
      mentions: [{ ...lamp, title: 'Aurora lamp' }],
    })
    expect(sentMessages()).toMatch(
      /<data-\w+ source=\\"named by the user\\">\\npages \[3\] Aurora lamp\\n<\/data-/,
    )
  })

  test.each([
    ['that the user may not see', minutes],
    ['that is not there', { ...lamp, uid: 999_999 }],
    ['of a table that there is not', { ...lamp, table: 'no_such_table' }],
    ['that is another user', { kind: 'user', table: 'users', uid: 1 }],
  ])('is refused for something %s', async (_, mention) => {
    const { status, body } = await editor.post<{ error: { code: string } }>('send', {
      content: 'Read it',
      mentions: [mention],
    })

    expect([status, body.error.code]).toEqual([404, 'mention.notFound'])
  })

  test('names it to the model no more when its user may no longer see it', async () => {
    const admin = await bench.login('admin')
    await admin.send('Read it', { mentions: [lamp, minutes] })
    const { cms } = bench.live
    const record: typeof cms.record = async (actor, place) =>
      place.uid === minutes.uid ? undefined : cms.record(actor, place)

    expect(await bench.consume({ cms: { ...cms, record } })).toBe('done')
    expect(sentMessages()).toContain('pages [3] Aurora lamp')
    expect(sentMessages()).not.toContain('Board minutes')
    expect(sentMessages()).toContain('1 of the things that the user named here is gone')
  })

  test('names it to the model no more when the CMS refuses it, as one that is too large', async () => {
    await editor.send('Read it', { mentions: [lamp] })
    const record = () => Promise.reject(new ToolError('It would be larger than 4 MB.'))

    expect(await bench.consume({ cms: { ...bench.live.cms, record } })).toBe('done')
    expect(sentMessages()).toContain('1 of the things that the user named here is gone')
  })

  test('keeps it while it waits for the end of a turn, and after an edit', async () => {
    const { conversation } = await editor.send('First')
    const conversationId = conversation.id
    const { body } = await editor.post<{ next: object[] }>('next', {
      act: 'add',
      conversationId,
      content: 'Second',
      mentions: [lamp],
    })
    expect(body.next).toEqual([
      { id: expect.any(String), content: 'Second', mentions: [{ ...lamp, title: 'Aurora lamp' }] },
    ])
    await bench.settle()
    await editor.post('edit', { conversationId, sequence: 2, content: 'Third', expectedContent: 'Second' })
    await bench.settle()

    const { messages } = await editor.poll(conversationId)
    expect(messages[2]).toMatchObject({ content: 'Third', mentions: [{ ...lamp, title: 'Aurora lamp' }] })
  })
})
