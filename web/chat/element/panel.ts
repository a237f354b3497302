import { html, nothing, type PropertyValues } from 'lit'
import type { Mention } from '../../../core/conversation/schema.ts'
import { chat, runShortcut, voice } from '../conversation/chat.ts'
import { closeButton, collapsedBar, historySidebar, narrowHead, wideHead } from '../conversation/header.ts'
import { sendChatEvent } from '../events.ts'
import { lazy, loadAhead } from '../lazy.ts'
import { mention } from '../mention/mention.ts'
import { lastUid, type Memory, recall, storageOf } from '../store/storage.ts'
import { ChatElement } from './element.ts'
import { panelStyles } from './style.ts'

/** The drag handle at the upper edge, loaded soon after the start. */
const resizeHandle = loadAhead(lazy(async () => (await import('./resize-handle.ts')).resizeHandle))

const barPx = 44
/** The maximum share of the height that the panel takes for a proposal, so that the page stays visible. */
const mostShare = 0.85
/** The free space above and below a proposal together, in pixels. */
const aroundPx = 36

/**
 * The chat at the bottom of the page: a bar, or a panel with half the height, the full height or a height that the user
 * chose. In a window up to 896 px wide it is a modal dialog. A closed panel shows nothing, but still counts busy
 * conversations for `ai-chat-busy`. State, size, conversation and draft survive a reload.
 *
 * By default the panel floats over the bottom edge. A page that lays it out itself, for example in a row of its grid,
 * overrides `position` on the element: `ai-chat-panel { position: relative }`. The height then follows the parent
 * element's box, and `ai-chat-toggle` reports it in pixels after every change.
 *
 * @attr {boolean} open - shown or not; set by the page's button, reflected when the user closes it
 * @attr {boolean} hidden - shows nothing for now, beside a module that shows the same conversation; `open` stays
 * @fires ai-chat-toggle - `{ open, height, size }` after opening, closing and resizing
 * @fires ai-chat-open-module - `{ conversationId }` when the user opens the full page
 * @cssprop --aic-inset - `<top> <right> <bottom> <left>`: the space for the page's own bars at the window's edges
 * @cssprop --aic-panel-height - the current height, set by the element
 */
export class ChatPanel extends ChatElement {
  static override styles = panelStyles
  static override properties = {
    ...ChatElement.properties,
    open: { type: Boolean, reflect: true },
    hidden: { type: Boolean, reflect: true },
    size: { state: true },
    share: { state: true },
    isNarrow: { state: true },
  }
  declare open: boolean
  declare hidden: boolean
  declare size: Memory['size']
  /** The share of the work area, 0.2 to 1; used with size `custom`. */
  declare share: number
  declare isNarrow: boolean
  /** True if the page or the user has opened or closed the panel; the remembered state is then ignored. */
  #isChosen = false
  #isSized = false
  /** The remembered state; if `open` differs from it, the page or the user has chosen another state. */
  #remembered = false
  #before: HTMLElement | null = null
  #reported = ''
  /** The height in pixels that the waiting proposal needs; 0 if no proposal waits. */
  #needed = 0
  /** The run for whose proposal the user has changed the height. */
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
    return this.isConnected && this.open && !this.hidden
  }

  get hasModule(): boolean {
    return this.conversationHref !== ''
  }

  /**
   * The height that the panel may use, in pixels: of the parent's box if the page places the panel itself, else of the
   * window.
   */
  get workHeight(): number {
    const parent = this.parentElement
    const { position, marginTop, marginBottom } = getComputedStyle(this)
    if (!parent || position === 'fixed')
      return innerHeight - 16 - Number.parseFloat(marginTop) - Number.parseFloat(marginBottom)
    const { paddingTop, paddingBottom } = getComputedStyle(parent)
    return parent.clientHeight - Number.parseFloat(paddingTop) - Number.parseFloat(paddingBottom)
  }

  /** Opens or closes the panel, like the page's button. An opened panel takes the focus. */
  toggle(open = !this.open): void {
    if (open === this.open || this.hidden) return
    this.#isChosen = true
    const hasFocus = this.matches(':focus-within')
    if (open) this.#before = document.activeElement as HTMLElement | null
    this.open = open
    if (open && this.size === 'bar') this.size = 'half'
    if (open) void this.updateComplete.then(() => this.focusMessage())
    // If the focus is elsewhere when the panel closes, it stays there.
    else if (hasFocus) this.#before?.focus()
  }

  /** Sets the height of the panel. */
  resize(size: Memory['size'], share = this.share): void {
    this.#isSized = true
    this.#sizedFor = this.conversation.transcript.approval?.runId
    this.size = size
    this.share = Math.min(1, Math.max(0.2, share))
    if (size !== 'bar') void this.updateComplete.then(() => this.scroller.updated())
  }

  /** Adds a record, file or user of the site to the draft; opens the panel and focuses the field. */
  mention(it: Mention): void {
    this.toggle(true)
    if (this.size === 'bar') this.resize('half')
    void mention(this, it)
  }

  /** Opens the conversation in the full page, and closes the panel. */
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
    if (shortcut !== 'toggle') return runShortcut(this, shortcut)
    this.toggle()
    return true
  }

  /** Restores state and size as the user left them. */
  override entered(memory: Memory): void {
    // The page may choose before the first drawing.
    if (!this.#isChosen && this.open === this.#remembered) this.open = this.#remembered = memory.open
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
    if (!['open', 'hidden', 'size', 'share', 'isNarrow'].some((name) => changed.has(name))) return
    const { open, size, share } = this
    if (changed.has('open') || changed.has('hidden')) this.reshow()
    if (open !== this.#remembered) this.#isChosen = true
    // Before the user is known, only the user's own choices are stored.
    const isUserKnown = this.store.user !== null
    if (isUserKnown || this.#isChosen) this.store.keep({ open })
    if (isUserKnown || this.#isSized) this.store.keep({ size, share })
    this.#measure()
  }

  override render(): unknown {
    if (!this.isShowing) return nothing
    const { t, size } = this
    if (this.isNarrow) return this.#dialog()
    if (size === 'bar')
      return html`<section class="panel" aria-label=${t('app.name')}>${collapsedBar(this)}</section>
        ${voice(this)}`
    return html`<section class="panel" aria-label=${t('app.name')} @keydown=${this.#escaped}>
      ${resizeHandle(this)}
      ${this.#isListed ? [historySidebar(this, closeButton(this)), voice(this)] : chat(this, wideHead(this), 'group')}
    </section>`
  }

  /** True if the list of all conversations replaces the open conversation. */
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
      ${this.ui.side === 'list' ? historySidebar(this, closeButton(this)) : nothing}
      ${chat(this, narrowHead(this), 'group')}
    </dialog>`
  }

  /** Returns the height that shows the whole proposal; 0 without a proposal, or if the user chose a height for it. */
  #need(): number {
    const { size, isNarrow, conversation } = this
    const isFree = this.isShowing && !isNarrow && size !== 'bar' && size !== 'full'
    const { approval } = conversation.transcript
    if (!isFree || !approval || approval.runId === this.#sizedFor) return 0
    const [log, card] = [this.find('.log'), this.find('.approval')]
    if (!log || !card) return 0
    return this.clientHeight - log.clientHeight + card.offsetHeight + aroundPx
  }

  /** Sets the height, and sends `ai-chat-toggle` if height, size or state has changed. */
  #measure(): void {
    const work = this.workHeight
    const open = this.isShowing
    const own = open ? heightOf(this.size, this.share, work) : 0
    const height = Math.max(own, Math.min(this.#needed, Math.round(work * mostShare)))
    this.style.setProperty('--aic-panel-height', `${height}px`)
    const detail = { open, height: this.isNarrow ? 0 : height, size: this.size }
    const report = JSON.stringify(detail)
    if (report === this.#reported || (this.#reported === '' && !open)) return
    this.#reported = report
    sendChatEvent(this, 'ai-chat-toggle', detail)
  }

  readonly #narrowed = (): void => {
    this.isNarrow = this.#media.matches
  }

  readonly #resized = (): void => this.#measure()

  /**
   * Closes the panel for Escape, but never with a draft, an open editor or a proposal: users press Escape out of habit.
   */
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

/** Returns the panel's height in pixels. */
function heightOf(size: Memory['size'], share: number, work: number): number {
  if (size === 'bar') return barPx
  const part = { half: 0.5, full: 1, custom: share }[size]
  return Math.max(barPx, Math.round(work * part))
}
