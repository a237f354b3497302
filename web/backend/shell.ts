import { html, type PropertyValues } from 'lit'
import type { PagesAnswer } from '../../core/cms/schema.ts'
import type { RecordId } from '../../core/conversation/schema.ts'
import type { SessionAnswer } from '../../core/user/session/schema.ts'
import type {
  BusyDetail,
  ConversationDetail,
  NavigateDetail,
  OpenPlace,
  ToggleDetail,
} from '../chat/events.ts'
import type { Api } from './backend-api.ts'
import { type ShownDetail, sendBackendEvent } from './events.ts'
import { frame, initialState, moduleMenu, topbar } from './frame.ts'
import { LightElement, reactive, withState } from './module-element.ts'
import { addressOf, type BackendPlace, moduleOf, parseAddress } from './route.ts'
import { site, t } from './text.ts'

type Panel = HTMLElementTagNameMap['ai-chat-panel']
type Chat = Panel | HTMLElementTagNameMap['ai-chat-module']

const moduleAddress = /^\/backend(\/(page|list|log|usage|chat)\b|\/?$)/

/**
 * The frame of the modules: top bar, menu, page tree, and the chat's panel, which stays when the module changes. The
 * address in the browser determines the shown module and page.
 */
export class BackendShell extends withState(LightElement, {
  ...initialState,
  shown: { title: '', page: null } as ShownDetail,
  /** The number of turns that have ended since the user last saw the page. */
  unseen: 0,
}) {
  static override properties = reactive('api', 'session', 'place')
  declare api: Api
  declare session: SessionAnswer
  declare place: BackendPlace

  constructor() {
    super()
    this.place = parseAddress(location)
    this.addEventListener('click', this.#click)
    this.addEventListener('backend-choose', ({ detail }) => this.#choose(detail))
    this.addEventListener('backend-go', ({ detail }) => this.#go(detail))
    this.addEventListener('backend-shown', ({ detail }) => this.#show(detail))
    this.addEventListener('backend-changed', this.#refresh)
    this.addEventListener('backend-ask', ({ detail }) => this.#panel?.mention(detail))
    this.addEventListener('ai-chat-busy', ({ detail }) => this.#count(detail))
    this.addEventListener('ai-chat-changed', this.#refresh)
    this.addEventListener('ai-chat-toggle', ({ detail }) => this.#toggled(detail))
    this.addEventListener('ai-chat-open-module', ({ detail: { conversationId } }) =>
      this.#go({ module: 'chat', conversationId }),
    )
    this.addEventListener('ai-chat-conversation', this.#converse)
    this.addEventListener('ai-chat-navigate', this.#navigate)
  }

  override connectedCallback(): void {
    super.connectedCallback()
    addEventListener('popstate', this.#arrive)
    document.addEventListener('visibilitychange', this.#see)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    removeEventListener('popstate', this.#arrive)
    document.removeEventListener('visibilitychange', this.#see)
  }

  /** Resumes the chats after a new login, if the session had ended. */
  async resume(): Promise<void> {
    await Promise.all(this.#chats.map((chat) => chat.resume()))
  }

  /** Removes the user's data from the memory of the chats. */
  forget(): void {
    for (const chat of this.#chats) chat.forget()
  }

  override willUpdate(changes: PropertyValues): void {
    if (changes.has('place')) this.#enter()
    const { unseen } = this
    const module = `${t(`module.${moduleOf(this.place)}`)}${unseen > 0 ? ` (${unseen})` : ''}`
    document.title = `${this.shown.title ? t('site.labelled', { label: module, text: this.shown.title }) : module}, ${site}`
  }

  override render(): unknown {
    const chat = () => this.querySelector('ai-chat-module')
    const toggleChat = () => (this.#panel?.hidden ? chat()?.focusMessage() : this.#panel?.toggle())
    const logOut = () => sendBackendEvent(this, 'backend-logout', null)
    return html`<div class="shell">
      <a class="skip" href="#module">${t('site.skip')}</a>
      ${topbar(this, toggleChat, logOut)} ${moduleMenu(this)} ${frame(this)}
    </div>`
  }

  /**
   * The chat's context: the open module with the last open page, or without a page if the module has no page. The
   * chat's own module is not a context.
   */
  get context(): OpenPlace | null {
    const { place } = this
    const module = moduleOf(place)
    const { page } = this.shown
    const named = place.module === 'page' || place.module === 'list' ? place.page : null
    // The address names a new page before its title is loaded; a question must not be sent with the previous page.
    if (named !== null && page?.uid !== named) return { pageId: named, module, title: '…' }
    if (page && module !== 'log' && module !== 'usage')
      return { pageId: page.uid, module, title: page.title, mayEdit: page.mayEdit }
    return module === 'chat' ? null : { pageId: 0, module, title: t(`module.${module}`) }
  }

  #enter(): void {
    const { place } = this
    const page = place.module === 'page' || place.module === 'list' ? place.page : null
    if (page !== null) this.page = page
    this.shown = { title: '', page: this.shown.page }
    const needsPage = place.module === 'page' || (place.module === 'list' && place.table === null)
    if (needsPage && page === null) void this.#choosePage()
  }

  /** Opens the page that the user opened last, else the first page of the tree. */
  async #choosePage(): Promise<void> {
    const asked = this.place
    const first =
      this.page ?? (await this.api.get<PagesAnswer>('/pages').catch(() => undefined))?.pages[0]?.uid
    // The user may have opened another place meanwhile; that place stays.
    if (first === undefined || this.place !== asked) return
    if (asked.module === 'list') this.#go({ ...asked, page: first }, false)
    else this.#go({ module: 'page', page: first, isEditing: false }, false)
  }

  #go(place: BackendPlace, isNew = true): void {
    const address = addressOf(place)
    if (address !== location.pathname + location.search) {
      if (isNew) history.pushState(null, '', address)
      else history.replaceState(null, '', address)
    }
    this.#stand()
    // A change that the shell itself makes must not close a drawer that the user has just opened.
    if (isNew) this.#closeDrawers()
  }

  #arrive = (): void => {
    if (this.#stand()) this.#closeDrawers()
  }

  /** Shows the place of the address; returns false if it is already shown. */
  #stand(): boolean {
    const place = parseAddress(location)
    if (addressOf(place) === addressOf(this.place)) return false
    this.place = place
    return true
  }

  /**
   * Follows a link within the backend without a reload of the page; the browser handles links that open a new window.
   */
  #click = (event: MouseEvent): void => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement)
    if (!link || link.target || link.hasAttribute('download') || link.getAttribute('href')?.startsWith('#'))
      return
    if (link.origin !== location.origin || !moduleAddress.test(link.pathname)) return
    event.preventDefault()
    this.#go(parseAddress(link))
  }

  #choose(page: RecordId): void {
    this.#closeDrawers()
    if (this.place.module === 'list') this.#go({ module: 'list', table: this.place.table, page, offset: 0 })
    else if (this.place.module === 'record') this.#go({ module: 'list', table: null, page, offset: 0 })
    else this.#go({ module: 'page', page, isEditing: false })
  }

  #show(shown: ShownDetail): void {
    this.shown = { ...shown, page: shown.page ?? this.shown.page }
    if (shown.page) this.page = shown.page.uid
  }

  /**
   * Counts the busy conversations. A turn that has ended may have changed the shown records, so they are loaded again.
   */
  #count({ count: busy, waiting }: BusyDetail): void {
    if (busy < this.busy) this.#refresh()
    if (document.hidden) this.unseen += Math.max(0, this.busy - busy)
    this.busy = busy
    this.waiting = waiting
  }

  /** Resets the count of unseen turns when the user sees the page again. */
  #see = (): void => {
    if (!document.hidden) this.unseen = 0
  }

  #toggled({ open, size }: ToggleDetail): void {
    const { activeElement } = document
    const hadFocus = this.panel.open && (activeElement === document.body || activeElement === this.#panel)
    this.panel = { open, size }
    if (!open && hadFocus) this.querySelector<HTMLElement>('#chat-button')?.focus()
  }

  #converse = (event: CustomEvent<ConversationDetail>): void => {
    const { conversationId } = event.detail
    this.conversationId = conversationId
    const { place } = this
    if (place.module !== 'chat' || event.target === this.#panel) return
    if (conversationId !== place.conversationId)
      this.#go({ module: 'chat', conversationId }, place.conversationId !== null)
  }

  #navigate = (event: CustomEvent<NavigateDetail>): void => {
    event.preventDefault()
    const { table, uid } = event.detail
    this.#refresh()
    if (table === 'pages') this.#go({ module: 'page', page: uid, isEditing: false })
    else this.#go({ module: 'record', table, uid })
  }

  get #panel(): Panel | null {
    return this.querySelector('ai-chat-panel')
  }

  get #chats(): Chat[] {
    return [...this.querySelectorAll<Chat>('ai-chat-panel, ai-chat-module')]
  }

  #refresh = (): void => {
    this.revision++
  }

  #closeDrawers(): void {
    for (const drawer of this.querySelectorAll<HTMLElement>(':is(nav, aside)[popover]')) drawer.hidePopover()
  }
}

customElements.define('backend-shell', BackendShell)
