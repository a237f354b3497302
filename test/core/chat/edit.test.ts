import { beforeEach, describe, expect, test } from 'vitest'
import * as Claim from '../../../core/conversation/claim.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { startedAt } from '../../support/live.ts'
import { scan } from '../../support/scan.ts'
import { storedWith } from '../../support/seeded.ts'

benched({ maxConversationsPerUser: null })
beforeEach(() => {
  bench.api.always({ text: 'New answer.' })
})

const codeOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { error?: { code: string } }).error?.code,
]
const edit = (
  conversationId: string,
  sequence: number,
  content: string,
  expectedContent: string,
  more: object = {},
) =>
  editor.post<Record<string, unknown>>('edit', {
    conversationId,
    sequence,
    content,
    expectedContent,
    ...more,
  })

async function upload(name: string): Promise<number> {
  const form = new FormData()
  form.set('file', new Blob([`Text of ${name}`], { type: 'text/plain' }), name)
  return (await editor.ask<{ fileUid: number }>('/ai-chat/file-upload', { form })).body.fileUid
}

test('replaces the message, leaves all after it, and runs a new turn', async () => {
  const { id } = await storedWith(['One', 'Answer one', 'Two', 'Answer two'])

  const { status, body } = await edit(id, 2, 'Two, but better', 'Two')
  await bench.settle()

  expect([status, body]).toMatchObject([
    202,
    { sequence: 2, conversation: { status: 'processing', messageCount: 3 } },
  ])
  expect(body.droppedRuns).toBeUndefined()
  const { messages } = await editor.poll(id)
  expect(messages.map(({ content }) => content)).toEqual([
    'One',
    'Answer one',
    'Two, but better',
    'New answer.',
  ])
  expect(JSON.stringify(bench.api.requests.at(-1)?.body)).not.toContain('Answer two')
})

test('destroys nothing: every row of the version that it leaves is still stored', async () => {
  const { id } = await storedWith(Array.from({ length: 60 }, (_, at) => `Message ${at}`))

  await edit(id, 0, 'Edited', 'Message 0')
  await bench.settle()

  const rows = (await scan()).filter(({ pk, sk }) => pk.endsWith(id) && /^(message|branch)#/.test(sk))
  expect(rows.map(({ content }) => content).sort()).toEqual(
    [...Array.from({ length: 60 }, (_, at) => `Message ${at}`), 'Edited', 'New answer.'].sort(),
  )
})

test('titles the conversation again by its first message, unless it was renamed', async () => {
  const { id } = await storedWith(['One', 'Answer'], { title: 'One' })
  await edit(id, 0, 'Another beginning', 'One')
  expect((await editor.poll(id)).conversation.title).toBe('Another beginning')
  await bench.settle()

  await editor.does('rename', id, { title: 'Mine' })
  await edit(id, 0, 'And another', 'Another beginning')
  expect((await editor.poll(id)).conversation.title).toBe('Mine')
})

describe('files', () => {
  test('the message keeps its own; those behind it no longer count, and stay with their version', async () => {
    const [first, second] = [await upload('first.txt'), await upload('second.txt')]
    const { conversation } = await editor.turn('One', { fileUid: first })
    const { id } = conversation
    await editor.turn('Two', { fileUid: second, conversationId: id })

    await edit(id, 0, '', 'One')
    await bench.settle()

    expect((await editor.poll(id)).messages[0]).toMatchObject({
      content: '',
      fileUid: first,
      fileName: 'first.txt',
    })
    expect((await bench.row(id)).files).toEqual([[0, first]])
    await bench.cleanup({ now: bench.clock.now() + 1 })
    for (const fileUid of [first, second])
      expect((await editor.get('/file-info', { fileUid })).status).toBe(200)

    await editor.does('delete', id, { deleted: true })
    await bench.cleanup({ now: bench.clock.now() + 25 * 3_600_000 })
    for (const fileUid of [first, second])
      expect((await editor.get('/file-info', { fileUid })).status).toBe(404)
  })

  test('the limit counts those of the version that is shown', async () => {
    const [first, ...others] = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((name) => upload(`${name}.txt`)),
    )
    const { id } = (await editor.turn('One', { fileUid: first })).conversation
    for (const fileUid of others) await editor.turn('More', { fileUid, conversationId: id })
    const sixth = () => editor.post('send', { conversationId: id, content: 'Full', fileUid: first })

    await edit(id, 0, 'Another one', 'One')
    await bench.settle()
    for (const fileUid of others) await editor.turn('Again', { fileUid, conversationId: id })
    const again = await sixth()
    await editor.does('version', id, { sequence: 0, version: 1 })
    const before = await sixth()

    expect([again, before].map(codeOf)).toEqual([
      [422, 'file.limit'],
      [422, 'file.limit'],
    ])
  })

  test('a file that an earlier message names too stays', async () => {
    const fileUid = await upload('twice.txt')
    const { conversation } = await editor.turn('One', { fileUid })
    const { id } = conversation
    await editor.turn('Two', { conversationId: id })
    await editor.turn('Three', { fileUid, conversationId: id })

    await edit(id, 2, 'Two edited', 'Two')
    await bench.settle()
    await bench.cleanup({ now: bench.clock.now() + 1 })

    expect((await bench.row(id)).files).toEqual([[0, fileUid]])
    expect((await editor.get('/file-info', { fileUid })).status).toBe(200)
  })
})

test('names the turns that it leaves and that changed records, as long as there is something to take back', async () => {
  bench.api.reply({
    calls: [{ name: 'update_record', arguments: { table: 'news', uid: 1, fields: { title: 'Changed' } } }],
  })
  const { conversation } = await editor.turn('Change it')
  const { id } = conversation
  await editor.decide(id, true)
  await bench.settle()
  const { runId } = await bench.row(id)

  const { body } = await edit(id, 0, 'Rather not', 'Change it')
  await bench.settle()
  expect(body.droppedRuns).toEqual([{ runId, changes: 1 }])

  const undone = await editor.post('undo', { conversationId: id, runId })
  expect(undone.body).toEqual({ undone: [{ table: 'news', uid: 1 }], conflicts: [] })
  expect((await edit(id, 0, 'Rather not at all', 'Rather not')).body.droppedRuns).toBeUndefined()
})

describe('is refused', () => {
  test.each<[string, [number, string, string], [number, string]]>([
    ['where the text is another than expected', [2, 'x', 'Something else'], [409, 'conversation.changed']],
    ['where the message is the assistant’s', [1, 'x', 'Answer one'], [409, 'conversation.changed']],
    ['where no message is', [4, 'x', 'Two'], [409, 'conversation.changed']],
    ['for an empty text without a file', [2, ' ', 'Two'], [400, 'message.empty']],
    ['for invisible characters without a file', [2, '\u200b\u0000', 'Two'], [400, 'message.empty']],
    [
      'for a text that is too long, whatever was expected',
      [2, 'x'.repeat(10_001), 'No'],
      [400, 'message.tooLong'],
    ],
    ['at a sequence that is none', [-1, 'x', 'Two'], [400, 'request.invalid']],
  ])('%s', async (_, [sequence, content, expected], code) => {
    const { id } = await storedWith(['One', 'Answer one', 'Two', 'Answer two'])

    expect(codeOf(await edit(id, sequence, content, expected))).toEqual(code)
    expect((await editor.poll(id)).messages).toHaveLength(4)
  })

  test('while busy, before what was expected is looked at', async () => {
    const { id } = await storedWith(['One'], { ...Claim.begin(startedAt) })

    expect(codeOf(await edit(id, 0, 'x', 'Something else'))).toEqual([409, 'conversation.busy'])
  })

  test('for an empty text before the state of the conversation is looked at', async () => {
    const { id } = await storedWith(['One'], { ...Claim.begin(startedAt), files: [[2, 7]] })

    expect(codeOf(await edit(id, 0, '', 'One'))).toEqual([400, 'message.empty'])
    expect(codeOf(await edit(id, 2, '', 'Two'))).toEqual([409, 'conversation.busy'])
  })
})

test('in parallel with a send: one of them happens, whole', async () => {
  const { id } = await storedWith(['One', 'Answer one'])

  const [edited, sent] = await Promise.all([
    edit(id, 0, 'Another one', 'One'),
    editor.post('send', { conversationId: id, content: 'Two' }),
  ])
  await bench.settle()

  expect([edited.status, sent.status].sort()).toEqual([202, 409])
  const { messages, conversation } = await editor.poll(id)
  expect([conversation.status, messages.map(({ content }) => content)]).toEqual([
    'idle',
    edited.status === 202 ? ['Another one', 'New answer.'] : ['One', 'Answer one', 'Two', 'New answer.'],
  ])
})

test('of an old transcript moves it into rows first', async () => {
  const { id } = await storedWith([], {
    legacy: [
      { role: 'user', content: 'Old question' },
      { role: 'assistant', content: 'Old answer' },
    ],
  })

  expect((await edit(id, 0, 'New question', 'Old question')).status).toBe(202)
  await bench.settle()

  expect((await editor.poll(id)).messages.map(({ content }) => content)).toEqual([
    'New question',
    'New answer.',
  ])
})

test('with the same key again answers the same', async () => {
  const { id } = await storedWith(['One', 'Answer'])
  const body = { conversationId: id, sequence: 0, content: 'Two', expectedContent: 'One' }

  const first = await editor.post('edit', body, { key: 'edit-1' })
  await bench.settle()
  const second = await editor.post('edit', body, { key: 'edit-1' })

  expect(second.body).toEqual(first.body)
  expect(await bench.settle()).toEqual([])
})
