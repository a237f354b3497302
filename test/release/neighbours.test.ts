import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Clock } from '../../core/base/clock.ts'
import type { MessagesAnswer } from '../../core/chat/request.ts'
import * as Queue from '../../core/conversation/queue.ts'
import type { Summary } from '../../core/conversation/schema.ts'
import type { UploadAnswer } from '../../core/file/schema.ts'
import * as Session from '../../core/user/session/session.ts'
import { answered, type Call, event } from '../support/call.ts'
import { putInto } from '../support/direct-upload.ts'
import { type Bench, standing, startBench } from '../support/live.ts'
import { configuration, model, provider, task } from '../support/settings.ts'
import { previous } from './previous.ts'
import { type Release, start } from './release.ts'

/**
 * While a release is rolled out, and when it is rolled back, two releases work on one table and one queue. Here each half of a
 * story runs on another release, in both directions.
 */

let bench: Bench
let starts: Record<string, typeof start>

beforeAll(async () => {
  bench = await startBench()
  starts = { 'this release': start, 'the previous release': await previous() }
})
beforeEach(() => {
  bench.api.reset()
  bench.api.always({ text: 'The answer.' })
})
afterAll(() => bench.stop())

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
