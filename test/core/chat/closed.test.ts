import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Bench, startBench, type User } from '../../support/live.ts'

/** When no turn may start: the stage is maintained, or its consumers do not keep up. */

let bench: Bench
let editor: User

beforeAll(async () => {
  bench = await startBench({ maxActiveConversations: null })
  bench.api.always({ text: 'Answer.' })
  editor = await bench.login('editor')
})
afterEach(async () => {
  await bench.configure()
  await bench.settle()
  await bench.cleanup()
})
afterAll(() => bench.stop())

const refusal = (code: string) => ({
  status: 503,
  headers: { 'retry-after': '60' },
  body: { error: { code, retryAfterMs: 60_000 } },
})

test('a stage that is maintained starts no turn, ends those that run, and shows what is there', async () => {
  const { conversation } = await editor.send('Before')
  await bench.configure({ maintenance: true })

  expect(await editor.post('send', { content: 'During' })).toMatchObject(refusal('service.maintenance'))
  expect((await bench.settle()).length).toBe(1)
  expect((await editor.poll(conversation.id)).messages).toHaveLength(2)
  const body = { conversationId: conversation.id, content: 'Other', sequence: 0, expectedContent: 'Before' }
  expect(await editor.post('edit', body)).toMatchObject(refusal('service.maintenance'))
})

test('a failed turn is not tried again while the stage is maintained, and is afterwards', async () => {
  bench.api.reply({ fault: 'status', status: 401 })
  const failed = await editor.turn('Fails')
  await bench.configure({ maintenance: true })
  const body = { conversationId: failed.conversation.id }

  expect(await editor.post('retry', body)).toMatchObject(refusal('service.maintenance'))
  await bench.configure()
  expect((await editor.post('retry', body)).status).toBe(202)
})

test('the same request again answers what it answered before the maintenance', async () => {
  const sent = await editor.post('send', { content: 'Once' }, { key: 'once' })
  await bench.configure({ maintenance: true })

  expect(await editor.post('send', { content: 'Once' }, { key: 'once' })).toMatchObject({
    status: 202,
    body: sent.body as object,
  })
})

test('a start is refused while three others have waited for longer than two minutes, and taken once they run', async () => {
  for (const content of ['One', 'Two', 'Three']) await editor.send(content)
  await bench.clock.pass(121_000)
  await bench.cleanup()

  expect(await editor.post('send', { content: 'Four' })).toMatchObject(refusal('service.busy'))
  await bench.settle()
  await bench.cleanup()
  expect((await editor.post('send', { content: 'Four' })).status).toBe(202)
})

test('two that wait, perhaps because their messages were lost, refuse no user', async () => {
  for (const content of ['One', 'Two']) await editor.send(content)
  await bench.clock.pass(121_000)
  await bench.cleanup()

  expect((await editor.post('send', { content: 'Three' })).status).toBe(202)
})

test('what cleanup saw three minutes ago counts no longer', async () => {
  for (const content of ['One', 'Two', 'Three']) await editor.send(content)
  await bench.clock.pass(121_000)
  await bench.cleanup()
  await bench.clock.pass(180_000)

  expect((await editor.post('send', { content: 'Four' })).status).toBe(202)
})

test('a stage whose tokens of the day are used up starts no turn until midnight, and ends those that run', async () => {
  // What the tests before have used counts for their day.
  await bench.clock.pass(24 * 3_600_000)
  editor = await bench.login('editor')
  const author = await bench.login('autorin')
  bench.api.always({ text: 'Answer.', usage: { input: 60, output: 40 } })
  await bench.configure({ dailyTokens: 200 })
  const spent = { status: 429, body: { error: { code: 'stage.budgetSpent' } } }

  await editor.turn('One')
  await bench.cleanup()
  await author.turn('Two')
  const running = await editor.send('Three')
  expect((await author.post('send', { content: 'Before the next look' })).status).toBe(202)
  await bench.cleanup()

  expect(await author.post('send', { content: 'Four' })).toMatchObject(spent)
  expect(await editor.post('send', { content: 'Five' })).toMatchObject(spent)
  await bench.settle()
  expect((await editor.poll(running.conversation.id)).conversation.status).toBe('idle')
  const { body } = await (await bench.login('admin')).get('/status')
  expect(body).toMatchObject({ usage: { stage: { todayTokens: 200, dailyTokens: 200 } } })
  expect((await editor.get('/status')).body).toMatchObject({ usage: { stage: null } })

  await bench.clock.pass(24 * 3_600_000)
  editor = await bench.login('editor')
  expect((await editor.post('send', { content: 'Tomorrow' })).status).toBe(202)
})

test('a message that waits for the end of a turn stays where the tokens of the stage are used up', async () => {
  bench.api.always({ text: 'Answer.', usage: { input: 60, output: 40 } })
  await bench.configure({ dailyTokens: 100 })
  await editor.turn('One')
  const { conversation } = await editor.send('Two')
  await editor.post('next', { act: 'add', conversationId: conversation.id, content: 'Three' })
  await bench.cleanup()
  await bench.settle()

  expect(await editor.poll(conversation.id)).toMatchObject({
    conversation: { status: 'idle' },
    next: [{ content: 'Three' }],
  })
})
