import { LitElement, type PropertyValues } from 'lit'
import type { Statement } from '../api.ts'
import { type OpenPlace, sendChatEvent } from '../events.ts'
import { fetchAhead } from '../lazy.ts'
import { fetchAnswers } from '../message/assistant-turn.ts'
import { type ChatStore, storeOf } from '../store/chat-store.ts'
import { Conversation } from '../store/open-conversation.ts'
import { moveWritten } from '../store/outbox.ts'
import type { Memory } from '../store/storage.ts'
import { Announcer } from '../view/announcer.ts'
import { AnswerRenderer } from '../view/answer-renderer.ts'
import { Locale } from '../view/locale.ts'
import { isComposed } from '../view/message-field.ts'
import { ScrollKeeper } from '../view/scroll.ts'
import { type View, ViewState } from '../view/view.ts'

/** The shortcuts with Ctrl and Alt, by key. No shortcut approves a proposal. */
const ctrlAlt: Record<string, string> = {
  KeyK: 'toggle',
  KeyN: 'new',
  Period: 'stop',
  Enter: 'now',
  KeyA: 'approval',
  KeyH: 'keys',
}
/** The shortcuts with Alt alone, by key. */
const altOnly: Record<string, string> = { ArrowUp: 'before', ArrowDown: 'after' }

/**
 * Returns the shortcut of a key with Ctrl and Alt, or of an arrow with Alt; null with AltGr, which writes characters.
 */
function shortcutOf(event: KeyboardEvent): string | null {
  if (event.getModifierState('AltGraph') || event.shiftKey || event.metaKey || !event.altKey) return null
  return (event.ctrlKey ? ctrlAlt : altOnly)[event.code] ?? null
}

/**
 * The common base of module and panel: stage, session and open conversation.
 *
 * @attr {string} api - origin of the stage; absent: the origin of the script
 * @attr {string} lang - language of the interface (`en`, `de`, `fr`); absent: the user's language
 * @attr {string} conversation-id - the open conversation; absent: the conversation shown last, or a new one
 * @attr {string} conversation-href - address of a conversation in the page, `{id}` is replaced
 * @attr {string} record-href - address of a record in the page, `{table}` and `{uid}` are replaced
 * @attr {string} data-theme - `light` or `dark`; absent: the page's `color-scheme`
 * @prop {string | null} token - Bearer token from `/backend/exchange`; null: the session's cookie
 * @prop {Statement | null} session - returns a signed statement of the CMS, which is exchanged for a session and
 * renewed
 * @prop {OpenPlace | null} context - the open page and module, sent as `viewContext`; null: no place is open
 * @fires ai-chat-conversation - `{ conversationId }` when another conversation opens; null for a new one
 * @fires ai-chat-navigate - `{ table, uid, page? }` when the user opens a record; prevent the default to handle it
 * @fires ai-chat-busy - `{ count, waiting }` when the number of busy or of waiting conversations changes
 * @fires ai-chat-access - `{ allowed }` as soon as the stage says whether the user may use the chat
 * @fires ai-chat-session-expired - the session ended; log in, then call `resume()`
 * @csspart header - head of the conversation or the panel
 * @csspart log - the messages
 * @csspart message - one message or turn
 * @csspart composer - the field for the next message
 * @csspart approval - a proposal that waits for a decision
 * @cssprop --aic-accent - and every other token of `tokens.css`, set by the page on the element
 */
export abstract class ChatElement extends LitElement implements View {
  static override properties = {
    api: { type: String },
    lang: { type: String },
    conversationId: { type: String, attribute: 'conversation-id' },
    conversationHref: { type: String, attribute: 'conversation-href' },
    recordHref: { type: String, attribute: 'record-href' },
    token: { attribute: false },
    session: { attribute: false },
    context: { attribute: false },
  }
  declare api: string
  declare conversationId: string | null
  declare conversationHref: string
  declare recordHref: string
  declare token: string | null
  declare session: Statement | null
  declare context: OpenPlace | null

  conversation = new Conversation(null)
  readonly locale = new Locale(() => this.requestUpdate())
  readonly ui = new ViewState(() => this.requestUpdate())
  readonly announcer = new Announcer(this)
  readonly scroller = new ScrollKeeper(this)
  readonly prose = new AnswerRenderer(this)
  #leave: (() => void) | null = null
  #said = { count: 0, waiting: 0, phase: '' }
  #isChosen = false
  /** The composer, the card of a proposal, or the row of a decision, if it had the focus before a drawing. */
  #held: HTMLElement | null | undefined
  #store: ChatStore | null = null
  #clock: ReturnType<typeof setInterval> | undefined

  constructor() {
    super()
    this.api = ''
    this.conversationId = null
    this.conversationHref = ''
    this.recordHref = '?table={table}&uid={uid}'
    this.token = this.session = this.context = null
  }

  /** True if the element is visible; only then does the store load its conversation. */
  abstract get isShowing(): boolean

  /** The store of the stage; the element listens to it while it is on a page. */
  get store(): ChatStore {
    this.#store ??= this.#findStore()
    return this.#store
  }

  /** Resumes after a new login: drafts are kept, and unsent messages are sent. */
  async resume(): Promise<void> {
    await this.#store?.resume()
  }

  /** Removes drafts, panel state and all data in memory, in all tabs; for a logout. */
  forget(): void {
    this.#store?.forget()
    this.show(null)
  }

  /** Returns a sentence of the interface in the user's language. */
  get t(): View['t'] {
    return this.locale.t
  }

  get format(): View['format'] {
    return this.locale.format
  }

  /** Shows a conversation; null shows a new one. */
  show(conversationId: string | null): void {
    const store = this.#store
    if (!store) return
    const isFirst = !this.#isChosen
    this.#isChosen = true
    const conversation = store.conversation(conversationId)
    // Another tab may have restored the conversation. If it is still deleted, the next poll says so.
    conversation.isGone = false
    if (conversation.id !== null) fetchAnswers(this)
    const isOther = conversation !== this.conversation
    this.conversation = conversation
    store.show(this, this.isShowing ? conversation : null)
    if (!isOther) return
    this.ui.reset({ isFirst })
    this.scroller.enter()
    this.#opened()
    this.requestUpdate()
  }

  /** Tells the store which conversation is visible, after the element was opened or closed. */
  reshow(): void {
    this.ui.proposal = null
    this.store.show(this, this.isShowing ? this.conversation : null)
    if (this.isShowing && this.store.phase === 'ready') void this.store.refresh()
  }

  /** Returns the first part of the element that matches a selector; null if there is no such part. */
  find<E extends HTMLElement = HTMLElement>(selector: string): E | null {
    return this.renderRoot.querySelector<E>(selector)
  }

  /** Focuses the part of the element that matches a selector, after the next drawing. */
  async focusDrawn(selector: string): Promise<void> {
    await this.updateComplete
    this.find(selector)?.focus()
  }

  /** Moves the cursor into the message field. */
  focusMessage(): void {
    this.find<HTMLTextAreaElement>('#message')?.focus()
  }

  /** The open place that a message is about; null if there is no place or the user removed it. */
  get place(): OpenPlace | null {
    return this.ui.leftOut === this.context ? null : this.context
  }

  override connectedCallback(): void {
    super.connectedCallback()
    document.addEventListener('keydown', this.#pressed)
    if (this.hasUpdated) this.#attach()
    fetchAhead()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    document.removeEventListener('keydown', this.#pressed)
    this.#detach()
  }

  protected override willUpdate(changed: PropertyValues): void {
    const { activeElement } = this.renderRoot as ShadowRoot
    this.#held = activeElement?.closest<HTMLElement>('.compose, .approval, .result')
    if (changed.has('api') || changed.has('token') || changed.has('session')) this.#attach()
    if (changed.has('lang')) this.#speak()
    if (changed.has('context')) this.ui.arrive(this.context)
    if (changed.has('conversationId') && this.#isChosen && this.conversationId !== this.conversation.id)
      this.show(this.conversationId)
  }

  protected override updated(_changed: PropertyValues): void {
    // The language of the element's labels decides direction, hyphens and voice, not the page.
    this.style.setProperty('direction', this.t('writing.direction'))
    const language = this.locale.language ?? ''
    // The browser styles a whole part again if its language is written, even if the language stays the same.
    for (const part of this.renderRoot.children)
      if (part.getAttribute('lang') !== language) part.setAttribute('lang', language)
    if (this.#held?.matches(':focus-within') === false) this.#focusHeir(this.#held)
    if (this.ui.dialog) this.find<HTMLDialogElement>('.dialog:not([open])')?.showModal()
    this.scroller.updated()
    this.announcer.update()
    // While a turn runs or a retry waits, the element shows seconds, so it draws every second.
    const isCounted = this.conversation.isBusy || this.store.retryAt !== null || this.ui.isTimed
    this.#runClock(this.isShowing && isCounted)
  }

  /**
   * Moves the focus of a control that is gone to the card or row that held it, or to what replaces the composer or card:
   * another tab may have archived the conversation, or decided.
   */
  #focusHeir(held: HTMLElement): void {
    const { decision, outcome = decision } = held.dataset
    if (outcome === undefined) this.find('.closed .btn, #message')?.focus()
    else if (held.isConnected) held.focus({ preventScroll: true })
    else (this.find(`[data-outcome="${outcome}"]`) ?? this.find('.log'))?.focus({ preventScroll: true })
  }

  /** The first render waits for its labels: no other language and no empty text is visible for a moment. */
  protected override async scheduleUpdate(): Promise<void> {
    if (!this.hasUpdated) this.#attach()
    await this.locale.ready
    await super.scheduleUpdate()
  }

  #findStore(): ChatStore {
    return storeOf(this.api || new URL(import.meta.url).origin, this.token, this.session)
  }

  #attach(): void {
    const store = this.#findStore()
    if (this.#leave && store === this.#store) return
    this.#detach()
    this.#store = store
    this.conversation = store.conversation(null)
    // An earlier element of the page may have left a search.
    this.ui.search = store.listing.search
    this.#isChosen = false
    this.#leave = store.subscribe(() => this.#follow())
    if (this.isShowing && this.conversationId) fetchAnswers(this)
    this.#follow()
  }

  #detach(): void {
    this.#store?.show(this, null)
    this.#leave?.()
    this.#leave = null
    this.#runClock(false)
  }

  /** Draws the element every second while `isWanted` is true. */
  #runClock(isWanted: boolean): void {
    if (isWanted === (this.#clock !== undefined)) return
    clearInterval(this.#clock)
    this.#clock = isWanted ? setInterval(() => this.requestUpdate(), 1_000) : undefined
  }

  /** Runs after each change of the store: shows its conversation and announces new counts. */
  #follow(): void {
    const { store } = this
    this.#speak()
    if (store.phase === 'ready' && !this.#isChosen) {
      this.entered(store.memory)
      // A user who wrote before the session was ready keeps that conversation.
      const last = this.conversation.isWritten ? this.conversation.id : store.memory.conversationId
      this.show(this.conversationId ?? last)
    }
    const before = this.conversation
    const { id, isGone } = before
    const isReplaced = () => id !== null && store.conversation(id) !== before
    if (isGone || (store.phase === 'ready' && isReplaced())) this.show(null)
    if (isGone && moveWritten(store, before, this.conversation)) {
      const text = this.t('composer.moved')
      this.conversation.remark = { kind: 'info', text }
      this.announcer.say(text)
    }
    if (this.conversation.id !== this.conversationId && this.#isChosen) this.#opened()
    const busy = { count: store.busyCount, waiting: store.active.waitingCount }
    if (busy.count !== this.#said.count || busy.waiting !== this.#said.waiting)
      sendChatEvent(this, 'ai-chat-busy', busy)
    const { phase } = store
    if (phase !== this.#said.phase) {
      if (phase === 'expired') sendChatEvent(this, 'ai-chat-session-expired', null)
      if (phase === 'ready' || phase === 'denied')
        sendChatEvent(this, 'ai-chat-access', { allowed: phase === 'ready' })
    }
    this.#said = { ...busy, phase }
    this.#tellNews()
    this.requestUpdate()
  }

  /** Tells page and user what changed. Its code is loaded late, because nothing changes before the user acts. */
  #tellNews(): void {
    const { store } = this
    if (this.conversation.id || store.busyCount || store.heard.length || store.memory.notifies)
      import('../notify/notify.ts').then(
        ({ tellNews }) => tellNews(this),
        () => {
          // There is no connection. The next change of the store loads the code again, and then tells all changes.
        },
      )
  }

  /** Reports that another conversation is open, or that the open conversation got its id. */
  #opened(): void {
    const conversationId = this.conversation.id
    this.conversationId = conversationId
    this.store.keep({ conversationId })
    sendChatEvent(this, 'ai-chat-conversation', { conversationId })
  }

  #speak(): void {
    this.locale.chooseFor(this.#store, this.lang)
    this.locale.choose(this.lang, this.#store?.user?.lang, document.documentElement.lang)
  }

  readonly #pressed = (event: KeyboardEvent): void => {
    if (this.#store?.memory.shortcuts === false || isComposed(event)) return
    const shortcut = shortcutOf(event)
    if (shortcut && this.pressed(shortcut)) event.preventDefault()
  }

  /** Runs when the user, and the state that the browser keeps for this user, are known. */
  protected entered(_memory: Memory): void {}

  /** Runs a shortcut; returns false if it has no meaning here. */
  abstract pressed(shortcut: string): boolean
}
