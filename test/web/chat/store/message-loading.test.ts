import { afterEach, expect, test } from 'vitest'
import type { Message } from '../../../../core/conversation/transcript/schema.ts'
import type { SessionAnswer } from '../../../../core/user/session/schema.ts'
import { Api } from '../../../../web/chat/api.ts'
import { ChatStore } from '../../../../web/chat/store/chat-store.ts'
import { earlier } from '../../../../web/chat/store/message-loading.ts'
import { answer, conversationId, summary, user } from '../build.ts'
import { shelf } from './shelf.ts'

/** A stage with one conversation, which gives at most `most` messages in one answer. */
class Stage extends Api {
  messages: Message[] = []
  version = 1
  /** The version from which on earlier messages are others. */
  cutVersion = 0
  most = 200
  /** Answers with older messages wait for it. */
  door = Promise.resolve()

  override session(): Promise<SessionAnswer> {
    const one = { uid: 2, username: '', name: '', isAdmin: false, groups: [], lang: 'en' }
    return Promise.resolve({ user: one, csrfToken: 'token', mayChat: true })
  }

  override async get<T>(path: string, query: Record<string, number | undefined> = {}): Promise<T> {
    if (path !== '/conversations/messages')
      return (path === '/status' ? {} : { conversations: [], nextCursor: null }) as T
    const { after = 0, version, before, tail } = query
    const { length } = this.messages
    const conversation = summary({ version: this.version, messageCount: length })
    if (before !== undefined) {
      const messages = this.messages.slice(Math.max(0, before - (query.limit ?? 0)), before)
      await this.door
      return answer({ conversation, messages }) as T
    }
    if (version === this.version) return answer({ conversation, unchanged: true }) as T
    const reset = tail === undefined && version !== undefined && this.cutVersion > version
    const first = tail === undefined ? after : Math.max(0, length - tail)
    const from = reset ? 0 : first
    const messages = this.messages.slice(from, from + this.most)
    return answer({ conversation, messages, reset, more: from + this.most < length }) as T
  }

  /** The conversation has this many messages from now on. */
  grow(count: number): void {
    this.messages = Array.from({ length: count }, (_, at) => user(at, `Message ${at}`))
    this.version++
  }
}

const stores: ChatStore[] = []
afterEach(() => {
  for (const store of stores.splice(0)) store.forget()
})

/** The chat in a hidden tab, which polls nothing by itself, with the conversation open. */
async function opened(stage: Stage) {
  const page = { isVisible: () => false, storage: shelf(), tab: shelf(), locks: undefined }
  const store = new ChatStore(stage, page)
  stores.push(store)
  await store.start()
  const conversation = store.conversation(conversationId)
  store.look(conversation)
  await expect.poll(() => conversation.isFresh).toBe(false)
  const known = () => {
    const { messages } = conversation.transcript
    return [messages[0]?.sequence, messages.at(-1)?.sequence, messages.length]
  }
  return { store, conversation, known }
}

test('where one answer does not hold all new messages, the others are asked for', async () => {
  const stage = new Stage('http://stage.test', false)
  stage.grow(1)
  const { store, conversation, known } = await opened(stage)

  stage.grow(450)
  store.look(conversation)

  await expect.poll(known).toEqual([0, 449, 450])
})

test('where one answer does not hold the newest messages, they are asked for', async () => {
  const stage = new Stage('http://stage.test', false)
  stage.most = 25
  stage.grow(100)

  const { known } = await opened(stage)

  await expect.poll(known).toEqual([40, 99, 60])
})

test('a transcript that begins anew while older messages are on their way ends with its newest one', async () => {
  const stage = new Stage('http://stage.test', false)
  stage.grow(100)
  const { store, conversation, known } = await opened(stage)
  const door = Promise.withResolvers<void>()
  stage.door = door.promise
  const older = earlier(store, conversation)

  stage.grow(250)
  stage.cutVersion = stage.version
  store.look(conversation)
  await new Promise(setImmediate)
  door.resolve()
  await older
  store.look(conversation)

  await expect.poll(known).toEqual([190, 249, 60])
})
