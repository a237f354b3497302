import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Api } from '../../../../web/chat/api.ts'
import { translator } from '../../../../web/chat/i18n/i18n.ts'
import { attach } from '../../../../web/chat/store/attach.ts'
import { ChatStore } from '../../../../web/chat/store/chat-store.ts'
import { sendMessage } from '../../../../web/chat/store/outbox.ts'
import { summary } from '../build.ts'
import { shelf } from './shelf.ts'

/** The user who is logged in in this browser; a new login brings a new token. */
let uid: number
let token: string
/** What reached the stage, with the token that it came with. */
let sent: [path: string, token: string | null][]
let stores: ChatStore[]

const refused = (status: number, code: string) =>
  Response.json({ error: { code, message: code } }, { status })

/** Answers as the stage does, to the user of the cookie or of the `Authorization` header. */
function answer(path: string, headers: Headers): Response {
  const bearer = headers.get('authorization')
  const user = { uid, username: '', name: '', isAdmin: false, groups: [], lang: 'en' }
  const session = { user, csrfToken: token, mayChat: true }
  if (path === '/backend/exchange') return Response.json({ ...session, token, lastsSeconds: 3600 })
  if (bearer && bearer !== `Bearer ${token}`) return refused(401, 'session.expired')
  switch (path) {
    case '/backend/session':
      return Response.json(session)
    case '/ai-chat/status':
      return Response.json({
        supportedFormats: ['txt'],
        saveAs: {},
        maxFileSize: 100,
        maxFilesPerConversation: 5,
      })
    case '/ai-chat/conversations':
      return Response.json({ conversations: [summary({ id: `${uid}-own`, title: `Of user ${uid}` })] })
  }
  if (path === '/ai-chat/conversations/messages') return refused(404, 'conversation.notFound')
  const given = bearer ?? headers.get('x-csrf-token')
  if (!bearer && given !== token) return refused(403, 'csrf.invalid')
  sent.push([path, given])
  if (path === '/ai-chat/file-upload') return Response.json({ fileUid: 7 })
  return Response.json({ conversation: summary({ id: `${uid}-sent` }), sequence: 0 })
}

/** A form on its way to the stage. */
class Request {
  readonly upload = {}
  readonly #headers = new Headers()
  #path = ''
  status = 0
  response: unknown
  onload = () => {}
  open(_: string, url: string) {
    this.#path = new URL(url).pathname
  }
  setRequestHeader(name: string, value: string) {
    this.#headers.set(name, value)
  }
  async send() {
    const reply = answer(this.#path, this.#headers)
    this.status = reply.status
    this.response = await reply.json()
    this.onload()
  }
}

beforeEach(() => {
  ;[uid, token, sent, stores] = [2, 'first', [], []]
  vi.stubGlobal('XMLHttpRequest', Request)
  vi.stubGlobal('fetch', async (url: string, { headers }: RequestInit) =>
    answer(new URL(url).pathname, new Headers(headers)),
  )
})
afterEach(() => {
  for (const store of stores) store.forget()
  vi.unstubAllGlobals()
})

/** The chat of user 2 in a tab; with `isGuest`, on a page of a CMS. */
async function tab(isGuest = false): Promise<ChatStore> {
  const page = { isVisible: () => true, storage: shelf(), tab: shelf(), locks: undefined }
  const store = new ChatStore(new Api('http://stage.test', isGuest), page)
  stores.push(store)
  store.api.bearer?.take(null, async () => 'statement')
  await store.start()
  return store
}

function logIn(user: number): void {
  ;[uid, token] = [user, 'second']
}

async function say(store: ChatStore, words: string): Promise<void> {
  const conversation = store.conversation(null)
  conversation.draft = words
  await sendMessage(store, conversation, null)
}

const titles = (store: ChatStore) => store.active.items.map(({ title }) => title)

test.each([
  ['of the stage', false, 'second'],
  ['of a CMS', true, 'Bearer second'],
])('after a new login of the same user in another tab, a page %s goes on', async (_, isGuest, given) => {
  const store = await tab(isGuest)
  logIn(2)
  await say(store, 'Hello')

  expect(sent).toEqual([['/ai-chat/conversations/send', given]])
  expect(store.phase).toBe('ready')
})

test.each([
  ['of the stage', false],
  ['of a CMS', true],
])('a page %s sends nothing as another user who logged in in another tab', async (_, isGuest) => {
  const store = await tab(isGuest)
  logIn(1)
  await say(store, 'Words of user 2')

  expect(sent).toEqual([])
  expect(store.phase).toBe('expired')
  expect(store.conversation(null).pending.map(({ body }) => body.content)).toEqual(['Words of user 2'])
})

test('a page that comes back shows nothing of another user who logged in meanwhile', async () => {
  const store = await tab()
  logIn(1)
  await store.reconnect()

  expect([store.phase, store.user?.uid, titles(store)]).toEqual(['expired', 2, ['Of user 2']])
})

test('after the page logged another user in, the chat is that user’s', async () => {
  const store = await tab()
  logIn(1)
  await store.reconnect()
  await store.resume()

  expect([store.phase, store.user?.uid, titles(store)]).toEqual(['ready', 1, ['Of user 1']])
})

test.each([
  ['of the stage', false, 'second'],
  ['of a CMS', true, 'Bearer second'],
])('after a new login in another tab, a page %s uploads a file', async (_, isGuest, given) => {
  const store = await tab(isGuest)
  logIn(2)
  const conversation = store.conversation(null)
  attach(store, conversation, [new File(['Text'], 'notes.txt')], translator('en', {}))

  await expect.poll(() => conversation.attachments.map(({ state }) => state)).toEqual(['ready'])
  expect(sent).toEqual([['/ai-chat/file-upload', given]])
})
