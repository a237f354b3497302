import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { MessagesAnswer } from '../../../../core/chat/messages-request.ts'
import type { ListAnswer } from '../../../../core/chat/request.ts'
import type { SessionAnswer } from '../../../../core/user/session/schema.ts'
import { Api, ApiError } from '../../../../web/chat/api.ts'
import { ChatStore } from '../../../../web/chat/store/chat-store.ts'
import { changeConversation, sendMessage } from '../../../../web/chat/store/outbox.ts'
import { changeQueue } from '../../../../web/chat/store/queued-messages.ts'
import { answer, assistant, conversationId, summary, user } from '../build.ts'
import { shelf } from './shelf.ts'

const asked = user(0, 'How much is the lamp?')
const running = answer({ conversation: summary({ status: 'locked', version: 2 }), messages: [asked] })
const ended = answer({
  conversation: summary({ status: 'idle', version: 3 }),
  messages: [assistant(1, 'It costs 149 EUR.')],
})

/** A stage whose every answer the test gives, when it wants. */
class Scripted extends Api {
  replies: (() => Promise<MessagesAnswer>)[] = []
  always = (): Promise<MessagesAnswer> => Promise.reject(new Error('Not asked for'))
  listed = running.conversation
  posted: object = { conversation: running.conversation, sequence: 0 }
  polls = 0
  titles = false

  constructor() {
    super('http://stage.test', false)
  }

  override session(): Promise<SessionAnswer> {
    const editor = { uid: 2, username: 'editor', name: 'Editor', isAdmin: false, groups: [1], lang: 'en' }
    return Promise.resolve({ user: editor, csrfToken: 'token', mayChat: true })
  }

  override async get<T>(path: string, _query: object = {}, signal?: AbortSignal): Promise<T> {
    if (path === '/status') return { pollIntervalMs: 1_000, titles: this.titles } as T
    if (path === '/conversations') {
      const list: ListAnswer = { conversations: [this.listed], nextCursor: null }
      return list as T
    }
    this.polls++
    const reply = this.replies.shift() ?? this.always
    const gone = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
    return (await Promise.race([reply(), gone])) as T
  }

  override async post<T>(): Promise<T> {
    return this.posted as T
  }
}

let store: ChatStore
let stage: Scripted

beforeEach(() => {
  vi.useFakeTimers()
  stage = new Scripted()
  store = new ChatStore(stage, {
    isVisible: () => true,
    storage: shelf(),
    tab: shelf(),
    locks: undefined,
  })
})
afterEach(() => {
  store.forget()
  vi.useRealTimers()
})

/** A view shows the conversation while its turn runs, and has asked for it once. */
async function shown() {
  await store.start()
  const conversation = store.conversation(conversationId)
  store.show({}, conversation)
  await vi.advanceTimersByTimeAsync(0)
  expect(conversation.transcript.messages).toEqual([asked])
  return conversation
}

test('an answer that the list knew of before the poll is fetched, once', async () => {
  const first = Promise.withResolvers<MessagesAnswer>()
  stage.replies.push(
    async () => running,
    () => first.promise,
  )
  stage.always = async () => ended
  const conversation = await shown()

  // The turn ends while the poll's question is on its way: the list has seen the end, and answers first.
  stage.listed = ended.conversation
  await store.refreshLists()
  first.resolve({ ...running, messages: [], unchanged: true })
  await vi.advanceTimersByTimeAsync(10_000)

  expect(conversation.transcript.messages).toEqual([asked, ...ended.messages])
  expect(conversation.status).toBe('idle')
  expect(stage.polls).toBe(3)
})

test('a message that is sent while its conversation still loads is followed to its answer', async () => {
  const first = Promise.withResolvers<MessagesAnswer>()
  stage.listed = summary({ version: 1 })
  stage.replies.push(() => first.promise)
  stage.always = async () => ({ ...ended, messages: [asked, ...ended.messages] })
  await store.start()
  const conversation = store.conversation(conversationId)
  store.show({}, conversation)

  conversation.draft = asked.content
  await sendMessage(store, conversation, null)
  // The stage read the conversation for this answer before it stored the message.
  first.resolve(answer({ conversation: summary({ version: 1 }), reset: true }))
  await vi.advanceTimersByTimeAsync(10_000)

  expect(conversation.transcript.messages).toHaveLength(2)
  expect(conversation.isBusy).toBe(false)
})

test('an answer to the first question that comes late takes back nothing that is known meanwhile', async () => {
  const late = Promise.withResolvers<MessagesAnswer>()
  const gap = answer({ conversation: running.conversation, messages: [assistant(7, 'Later')] })
  stage.replies.push(
    async () => running,
    async () => gap,
    () => late.promise,
    async () => ended,
  )
  stage.always = async () => ({ ...ended, messages: [], unchanged: true })
  const conversation = await shown()
  await vi.advanceTimersByTimeAsync(1_500)
  store.look(conversation)
  await vi.advanceTimersByTimeAsync(0)
  expect(conversation.transcript.version).toBe(3)

  late.resolve({ ...running, reset: true })
  await vi.advanceTimersByTimeAsync(0)

  expect(conversation.transcript.messages).toEqual([asked, ...ended.messages])
})

test('an answer to a question before an action, which comes after the action, does not show the state before it', async () => {
  const late = Promise.withResolvers<MessagesAnswer>()
  const waiting = [{ id: 'm', content: 'And in green?', now: false }]
  const before = summary({ status: 'locked', version: 3 })
  stage.replies.push(
    async () => running,
    () => late.promise,
  )
  stage.always = () => new Promise(() => {})
  const conversation = await shown()
  await vi.advanceTimersByTimeAsync(1_500)

  stage.posted = { conversation: summary({ status: 'locked', version: 4 }), next: [] }
  await changeQueue(store, conversation, { act: 'remove', id: 'm' })
  stage.posted = { conversation: summary({ version: 5, archived: true }) }
  await changeConversation(store, conversation, 'archive', { archived: true })
  late.resolve(answer({ conversation: before, messages: [assistant(1, 'Green?')], next: waiting }))
  await vi.advanceTimersByTimeAsync(0)

  expect(conversation.transcript.next).toEqual([])
  expect(store.active.items).toEqual([])
})

test('a stage that fails at every question is not asked more often for it', async () => {
  stage.replies.push(async () => running)
  stage.always = async () => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    throw new ApiError(500, { code: 'internal', message: 'Failed.' })
  }
  await shown()
  const before = stage.polls

  await vi.advanceTimersByTimeAsync(10_000)

  expect(stage.polls - before).toBeLessThanOrEqual(2)
})

test.each([
  [true, 'Aurora lamp: price', 3],
  [false, 'How much?', 2],
])(
  'where a model writes titles is %s, the title after the first answer is %s',
  async (titles, title, polls) => {
    stage.titles = titles
    stage.listed = summary({ status: 'locked', version: 2, title: 'How much?' })
    const end = Promise.withResolvers<MessagesAnswer>()
    const titled = summary({ status: 'idle', version: 4, title: 'Aurora lamp: price' })
    stage.replies.push(
      async () => ({ ...running, conversation: stage.listed }),
      () => end.promise,
      async () => answer({ conversation: titled, messages: [] }),
    )
    const conversation = await shown()

    end.resolve({ ...ended, conversation: { ...ended.conversation, title: 'How much?' } })
    await vi.advanceTimersByTimeAsync(60_000)

    expect([conversation.title, stage.polls]).toEqual([title, polls])
  },
)
