import type { StatusAnswer } from '../../../core/chat/status-request.ts'
import type { Summary } from '../../../core/conversation/schema.ts'
import type { SessionAnswer } from '../../../core/user/session/schema.ts'
import { Api, ApiError, type Statement } from '../api.ts'
import { Channel, type RecordChange, type Word } from './channel.ts'
import { Listing, type Selected } from './listing.ts'
import { ask, hear } from './message-loading.ts'
import { Conversation } from './open-conversation.ts'
import { attachedTo, leaveOut, restore, sendWaiting } from './outbox.ts'
import { Connection, Poller } from './poller.ts'
import type { Page, Phase, StoreState } from './state.ts'
import { type Memory, Persistence, storageOf } from './storage.ts'

/**
 * The chat's state for one stage: session, lists and open conversations. Module and panel of a page share one store,
 * and each tells it which conversation it shows. Only shown conversations are polled, while they may change.
 */
export class ChatStore implements StoreState {
  readonly api: Api
  readonly page: Page
  phase: Phase = 'starting'
  user: SessionAnswer['user'] | null = null
  status: StatusAnswer | null = null
  /** The language that the page chose for the texts of the stage; null for the user's own language. */
  language: string | null = null
  /** The record changes that other tabs reported and that no element has reported to the page yet. */
  readonly heard: RecordChange[] = []
  readonly active = new Listing('active')
  /** The list in the history: active, waiting, archived or search results. */
  listing: Listing = this.active
  /** The selected conversations of the list; null if the user is not selecting. */
  selected: Selected | null = null
  /** The conversations that are open on this page, by id. */
  readonly #open = new Map<string, Conversation>()
  /** The new conversation, which has no id yet. */
  #blank = new Conversation(null)
  readonly #shown = new Map<object, Conversation>()
  readonly #listeners = new Set<() => void>()
  #isTelling = false
  /** The number of times that a user has left this page. */
  #left = 0
  #channel: Channel | null = null
  readonly #persistence: Persistence
  readonly #poller = new Poller(this)
  readonly #connection = new Connection(() => void this.reconnect())

  constructor(api: Api, page: Page) {
    this.api = api
    this.page = page
    this.#persistence = new Persistence(page.storage, page.tab)
  }

  /** The state that this browser keeps for the user across reloads. */
  get memory(): Memory {
    return this.#persistence.memory
  }

  /** The time of the next attempt to reach the stage, ms since the epoch; null while it is connected. */
  get retryAt(): number | null {
    return this.#connection.retryAt
  }

  /** Calls `listener` after changes, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Reports a change: updates the polling and calls the listeners. Several reports before the next microtask have the
   * effect of one.
   */
  changed(): void {
    if (this.#isTelling) return
    this.#isTelling = true
    queueMicrotask(() => {
      this.#isTelling = false
      this.#poller.update(this.#all, new Set(this.#shown.values()))
      for (const listener of [...this.#listeners]) listener()
    })
  }

  /**
   * Starts the session with the browser's credentials, and loads what every view needs. After a lost connection, it
   * first checks that the chat itself answers.
   */
  async start(): Promise<void> {
    if (this.api.bearer?.isKnown === false) return
    const left = this.#left
    try {
      const { user } = await this.api.session()
      // The user has logged out meanwhile.
      if (left !== this.#left) return
      this.#enter(user)
      this.phase = 'ready'
      if (this.retryAt !== null) await this.api.get('/status')
      this.#reached()
      await this.refresh()
    } catch (error) {
      this.caught(error)
    }
    this.changed()
  }

  /** Resumes after a new login, and sends the waiting messages. Another user's login drops all earlier state. */
  resume(): Promise<void> {
    this.phase = 'starting'
    this.api.uid = null
    return this.start()
  }

  /** Removes the chat's data from memory and from the browser's storage, in the other tabs, too. */
  forget(): void {
    this.api.bearer?.forget()
    this.#channel?.say({ type: 'left' })
    this.#leave()
    this.#persistence.wipe()
    this.changed()
  }

  /**
   * Loads status, lists and shown conversations again: on focus, when the browser is online again, when an element
   * opens.
   */
  async refresh(): Promise<void> {
    const shown = [...new Set(this.#shown.values())].filter((conversation) => conversation.id)
    await Promise.all([
      this.#guard(async () => {
        this.status = await this.api.get<StatusAnswer>('/status', { lang: this.language ?? undefined })
      }),
      this.refreshLists(),
      ...shown.map((conversation) => this.#guard(() => ask(this, conversation))),
    ])
  }

  async refreshLists(): Promise<void> {
    const load = async (list: Listing) => {
      if (await list.load(this.api)) for (const item of list.items) this.#open.get(item.id)?.learn(item)
    }
    await Promise.all([...new Set([this.active, this.listing])].map((list) => this.#guard(() => load(list))))
  }

  /** Returns the conversation with an id; null returns the new conversation that has no id yet. */
  conversation(id: string | null): Conversation {
    if (id === null) return this.#blank
    const known = this.#open.get(id)
    if (known) return known
    const conversation = new Conversation(id)
    this.#open.set(id, conversation)
    const listed = [...this.active.items, ...this.listing.items].find((item) => item.id === id)
    if (listed) conversation.learn(listed)
    conversation.draft = this.memory.drafts[id] ?? ''
    restore(this, conversation)
    return conversation
  }

  /** Sets the conversation that a view shows; null means that the view shows no conversation. */
  show(view: object, conversation: Conversation | null): void {
    const before = this.#shown.get(view)
    if (conversation) this.#shown.set(view, conversation)
    else this.#shown.delete(view)
    if (conversation && conversation !== before) this.look(conversation)
    this.changed()
  }

  /** Gives a new conversation the id from the stage; the next new conversation starts empty. */
  adopt(conversation: Conversation, summary: Summary): void {
    conversation.id = summary.id
    this.#open.set(summary.id, conversation)
    if (conversation === this.#blank) this.#blank = new Conversation(null)
    this.keep({ drafts: { new: '', [summary.id]: conversation.draft }, attached: { new: {} } })
  }

  /** Updates the summary of a conversation in the lists and in the open conversation. */
  note(summary: Summary): void {
    for (const list of new Set([this.active, this.listing])) list.note(summary)
    this.#open.get(summary.id)?.learn(summary)
    this.changed()
  }

  /** Sends a message to the other tabs. */
  tell(word: Word): void {
    this.#channel?.say(word)
  }

  /** The number of conversations that are queued or running, as far as this browser knows. */
  get busyCount(): number {
    const busy = new Set(this.active.busyIds)
    for (const { id, isBusy } of this.#all) if (isBusy) busy.add(id ?? 'new')
    return busy.size
  }

  /**
   * Stores values so that they survive a reload: after a short delay, or at once with `flush`. Drafts and unsent
   * messages are added to the stored ones.
   */
  keep(change: Partial<Memory>): void {
    this.#persistence.keep(change)
  }

  flush(): void {
    for (const one of this.#all)
      if (one.isWritten) this.keep({ attached: { [one.id ?? 'new']: attachedTo(one) } })
    this.#persistence.flush()
  }

  /**
   * Handles a failed request: an ended session, missing access, a lost connection. Throws any error that is neither an
   * ApiError nor an abort.
   */
  caught(error: unknown): void {
    if (error instanceof DOMException && error.name === 'AbortError') return
    if (!(error instanceof ApiError)) throw error
    if (error.status === 401) this.phase = 'expired'
    else if (error.code === 'access.denied') this.phase = 'denied'
    else if (error.isTransient) this.#connection.lost(error)
    this.changed()
  }

  /** Handles a lost connection that the browser reports: polling stops until the stage answers again. */
  disconnected(): void {
    this.#connection.lost()
    this.changed()
  }

  /** Polls a conversation at once. */
  look(conversation: Conversation): void {
    if (conversation.id && this.phase === 'ready') void this.#guard(() => ask(this, conversation))
  }

  /** Tries at once to reach the stage; if it answers, sends the waiting messages. */
  async reconnect(): Promise<void> {
    if (this.phase !== 'expired' && this.phase !== 'denied') await this.start()
  }

  /** All open conversations; the new one without an id comes first. */
  get #all(): Conversation[] {
    return [this.#blank, ...this.#open.values()]
  }

  #enter(user: SessionAnswer['user']): void {
    if (this.user && this.user.uid !== user.uid) this.#leave()
    const isFirst = !this.user
    this.user = user
    if (!isFirst) return
    this.#persistence.enter(user.uid)
    this.#blank.draft ||= this.memory.drafts.new ?? ''
    this.#channel = new Channel(`aic:${user.uid}`, (word) => this.#hear(word))
    for (const conversation of this.#all) restore(this, conversation)
  }

  #leave(): void {
    this.#left++
    for (const conversation of this.#open.values()) conversation.stopPolling?.()
    this.#open.clear()
    this.#blank = new Conversation(null)
    for (const view of this.#shown.keys()) this.#shown.set(view, this.#blank)
    this.active.clear()
    this.listing = this.active
    this.status = this.user = this.selected = null
    this.heard.length = 0
    this.#persistence.leave()
    this.#channel?.close()
    this.#channel = null
    this.phase = 'expired'
  }

  #hear(word: Word): void {
    if (word.type === 'left') this.#leave()
    else if (word.type === 'records') this.heard.push(...word.changes)
    else if (word.type === 'settled') leaveOut(this, this.#all, word.key)
    else hear(this, this.#open.get(word.conversationId), word)
    this.changed()
  }

  /** Sends all waiting messages once, when the connection is back. */
  #reached(): void {
    this.#connection.reached()
    for (const conversation of this.#all) void sendWaiting(this, conversation)
  }

  async #guard(act: () => Promise<unknown>): Promise<void> {
    try {
      await act()
    } catch (error) {
      this.caught(error)
    }
    this.changed()
  }
}

/** The stores of this page, by origin of the stage and kind of credentials. */
const stores = new Map<string, ChatStore>()
const quietMs = 2_000

/**
 * Returns the store of a stage on this page: the same store for all elements, even if their tokens change. On a page of
 * another site, the store sends no request without a token or a way to get one.
 */
export function storeOf(origin: string, token: string | null, statement: Statement | null): ChatStore {
  const isGuest = origin !== location.origin || token !== null || statement !== null
  const key = `${origin} ${isGuest}`
  const known = stores.get(key)
  const store = known ?? create(new Api(origin, isGuest))
  stores.set(key, store)
  const { bearer } = store.api
  const isOther = bearer?.take(token, statement)
  // If the session has ended, a user may have logged in before this element was added: the store tries again.
  if (isOther || known?.phase === 'expired' || (!known && !bearer)) void store.resume()
  return store
}

function create(api: Api): ChatStore {
  const storage = storageOf('localStorage')
  const store = new ChatStore(api, {
    isVisible: () => document.visibilityState === 'visible',
    storage,
    tab: storageOf('sessionStorage'),
    // A browser that forbids the storage refuses every lock, too.
    locks: storage && 'locks' in navigator ? navigator.locks : undefined,
  })
  followPage(store)
  return store
}

/**
 * Refreshes the store when the user or the connection comes back, and stores pending changes when the page is hidden.
 */
function followPage(store: ChatStore): void {
  let askedAt = Date.now()
  const back = () => {
    store.changed()
    if (store.phase !== 'ready' || document.visibilityState !== 'visible') return
    if (Date.now() - askedAt < quietMs) return
    askedAt = Date.now()
    // Another user may have logged in in another tab.
    void store.reconnect()
  }
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') store.flush()
    back()
  })
  addEventListener('focus', back)
  addEventListener('pageshow', back)
  addEventListener('pagehide', () => store.flush())
  addEventListener('online', () => void store.reconnect())
  addEventListener('offline', () => store.disconnected())
}
