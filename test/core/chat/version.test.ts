import { expect, test } from 'vitest'
import { maxLeft } from '../../../core/conversation/path.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { storedWith } from '../../support/seeded.ts'

/** Trying again and editing leave versions, and their user goes back and forth between them. */

benched({ maxConversationsPerUser: null })

const edit = (conversationId: string, sequence: number, expectedContent: string, content = expectedContent) =>
  editor.post('edit', { conversationId, sequence, content, expectedContent })
const choose = (conversationId: string, sequence: number, version: number) =>
  editor.post<{ error?: { code: string } }>('version', { conversationId, sequence, version })
const seen = async (id: string, query = {}) => {
  const { messages, versions } = await editor.poll(id, query)
  return [messages.map(({ content }) => content), versions]
}

test('an answer that is tried again keeps the first one; each is shown again, whole, and goes on by itself', async () => {
  bench.api.reply({ text: 'First answer.' }, { text: 'Follow-up.' }, { text: 'Second answer.' })
  const { id } = (await editor.turn('Question')).conversation
  await editor.turn('More?', { conversationId: id })
  const { version } = (await editor.poll(id)).conversation

  await edit(id, 0, 'Question')
  await bench.settle()
  expect(await seen(id)).toEqual([['Question', 'Second answer.'], [{ sequence: 0, at: 2, of: 2 }]])
  expect(await editor.poll(id, { after: 4, version })).toMatchObject({ reset: true })

  expect((await choose(id, 0, 1)).status).toBe(200)
  const first = ['Question', 'First answer.', 'More?', 'Follow-up.']
  expect(await seen(id)).toEqual([first, [{ sequence: 0, at: 1, of: 2 }]])
  bench.api.reply({ text: 'Yes.' })
  await editor.turn('And?', { conversationId: id })
  expect(await seen(id)).toEqual([[...first, 'And?', 'Yes.'], [{ sequence: 0, at: 1, of: 2 }]])
  expect(JSON.stringify(bench.api.requests.at(-1)?.body)).not.toContain('Second answer.')

  await choose(id, 0, 2)
  expect(await seen(id)).toEqual([['Question', 'Second answer.'], [{ sequence: 0, at: 2, of: 2 }]])
  const again = await choose(id, 0, 2)
  expect([again.status, (await bench.row(id)).left.length]).toEqual([200, 1])
})

test('the title is that of the version that is shown, until the user gives another', async () => {
  bench.api.always({ text: 'Answer.' })
  const { id } = (await editor.turn('First question')).conversation
  await edit(id, 0, 'First question', 'Second question')
  await bench.settle()
  const titled = async () => (await editor.poll(id)).conversation.title
  expect(await titled()).toBe('Second question')

  await choose(id, 0, 1)
  expect(await titled()).toBe('First question')

  await editor.post('rename', { conversationId: id, title: 'Mine' })
  await choose(id, 0, 2)
  expect(await titled()).toBe('Mine')
})

test('a proposal of the version that is left ends without a decision, with a result for its call', async () => {
  const call = {
    id: 'w',
    name: 'update_record',
    arguments: { table: 'news', uid: 1, fields: { title: 'B' } },
  }
  bench.api.reply({ text: 'I propose:', calls: [call] }, { text: 'Instead.' })
  const { id } = (await editor.turn('Change it')).conversation
  await edit(id, 0, 'Change it', 'Leave it')
  await bench.settle()

  await choose(id, 0, 1)

  const { messages, conversation, pendingApproval } = await editor.poll(id)
  expect([conversation.status, pendingApproval]).toEqual(['idle', null])
  expect(messages.map(({ outcome, notice }) => outcome ?? notice)).toEqual([
    undefined,
    undefined,
    'notRun',
    'superseded',
  ])
})

test('a failed version is left, too, and what changed records is named on each version of its own', async () => {
  const call = { name: 'update_record', arguments: { table: 'news', uid: 2, fields: { title: 'B' } } }
  bench.api.reply({ calls: [call] }, { text: 'Done.' })
  const { id } = (await editor.turn('Change it')).conversation
  await editor.decide(id, true)
  await bench.settle()
  const { runId } = await bench.row(id)
  bench.api.reply({ fault: 'status', status: 400 })
  expect((await edit(id, 0, 'Change it', 'Fail')).body).toMatchObject({
    droppedRuns: [{ runId, changes: 1 }],
  })
  await bench.settle()
  expect((await editor.poll(id)).conversation.status).toBe('failed')
  bench.api.reply({ text: 'Better.' })
  expect((await edit(id, 0, 'Fail', 'Again')).body).not.toHaveProperty('droppedRuns')
  await bench.settle()
  await choose(id, 0, 2)
  expect((await editor.poll(id)).conversation).toMatchObject({
    status: 'idle',
    errorCode: null,
    messageCount: 1,
  })

  await choose(id, 0, 1)
  expect((await edit(id, 0, 'Change it', 'Last')).body).toMatchObject({
    droppedRuns: [{ runId, changes: 1 }],
  })
  await bench.settle()
})

test('of a choice and a message at the same time, both are whole', async () => {
  bench.api.always({ text: 'Answer.' })
  const { id } = (await editor.turn('Question')).conversation
  await edit(id, 0, 'Question')
  await bench.settle()

  const [chosen, sent] = await Promise.all([
    choose(id, 0, 1),
    editor.post('send', { conversationId: id, content: 'More' }),
  ])
  await bench.settle()

  expect([200, 409]).toContain(chosen.status)
  expect([202, 409]).toContain(sent.status)
  const contents = async () => (await editor.poll(id)).messages.map(({ content }) => content)
  const all = [await contents()]
  await choose(id, 0, 1)
  all.push(await contents())
  await choose(id, 0, 2)
  all.push(await contents())
  const wholes = [
    ['Question', 'Answer.'],
    ['Question', 'Answer.', 'More', 'Answer.'],
  ].map(String)
  expect(all.every((one) => wholes.includes(String(one)))).toBe(true)
  expect(all.some((one) => one.includes('More'))).toBe(sent.status === 202)
})

test('is refused for what is not there, while busy, and where too many are kept', async () => {
  const left = Array.from({ length: maxLeft }, (_, at) => ({
    path: [[at + 1, 0]] as [number, number][],
    messageCount: 1,
    files: [],
  }))
  const full = await storedWith(['One', 'Answer'], { left, cut: maxLeft })
  expect((await edit(full.id, 0, 'One', 'Two')).body).toMatchObject({
    error: { code: 'message.tooManyVersions' },
  })

  const { id } = await storedWith(['One', 'Answer'])
  expect((await choose(id, 0, 2)).body.error?.code).toBe('conversation.changed')
  expect((await choose(id, 7, 1)).body.error?.code).toBe('conversation.changed')
  bench.api.reply({ text: 'Later.' })
  await editor.send('Busy', { conversationId: id })
  expect((await choose(id, 0, 2)).body.error?.code).toBe('conversation.busy')
})
