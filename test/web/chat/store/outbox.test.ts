import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SessionAnswer } from '../../../../core/user/session/schema.ts'
import { Api, ApiError } from '../../../../web/chat/api.ts'
import { detach } from '../../../../web/chat/store/attach.ts'
import { ChatStore } from '../../../../web/chat/store/chat-store.ts'
import { instruct } from '../../../../web/chat/store/manage.ts'
import { type Conversation, storedFile } from '../../../../web/chat/store/open-conversation.ts'
import { discard, sendAgain, sendMessage } from '../../../../web/chat/store/outbox.ts'
import { edit } from '../../../../web/chat/store/rerun.ts'
import { recall } from '../../../../web/chat/store/storage.ts'
import { answer, conversationId, summary, user } from '../build.ts'
import { shelf } from './shelf.ts'

/** A stage of one user, which can be out of reach. */
class Stage extends Api {
  isReachable = true
  /** The connection is lost while this path answers. */
  lost = ''
  /** The words that it refuses. */
  refused = ''
  /** The path of the request that each key belongs to. */
  readonly #paths = new Map<string, string>()
  readonly sent: { path: string; body: unknown; key: string | undefined }[] = []

  override session(): Promise<SessionAnswer> {
    const one = { uid: 2, username: '', name: '', isAdmin: false, groups: [], lang: 'en' }
    return Promise.resolve({ user: one, csrfToken: 'token', mayChat: true })
  }

  override async get<T>(path: string): Promise<T> {
    this.#reach()
    if (path === '/conversations/messages') return answer({ reset: true }) as T
    return (path === '/status' ? {} : { conversations: [], nextCursor: null }) as T
  }

  override async post<T>(path: string, body: unknown, key?: string): Promise<T> {
    this.#reach()
    if (path === this.lost) this.isReachable = false
    this.sent.push({ path, body, key })
    const conversation = summary({ status: 'processing' })
    if (this.refused && JSON.stringify(body).includes(this.refused))
      throw new ApiError(422, { code: 'message.tooLong', message: 'Too long' })
    if (key && (this.#paths.get(key) ?? path) !== path)
      throw new ApiError(422, { code: 'request.keyReused', message: 'Made with other content' })
    if (key) this.#paths.set(key, path)
    this.#reach()
    return (path.endsWith('/next') ? { conversation, next: [] } : { conversation, sequence: 0 }) as T
  }

  #reach(): void {
    if (!this.isReachable) throw new ApiError(0, { code: '', message: '' })
  }
}

let storage: Storage
let stage: Stage
beforeEach(() => {
  storage = shelf()
  stage = new Stage('http://stage.test', false)
})

const stores: ChatStore[] = []
afterEach(() => {
  for (const store of stores.splice(0)) store.forget()
})

type Open = { store: ChatStore; conversation: Conversation }

/** The chat in a tab of the browser. */
async function tab(): Promise<Open> {
  const page = { isVisible: () => false, storage, tab: shelf(), locks: undefined }
  const store = new ChatStore(stage, page)
  stores.push(store)
  await store.start()
  return { store, conversation: store.conversation(conversationId) }
}

/** The user writes these words and sends them. */
async function send({ store, conversation }: Open, words: string) {
  conversation.draft = words
  await sendMessage(store, conversation, null)
}

/** A tab in which these words did not go out. */
async function tabWithUnsent(words: string) {
  const open = await tab()
  stage.isReachable = false
  await send(open, words)
  stage.isReachable = true
  return open
}

const shown = ({ pending }: Conversation) => pending.map(({ state, body }) => `${state} ${body.content}`)
const sent = () =>
  stage.sent.map(({ path, body }) => {
    const { conversationId: id, content } = body as { conversationId?: string; content: string }
    return [path.replace('/conversations/', ''), id ?? 'new', content]
  })
const kept = () => Object.values(recall(storage, 2).unsent).map((one) => one?.body.content)

test('a message that did not go out stays through an edit of another one, and goes out before the next', async () => {
  const { store, conversation } = await tabWithUnsent('A long text')

  await edit(store, conversation, user(0, 'Old question'), 'Old question, edited', null)
  expect(shown(conversation)).toEqual(['sent Old question, edited', 'unsent A long text'])

  await send({ store, conversation }, 'Next')
  expect(shown(conversation)).toEqual(['sent Old question, edited', 'sent A long text'])
  expect(sent().map(([, , words]) => words)).toEqual(['Old question, edited', 'A long text', 'Next'])
})

test.each([
  ['its message follows the instructions', true],
  ['the instructions follow its message', false],
])('a new conversation is stored once where %s before the stage has answered', async (_, isInstructed) => {
  const { store } = await tab()
  const conversation = store.conversation(null)
  const acts = [() => instruct(store, conversation, 'Be brief'), () => send({ store, conversation }, 'Hello')]

  await Promise.all((isInstructed ? acts : acts.toReversed()).map((act) => act()))

  const made = sent().filter(([, id]) => id === 'new')
  expect(made.map(([verb]) => verb)).toEqual([isInstructed ? 'create' : 'send'])
  expect(sent().map(([verb]) => verb)).toEqual(expect.arrayContaining(['system-prompt', 'send']))
})

test('a message that did not go out stays when another tab sends or discards its own', async () => {
  const other = await tab()
  await tabWithUnsent('Of the first tab')

  await send(other, 'Of the second tab')
  expect(kept()).toEqual(['Of the first tab'])

  stage.isReachable = false
  await send(other, 'Not wanted')
  expect(kept()).toEqual(['Of the first tab', 'Not wanted'])
  const [unsent] = other.conversation.pending.filter(({ state }) => state === 'unsent')
  if (unsent) discard(other.store, other.conversation, unsent, false)

  expect(kept()).toEqual(['Of the first tab'])
})

test('a message that a reload brought back is sent once, and is kept no longer', async () => {
  await tabWithUnsent('A long text')

  const { conversation } = await tab()
  await expect.poll(() => shown(conversation)).toEqual(['sent A long text'])

  expect(stage.sent.map(({ path }) => path)).toEqual(['/conversations/send'])
  expect(kept()).toEqual([])
})

test('what one tab sends or discards does not go out from another that shows it too', async () => {
  const first = await tabWithUnsent('A long text')
  stage.isReachable = false
  const second = await tab()
  await expect.poll(() => shown(second.conversation)).toEqual(['unsent A long text'])

  const [unsent] = second.conversation.pending
  if (unsent) discard(second.store, second.conversation, unsent, false)

  await expect.poll(() => shown(first.conversation)).toEqual([])
  expect(kept()).toEqual([])
})

describe('messages that wait for the connection', () => {
  test.each([
    ['a new conversation', null, 'new'],
    ['a conversation', conversationId, conversationId],
  ])('stay together and in order in %s: the first begins a turn, the others follow it', async (_, id, to) => {
    const { store } = await tab()
    const conversation = store.conversation(id)
    stage.isReachable = false
    for (const words of ['First', 'Second', 'Third']) await send({ store, conversation }, words)
    expect(shown(conversation)).toEqual(['unsent First', 'unsent Second', 'unsent Third'])

    stage.isReachable = true
    await store.reconnect()

    await expect.poll(sent).toEqual([
      ['send', to, 'First'],
      ['next', conversationId, 'Second'],
      ['next', conversationId, 'Third'],
    ])
    await expect.poll(() => shown(conversation)).toEqual(['sent First'])
    expect([conversation.id, kept()]).toEqual([conversationId, []])
  })

  test('go out in order with the one that the user sends again, or that is sent next', async () => {
    const { store, conversation } = await tabWithUnsent('First')
    stage.isReachable = false
    await send({ store, conversation }, 'Second')
    const [, second] = conversation.pending
    stage.isReachable = true

    if (second) await sendAgain(store, conversation, second)
    await send({ store, conversation }, 'Third')

    expect(sent().map(([, , words]) => words)).toEqual(['First', 'Second', 'Third'])
  })

  test('follow with the same request after a lost answer and a reload', async () => {
    const { store, conversation } = await tabWithUnsent('First')
    stage.isReachable = false
    await send({ store, conversation }, 'Second')
    Object.assign(stage, { isReachable: true, lost: '/conversations/next' })
    await store.reconnect()
    await expect.poll(() => shown(conversation)).toEqual(['sent First', 'unsent Second'])

    Object.assign(stage, { isReachable: true, lost: '' })
    await tab()

    await expect.poll(() => stage.sent.length).toBe(3)
    expect(stage.sent[2]).toEqual(stage.sent[1])
    expect(kept()).toEqual([])
  })

  test('are not sent twice where one had arrived without an answer, and one before it is sent again', async () => {
    const { store, conversation } = await tab()
    stage.refused = 'First'
    await send({ store, conversation }, 'First')
    Object.assign(stage, { refused: '', lost: '/conversations/send' })
    await send({ store, conversation }, 'Second')
    Object.assign(stage, { isReachable: true, lost: '' })
    const [first] = conversation.pending
    expect(shown(conversation)).toEqual(['unsent First', 'unsent Second'])

    if (first) await sendAgain(store, conversation, first)

    expect([shown(conversation), kept()]).toEqual([['sent First'], []])
  })

  test('do not wait for one that the stage refuses', async () => {
    const { store, conversation } = await tabWithUnsent('First')
    stage.isReachable = false
    await send({ store, conversation }, 'Second')
    Object.assign(stage, { isReachable: true, refused: 'First' })

    await store.reconnect()

    await expect.poll(() => shown(conversation)).toEqual(['unsent First', 'sent Second'])
    expect(sent()).toEqual([
      ['send', conversationId, 'First'],
      ['send', conversationId, 'Second'],
    ])
  })
})

test.each([
  ['its file and its key are damaged', { body: { content: 'A long text', fileUid: 'x' }, key: 7 }],
  ['an older release left its time and place out', { body: { content: 'A long text' }, key: 'k' }],
])('a message that did not go out stays where %s; the user sends it', async (_, damaged) => {
  const place = 'conversationId' in damaged ? {} : { conversationId }
  const memory = { unsent: [null, 5, { body: {} }, { ...damaged, ...place }] }
  storage.setItem('aic:v1:2', JSON.stringify(memory))
  const { store, conversation } = await tab()
  expect(shown(conversation)).toEqual(['unsent A long text'])

  const [unsent] = conversation.pending
  if (unsent) await sendAgain(store, conversation, unsent)

  expect(stage.sent.map(({ body }) => body)).toEqual([{ conversationId, content: 'A long text' }])
  expect(kept()).toEqual([])
})

describe('the file and the mentions of a draft', () => {
  const lamp = { kind: 'record', table: 'pages', uid: 4, title: 'Lamp' } as const
  const attach = (conversation: Conversation) => {
    conversation.isWritten = true
    conversation.attachments = storedFile(7, 'notes.pdf')
    conversation.mentions = [lamp]
  }
  const attachedIn = ({ attachments, mentions }: Conversation) => ({
    files: attachments.map(({ fileUid, file }) => [fileUid, file.name]),
    mentions,
  })

  test.each([
    ['a conversation', (open: Open) => open.conversation],
    ['a new conversation', (open: Open) => open.store.conversation(null)],
  ])('come back with a reload in %s, without names and titles', async (_, of) => {
    const open = await tab()
    attach(of(open))
    open.store.flush()

    expect(attachedIn(of(await tab()))).toEqual({
      files: [[7, '']],
      mentions: [{ ...lamp, title: '' }],
    })
    expect(JSON.stringify(storage)).not.toMatch(/notes\.pdf|Lamp/)
  })

  test.each([
    ['sent', (open: Open, conversation: Conversation) => sendMessage(open.store, conversation, null)],
    [
      'removed',
      ({ store }: Open, conversation: Conversation) => {
        const [attachment] = conversation.attachments
        conversation.mentions = []
        if (attachment) detach(store, conversation, attachment)
        store.flush()
      },
    ],
  ])('do not come back after they were %s', async (_, end) => {
    const first = await tab()
    attach(first.store.conversation(null))
    first.store.flush()
    const second = await tab()

    await end(second, second.store.conversation(null))

    expect(attachedIn((await tab()).store.conversation(null))).toEqual({ files: [], mentions: [] })
  })

  test('are no reason to store anything where the user wrote nothing', async () => {
    const open = await tab()
    storage.clear()
    open.store.flush()

    expect(storage.length).toBe(0)
  })

  test('that another tab shows unchanged stay as this tab left them', async () => {
    const [first, other] = [await tab(), await tab()]
    attach(first.conversation)
    first.store.flush()
    other.store.flush()

    expect(attachedIn((await tab()).conversation).files).toEqual([[7, '']])
  })
})
