import { afterEach, expect, test } from 'vitest'
import type { SessionAnswer } from '../../../../core/user/session/schema.ts'
import { Api } from '../../../../web/chat/api.ts'
import type { RecordChange } from '../../../../web/chat/store/channel.ts'
import { ChatStore } from '../../../../web/chat/store/chat-store.ts'
import { answer, conversationId, summary } from '../build.ts'
import { shelf } from './shelf.ts'

/** A stage where a user of this uid is logged in. */
class Stage extends Api {
  readonly #uid: number
  /** The user's conversation. */
  stored = summary({ status: 'locked', version: 1 })

  /** Every answer but the session waits for it. */
  door = Promise.resolve()
  /** The session waits for it. */
  entrance = Promise.resolve()

  constructor(uid: number) {
    super('http://stage.test', false)
    this.#uid = uid
  }

  override async session(): Promise<SessionAnswer> {
    await this.entrance
    const one = { uid: this.#uid, username: '', name: '', isAdmin: false, groups: [], lang: 'en' }
    return { user: one, csrfToken: 'token', mayChat: true }
  }

  override async get<T>(path: string): Promise<T> {
    await this.door
    if (path === '/conversations/messages') return answer({ reset: true, conversation: this.stored }) as T
    return (path === '/status' ? {} : { conversations: [this.stored], nextCursor: null }) as T
  }
}

const stores: ChatStore[] = []
afterEach(() => {
  for (const store of stores.splice(0)) store.forget()
})

/** The chat in a tab of the browser. */
async function tab(uid: number, stage = new Stage(uid)): Promise<ChatStore> {
  const page = { isVisible: () => true, storage: shelf(), tab: shelf(), locks: undefined }
  const store = new ChatStore(stage, page)
  stores.push(store)
  await store.start()
  return store
}

const change = (uid: number): RecordChange => ({ key: `run call news:${uid}`, table: 'news', uid })
const says = (store: ChatStore, uid: number) => store.tell({ type: 'records', changes: [change(uid)] })

test('changes are heard in the other tabs of the user, and in no tab of another user', async () => {
  const [mine, other] = [await tab(2), await tab(2)]
  const [stranger, friend] = [await tab(3), await tab(3)]

  says(mine, 1)
  await expect.poll(() => other.heard).toEqual([change(1)])
  says(friend, 2)
  await expect.poll(() => stranger.heard).toEqual([change(2)])

  expect(mine.heard).toEqual([])
  expect(other.heard).toEqual([change(1)])
})

test.each([
  ['session', 'entrance'],
  ['list', 'door'],
] as const)('a %s that is on its way at the logout brings nothing back', async (_, way) => {
  const stage = new Stage(2)
  const store = await tab(2, stage)
  const { promise, resolve } = Promise.withResolvers<void>()
  stage[way] = promise
  const again = store.reconnect()
  await new Promise(setImmediate)

  store.forget()
  resolve()
  await again

  expect([store.user, store.phase, store.active.items]).toEqual([null, 'expired', []])
})

test('a logout leaves nothing that was heard, and no tab hears on', async () => {
  const [mine, other] = [await tab(2), await tab(2)]
  says(mine, 1)
  await expect.poll(() => other.heard).toEqual([change(1)])

  mine.forget()
  await expect.poll(() => other.user).toBeNull()
  expect(other.heard).toEqual([])

  const [next, beside] = [await tab(2), await tab(2)]
  says(next, 3)
  await expect.poll(() => beside.heard).toEqual([change(3)])
  expect([mine.heard, other.heard]).toEqual([[], []])
})

test.each(['idle', 'awaiting_approval'] as const)(
  'a turn that one tab sees become %s is that in the list of a tab that shows another conversation',
  async (status) => {
    const [mine, other] = [new Stage(2), new Stage(2)]
    const [first, second] = [await tab(2, mine), await tab(2, other)]
    const conversation = first.conversation(conversationId)
    first.show({}, conversation)
    await expect.poll(() => conversation.isFresh).toBe(false)
    expect([second.busyCount, second.active.waitingCount]).toEqual([1, 0])

    mine.stored = summary({ status, version: 2 })
    first.look(conversation)

    await expect.poll(() => second.active.items.map((item) => item.status)).toEqual([status])
    expect(second.busyCount).toBe(0)
  },
)
