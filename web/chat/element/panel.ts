import { html, nothing, type PropertyValues } from 'lit'
import type { Mention } from '../../../core/conversation/schema.ts'
import { act, chat, voice } from '../conversation/chat.ts'
import { collapsed, historySidebar, narrowHead, wideHead } from '../conversation/header.ts'
import { sendChatEvent } from '../events.ts'
import { lazy, loadAhead } from '../lazy.ts'
import { mention } from '../mention/mention.ts'
import { lastUid, type Memory, recall, storageOf } from '../store/storage.ts'
import { ChatElement } from './element.ts'
import { panelStyles } from './style.ts'

/** The upper edge, loaded when the panel opens. */
const resizeHandle = loadAhead(lazy(async () => (await import('./resize-handle.ts')).resizeHandle))

const barPx = 44
/** The largest share of the height that a proposal gives the panel: its page stays in view. */
const mostShare = 0.85
/** Left free above and below a proposal. */
const aroundPx = 36

/**
 * The chat at the bottom of the page: bar, half or full height, or what the user dragged it to; below 896 px a modal
 * dialog. Closed it shows no region, but goes on counting busy conversations for `ai-chat-busy`. Open or not, its
 * size, conversation and draft survive a reload.
 *
 * By default it floats over the bottom edge. A page that lays it out itself (say, in a row of its
 * grid, so that nothing is covered) overrides `position` from outside: `ai-chat-panel { position: relative }`; the
 * height then follows the parent element's box, and `ai-chat-toggle` tells it in pixels after every change.
 *
 * @attr {boolean} open - shown or not; set by the page's button, reflected when the user closes it
 * @fires ai-chat-toggle - `{ open, height, size }` after opening, closing and resizing
 * @fires ai-chat-open-module - `{ conversationId }` when the user wants the full page
 * @cssprop --aic-inset - `<top> <right> <bottom> <left>` of the window that bars of the page take
 * @cssprop --aic-panel-height - the height now, set by the element
 */
export class ChatPanel extends ChatElement {
  static override styles = panelStyles
  static override properties = {
    ...ChatElement.properties,
    open: { type: Boolean, reflect: true },
    size: { state: true },
    share: { state: true },
    isNarrow: { state: true },
  }
  declare open: boolean
  declare size: Memory['size']
  /** The share of the work area, 0.2 to 1; used with size `custom`. */
  declare share: number
  declare isNarrow: boolean
  /** The page opened it, or the user opened or closed it, before it was known how they left it. */
  #isChosen = false
  #isSized = false
  /** Open or not, as it was remembered; anything else was chosen. */
  #remembered = false
  #before: HTMLElement | null = null
  #reported = ''
  /** Pixels that the waiting proposal needs; 0: none waits. */
  #needed = 0
  /** The run whose proposal the user gave a height of their own. */
  #sizedFor: string | undefined
  readonly #media = matchMedia('(max-width: 56rem)')
  readonly #box = new ResizeObserver(() => this.#measure())

  constructor() {
    super()
    this.open = false
    this.size = 'half'
    this.share = 0.5
    this.isNarrow = this.#media.matches
  }

  override get isShowing(): boolean {
    return this.isConnected && this.open
  }

  get hasModule(): boolean {
    return this.conversationHref !== ''
  }

  /** The height that the panel may use, in pixels: its parent's box if the page lays it out, else the window. */
  get workHeight(): number {
    const parent = this.parentElement
    const { position, marginTop, marginBottom } = getComputedStyle(this)
    if (!parent || position === 'fixed')
      return innerHeight - 16 - Number.parseFloat(marginTop) - Number.parseFloat(marginBottom)
    const { paddingTop, paddingBottom } = getComputedStyle(parent)
    return parent.clientHeight - Number.parseFloat(paddingTop) - Number.parseFloat(paddingBottom)
  }

  /** Opens or closes the panel, as the page's button does; open, it takes the focus. */
  toggle(open = !this.open): void {
    if (open === this.open) return
    this.#isChosen = true
    const hasFocus = this.matches(':focus-within')
    if (open) this.#before = document.activeElement as HTMLElement | null
    this.open = open
    if (open && this.size === 'bar') this.size = 'half'
    if (open) void this.updateComplete.then(() => this.focusMessage())
    // A user who closes it from another place keeps the focus there.
    else if (hasFocus) this.#before?.focus()
  }

  /** Gives the panel another height. */
  resize(size: Memory['size'], share = this.share): void {
    this.#isSized = true
    this.#sizedFor = this.conversation.transcript.approval?.runId
    this.size = size
    this.share = Math.min(1, Math.max(0.2, share))
    if (size !== 'bar') void this.updateComplete.then(() => this.scroller.updated())
  }

  /** Puts something of the site to the message being written, and the cursor behind it; the panel opens for it. */
  mention(it: Mention): void {
    this.toggle(true)
    if (this.size === 'bar') this.resize('half')
    void mention(this, it)
  }

  /** Shows the conversation in the full page, and makes room for it. */
  openModule(conversationId = this.conversation.id): void {
    this.store.keep({ conversationId })
    this.store.flush()
    this.toggle(false)
    sendChatEvent(this, 'ai-chat-open-module', { conversationId })
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#media.addEventListener('change', this.#narrowed)
    addEventListener('resize', this.#resized)
    if (this.parentElement) this.#box.observe(this.parentElement)
    this.#isChosen = this.open
    const storage = storageOf('localStorage')
    const uid = lastUid(storage)
    if (uid !== undefined && !this.hasUpdated) this.entered(recall(storage, uid))
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#media.removeEventListener('change', this.#narrowed)
    removeEventListener('resize', this.#resized)
    this.#box.disconnect()
  }

  override pressed(shortcut: string): boolean {
    if (shortcut !== 'toggle') return act(this, shortcut)
    this.toggle()
    return true
  }

  /** Stands as the user left it. */
  override entered(memory: Memory): void {
    if (!this.#isChosen) this.open = this.#remembered = memory.open
    if (this.#isSized) return
    this.size = memory.size
    this.share = memory.share
  }

  protected override updated(changed: PropertyValues): void {
    if (this.isNarrow) this.find<HTMLDialogElement>('.panel-dialog:not([open])')?.showModal()
    super.updated(changed)
    const needed = this.#need()
    if (needed !== this.#needed) {
      this.#needed = needed
      this.#measure()
    }
    if (!['open', 'size', 'share', 'isNarrow'].some((name) => changed.has(name))) return
    const { open, size, share } = this
    if (changed.has('open')) this.reshow()
    if (open !== this.#remembered) this.#isChosen = true
    // Before the user is known, only what they did themselves counts.
    const isUserKnown = this.store.user !== null
    if (isUserKnown || this.#isChosen) this.store.keep({ open })
    if (isUserKnown || this.#isSized) this.store.keep({ size, share })
    this.#measure()
  }

  override render(): unknown {
    if (!this.open) return nothing
    const { t, size } = this
    if (this.isNarrow) return this.#dialog()
    if (size === 'bar')
      return html`<section class="panel" aria-label=${t('app.name')}>${collapsed(this)}</section>
        ${voice(this)}`
    return html`<section class="panel" aria-label=${t('app.name')} @keydown=${this.#escaped}>
      ${resizeHandle(this)}
      ${this.#isListed ? [historySidebar(this, narrowHead(this).close), voice(this)] : chat(this, wideHead(this), 'group')}
    </section>`
  }

  /** The list of all conversations stands in the place of the open one. */
  get #isListed(): boolean {
    return this.ui.side === 'list' && !this.hasModule && !this.isNarrow
  }

  #dialog(): unknown {
    return html`<dialog
      class="panel panel-dialog panel-${this.ui.side}"
      aria-label=${this.t('app.name')}
      @cancel=${(event: Event) => {
        event.preventDefault()
        if (event.target === event.currentTarget) this.#leave()
      }}
    >
      ${this.ui.side === 'list' ? historySidebar(this, narrowHead(this).close) : nothing}
      ${chat(this, narrowHead(this).head, 'group')}
    </dialog>`
  }

  /** The height that shows the pending proposal whole; 0 if there is none, or the user chose another height. */
  #need(): number {
    const { size, isNarrow, conversation } = this
    const isFree = this.open && !isNarrow && size !== 'bar' && size !== 'full'
    const { approval } = conversation.transcript
    if (!isFree || !approval || approval.runId === this.#sizedFor) return 0
    const [log, card] = [this.find('.log'), this.find('.approval')]
    if (!log || !card) return 0
    return this.clientHeight - log.clientHeight + card.offsetHeight + aroundPx
  }

  /** Sets the height, and tells the page when something of it has changed. */
  #measure(): void {
    const work = this.workHeight
    const own = this.open ? heightOf(this.size, this.share, work) : 0
    const height = Math.max(own, Math.min(this.#needed, Math.round(work * mostShare)))
    this.style.setProperty('--aic-panel-height', `${height}px`)
    const detail = { open: this.open, height: this.isNarrow ? 0 : height, size: this.size }
    const report = JSON.stringify(detail)
    if (report === this.#reported || (this.#reported === '' && !this.open)) return
    this.#reported = report
    sendChatEvent(this, 'ai-chat-toggle', detail)
  }

  readonly #narrowed = (): void => {
    this.isNarrow = this.#media.matches
  }

  readonly #resized = (): void => this.#measure()

  /** Closes the panel for Escape, which many press out of habit: never with words or a proposal in it. */
  #leave(): void {
    const { draft, attachments, transcript } = this.conversation
    const isEmpty = !draft.trim() && attachments.length === 0
    if (this.#isListed) this.ui.set({ side: 'conversation' })
    else if (isEmpty && this.ui.editing === null && !transcript.approval) this.toggle(false)
  }

  readonly #escaped = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.defaultPrevented && !this.ui.dialog) this.#leave()
  }
}

/** The panel's height in pixels. */
function heightOf(size: Memory['size'], share: number, work: number): number {
  if (size === 'bar') return barPx
  const part = { half: 0.5, full: 1, custom: share }[size]
  return Math.max(barPx, Math.round(work * part))
}
