import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Clock } from '../../core/base/clock.ts'
import type { MessagesAnswer } from '../../core/chat/messages-request.ts'
import * as Queue from '../../core/conversation/queue.ts'
import type { Summary } from '../../core/conversation/schema.ts'
import type { UploadAnswer } from '../../core/file/schema.ts'
import type { CreatedTokenAnswer } from '../../core/user/access-token/schema.ts'
import type { ConnectionsAnswer } from '../../core/user/connection/schema.ts'
import { tokenOf } from '../../core/user/connection/user-token.ts'
import * as Session from '../../core/user/session/session.ts'
import { answered, type Call, event } from '../support/call.ts'
import { putInto } from '../support/direct-upload.ts'
import { connect, shop, startGranted } from '../support/grants.ts'
import { type Bench, standing, startBench } from '../support/live.ts'
import { program } from '../support/program.ts'
import { configuration, model, provider, task } from '../support/settings.ts'
import { previous } from './previous.ts'
import { type Release, start } from './release.ts'

/**
 * While a release is rolled out, and when it is rolled back, two releases work on one table and one queue. Here each half of a
 * story runs on another release, in both directions.
 */

let bench: Bench
let granted: Awaited<ReturnType<typeof startGranted>>
let starts: Record<string, typeof start>

beforeAll(async () => {
  bench = await startBench()
  granted = await startGranted()
  starts = { 'this release': start, 'the previous release': await previous() }
})
beforeEach(() => {
  bench.api.reset()
  bench.api.always({ text: 'The answer.' })
})
afterAll(() => Promise.all([bench.stop(), granted.stop()]))

const rename = (uid: number, title: string) => ({
  name: 'update_record',
  arguments: { table: 'news', uid, fields: { title } },
})
const title = (uid: number) => bench.field('news', uid)

describe.each([
  ['this release', 'the previous release', 1],
  ['the previous release', 'this release', 2],
])('%s beside %s', (one, other, uid) => {
  let near: Editor
  let far: Editor
  beforeEach(async () => {
    near = await editor(started(one))
    far = await editor(started(other))
  })

  test('a message that one took is answered by the other and read by both', async () => {
    const { conversation } = await near.send('A question')
    await far.work()

    const [mine, theirs] = [await near.poll(conversation.id), await far.poll(conversation.id)]
    const texts = [mine, theirs].map(({ messages }) => messages.map(({ role, content }) => [role, content]))
    expect(texts[0]).toEqual([
      ['user', 'A question'],
      ['assistant', 'The answer.'],
    ])
    expect(texts[1]).toEqual(texts[0])
    expect([mine, theirs].map((poll) => poll.conversation.status)).toEqual(['idle', 'idle'])
  })

  test('what one proposed the other carries out, and the first takes it back', async () => {
    const before = await title(uid)
    bench.api.reply({ text: 'I propose:', calls: [rename(uid, `A title of ${one}`)] })
    const { conversation } = await near.send('Change it')
    await near.work()
    const { pendingApproval } = await far.poll(conversation.id)
    await far.post('approve', {
      conversationId: conversation.id,
      digest: pendingApproval?.digest,
      approve: true,
    })
    await far.work()
    expect(await title(uid)).toBe(`A title of ${one}`)

    const { messages } = await near.poll(conversation.id)
    const runId = messages.find((message) => message.runId)?.runId
    await near.post('undo', { conversationId: conversation.id, runId })

    expect(await title(uid)).toBe(before)
    expect((await far.poll(conversation.id)).messages.at(-1)?.notice).toBe('undone')
  })

  test('a turn whose consumer is gone is resumed by the other, and the first changes nothing any more', async () => {
    const answer = Promise.withResolvers<void>()
    bench.api.reply(async () => {
      await answer.promise
      return { text: 'Too late.' }
    })
    const { conversation } = await near.send('A question')
    const lost = (await editor(started(one, standing(bench.clock)))).work()
    await bench.api.received(1)
    await bench.clock.pass(100_000)
    await far.release.cleanUp()
    await far.work()
    answer.resolve()
    await lost

    const { messages } = await near.poll(conversation.id)
    expect(messages.map(({ content }) => content)).toEqual(['A question', 'The answer.'])
  })

  test('a file that one took is read by the other', async () => {
    const fileUid = await near.upload('notes.txt', 'Everything about lamps.')
    await near.send('Read it', { fileUid })
    await far.work()

    expect(JSON.stringify(bench.api.requests.at(-1)?.body.messages)).toContain('Everything about lamps.')
  })

  test('settings that one applied are settings of the other', async () => {
    const given = provider({ name: 'Anthropic', adapter: 'anthropic', baseUrl: bench.api.url })
    // A file names only what its release knows.
    const { requestsPerMinute: _, tokensPerMinute: __, ...known } = given
    await near.release.apply({
      providers: [known],
      models: [model({ modelId: 'claude-sonnet-5-5' })],
      configurations: [configuration()],
      tasks: [task()],
    })
    const { conversation } = await far.send('A question')
    await far.work()

    expect((await far.poll(conversation.id)).conversation.status).toBe('idle')
  })

  test('a question of one is answered at the other, and the first goes on with the answer', async () => {
    const question = { question: 'Which colour?', choices: ['Red', 'Green'] }
    bench.api.reply({ text: 'One thing:', calls: [{ name: 'ask_user', arguments: question }] })
    const conversationId = await ended(near, 'Paint it')
    const { pendingApproval } = await far.poll(conversationId)
    expect(pendingApproval?.calls.map(({ question }) => question?.choices)).toEqual([['Red', 'Green']])
    await far.post('answer', { conversationId, digest: pendingApproval?.digest, choices: [1] })
    await near.work()

    expect(lastRequest()).toContain('The user answers: Green')
    expect((await far.poll(conversationId)).conversation.status).toBe('idle')
  })

  test('a message that waits at one is seen, and sent, by the other', async () => {
    const { conversation } = await near.send('First')
    await near.post('next', { act: 'add', conversationId: conversation.id, content: 'Second' })
    expect((await far.poll(conversation.id)).next.map(({ content }) => content)).toEqual(['Second'])
    await far.work()

    const { messages, next } = await near.poll(conversation.id)
    expect(messages.map(({ content }) => content)).toEqual(['First', 'The answer.', 'Second', 'The answer.'])
    expect(next).toEqual([])
  })

  test('a batch of one is decided row by row at the other, and taken back at the first', async () => {
    const titles = () => Promise.all([1, 2].map(title))
    const before = await titles()
    const changes = [1, 2].map((uid) => ({ uid, fields: { title: `Batch ${uid} of ${one}` } }))
    const batch = { id: 'batch', name: 'update_records', arguments: { table: 'news', changes } }
    bench.api.reply({ text: 'I propose:', calls: [batch] })
    const conversationId = await ended(near, 'Change both')
    const { pendingApproval } = await far.poll(conversationId)
    const ids = pendingApproval?.calls.map(({ id }) => id) ?? []
    expect(ids).toHaveLength(2)
    const decision = { digest: pendingApproval?.digest, approve: true, denied: ids.slice(1) }
    await far.post('approve', { conversationId, ...decision })
    await far.work()
    expect(await titles()).toEqual([`Batch 1 of ${one}`, before[1]])

    const runId = (await near.poll(conversationId)).messages.find((message) => message.runId)?.runId
    await near.post('undo', { conversationId, runId })

    expect(await titles()).toEqual(before)
  })

  test('a batch that one proposed under a long id is carried out by the other', async () => {
    const changes = [3, 4].map((uid) => ({ uid, fields: { title: `Batch ${uid} of ${one}` } }))
    const id = `call_${'x'.repeat(1_000)}`
    bench.api.reply({
      text: 'I propose:',
      calls: [{ id, name: 'update_records', arguments: { table: 'news', changes } }],
    })
    const conversationId = await ended(near, 'Change both')
    const { pendingApproval } = await far.poll(conversationId)
    await far.post('approve', { conversationId, digest: pendingApproval?.digest, approve: true })
    await far.work()

    expect(await Promise.all([3, 4].map(title))).toEqual(changes.map(({ fields }) => fields.title))
    expect(lastRequest()).toContain('Stored: 2 of 2: [3] [4]')
  })

  test('a message that one edited has both versions at the other', async () => {
    const conversationId = await ended(near, 'A lamp')
    const change = { sequence: 0, content: 'A chair', expectedContent: 'A lamp' }
    await near.post('edit', { conversationId, ...change })
    await far.work()
    expect((await far.poll(conversationId)).versions).toEqual([{ sequence: 0, at: 2, of: 2 }])
    await far.post('version', { conversationId, sequence: 0, version: 1 })

    const { messages } = await near.poll(conversationId)
    expect(messages.map(({ content }) => content)).toEqual(['A lamp', 'The answer.'])
  })

  test('a summary that one made stands in the place of the turns for the other', async () => {
    await configure({ historyTokens: 10_000, maxMessageLength: 20_000 })
    const long = (name: string) => `${name}. ${'words '.repeat(1_500)}`
    const conversationId = await ended(near, long('The lamps'))
    for (const name of ['Second', 'Third', 'Fourth']) await ended(near, long(name), conversationId)
    bench.api.reply({ text: 'The user reworks all lamps.' })
    await ended(near, 'Go on.', conversationId)
    await ended(far, 'And on.', conversationId)

    expect(lastRequest()).toContain('The user reworks all lamps.')
    expect(
      (await far.poll(conversationId)).messages.filter(({ notice }) => notice === 'summarised'),
    ).toHaveLength(1)
    await configure()
  })

  test('the access token that one made is good at the other until the first ends it', async () => {
    await configure({ accessTokens: { trustZone: 'internal' } })
    const { token, tokens } = await near.ask<CreatedTokenAnswer>('/ai-chat/access-tokens/create', {
      body: { name: 'Laptop', days: 30 },
    })
    const client = await program(far.release.handler, token)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('get_page_tree')
    for (const { id } of tokens) await near.ask('/ai-chat/access-tokens/revoke', { body: { id } })

    await expect(program(far.release.handler, token)).rejects.toThrow()
    await configure()
  })

  test('the grant that one got is used by the other, and is gone when the first disconnects', async () => {
    const server = shop(granted.url)
    await configure({ mcpServers: [server] })
    await connect(bench, await bench.login('editor'))
    const token = await tokenOf(2, server, bench.clock.now())
    await configure({ mcpServers: [{ ...server, auth: 'token' }] })
    await near.ask('/ai-chat/connections/token', { body: { server: 'shop', token } })
    granted.called.splice(0)
    bench.api.reply({ calls: [{ name: 'mcp__shop__price', arguments: { item: 'lamp' } }] })
    await ended(far, 'What is the price?')
    expect(granted.called).toHaveLength(1)
    await near.ask('/ai-chat/connections/disconnect', { body: { server: 'shop' } })

    const { connections } = await far.ask<ConnectionsAnswer>('/ai-chat/connections')
    expect(connections.map(({ state }) => state)).toEqual(['none'])
    await configure()
  })

  test('what one archived and removed is so for the other', async () => {
    const { conversation } = await near.send('A question')
    await near.work()
    const shown = async () => {
      const { conversations } = await near.get<{ conversations: Summary[] }>('', { archived: true })
      return conversations.some(({ id }) => id === conversation.id)
    }
    await bench.clock.pass(31 * 86_400_000)
    near = await editor(near.release)
    await far.release.cleanUp()
    expect(await shown()).toBe(true)
    await bench.clock.pass(91 * 86_400_000)
    near = await editor(near.release)
    await far.release.cleanUp()

    expect(await shown()).toBe(false)
  })
})

const started = (name: string, clock: Clock = bench.clock) =>
  (starts[name] as typeof start)(clock, bench.api.key)

/** Sends a message at a release whose consumers work until nothing is queued; the id of its conversation. */
async function ended(user: Editor, content: string, conversationId?: string): Promise<string> {
  const { conversation } = await user.send(content, { conversationId })
  await user.work()
  return conversation.id
}

/** Changes the settings of the stage, and lets both releases read them again. */
async function configure(over: Parameters<Bench['configure']>[0] = {}): Promise<void> {
  await bench.configure(over)
  await bench.clock.pass(30_000)
}

const lastRequest = () => JSON.stringify(bench.api.requests.at(-1)?.body.messages)

type Editor = Awaited<ReturnType<typeof editor>>

/** The editor at a release, with a session of their own. */
async function editor(release: Release) {
  const { token, csrfToken } = await Session.start(2, bench.clock.now())
  const ask = async <T>(address: string, options: Omit<Call, 'form'> = {}): Promise<T> => {
    const headers = { 'x-csrf-token': csrfToken }
    const asked = event(address, { ...options, headers, cookies: [`be_session=${token}`] })
    const { status, body } = answered<T>(await release.handler(asked, {} as never))
    if (status >= 300) throw new Error(`${address}: ${status} ${JSON.stringify(body)}`)
    return body
  }
  const post = <T>(verb: string, body: object) => ask<T>(`/ai-chat/conversations/${verb}`, { body })
  const get = <T>(path: string, query: Record<string, string | boolean>) =>
    ask<T>(
      `/ai-chat/conversations${path}?${new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)]))}`,
    )
  return {
    release,
    ask,
    post,
    get,
    send: (content: string, more: object = {}) =>
      post<{ conversation: Summary }>('send', { content, ...more }),
    poll: (conversationId: string) => get<MessagesAnswer>('/messages', { conversationId }),
    /** Announces a file and puts it into the store, as a browser does. */
    upload: async (name: string, text: string) => {
      const wish = { name, mimeType: 'text/plain', size: Buffer.byteLength(text) }
      const { fileUid, upload } = await ask<UploadAnswer>('/ai-chat/file-upload', { body: wish })
      expect((await putInto(upload, new Blob([text], { type: wish.mimeType }))).ok).toBe(true)
      await ask('/ai-chat/file-upload/complete', { body: { fileUid } })
      return fileUid
    },
    /** Lets consumers of this release work until nothing is queued. */
    work: async () => {
      for (;;) {
        const [received] = await Queue.receive(1, 0)
        if (!received?.job) return
        await release.consume(received.job)
        await Queue.remove(received.receipt)
      }
    },
  }
}
