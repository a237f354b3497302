import type { ChatStore } from '../store/chat-store.ts'
import type { Conversation } from '../store/open-conversation.ts'

/** The view that contains the log, with only the members that `ScrollKeeper` uses. */
type Scrolled = {
  readonly conversation: Conversation
  readonly store: ChatStore
  find(selector: string): HTMLElement | null
  requestUpdate(): void
}

/** The distance to the end, in pixels, that still counts as the end. */
const nearPx = 80
/** The free space above the start of a long answer, in pixels. */
const topPx = 16
/**
 * The height of the line with name and time above an answer, with margin, in pixels. The line may scroll out, so that
 * the last words are visible.
 */
const bylinePx = 32

/**
 * Keeps the scroll position of the log: at the end if the user is there, else at the user's position. Stores the
 * message at the top edge, so that panel, module and a reload show the same position.
 */
export class ScrollKeeper {
  readonly #view: Scrolled
  /** The number of messages that came while the user was further up. */
  unseen = 0
  isAtEnd = true
  /** True if the buttons of the pending proposal are visible, or there is no proposal. */
  seesDecision = true
  /** True until the open conversation is drawn for the first time. */
  isEntering = true
  #count = 0
  #height = 0
  /** The first row while older messages are loaded; null at other times. */
  #first: Element | null = null
  #drawn: HTMLElement | null = null
  /** The width and height of the log when its position was last kept. */
  #size = ''
  /** Keeps the position when a rotated window or a growing composer changes the size of the log without a render. */
  readonly #frame = new ResizeObserver(() => this.updated())
  /** The log's state at the last scroll to its end. While the state is unchanged, the log is not scrolled again. */
  #followed = ''
  /** The key of the answer whose end the user has seen. The log does not scroll back to the start of this answer. */
  #read: string | undefined

  constructor(view: Scrolled) {
    this.#view = view
  }

  /** Starts with another conversation: at its last position, else at the end. */
  enter(): void {
    this.isEntering = true
    this.isAtEnd = true
    this.unseen = 0
  }

  /** Keeps the user's position when older messages are drawn above the current ones. */
  holdDistance(): void {
    this.#first = this.#log?.querySelector('.msg') ?? null
    this.#height = this.#log?.scrollHeight ?? 0
  }

  /** Scrolls to the newest message. */
  toEnd(): void {
    this.isAtEnd = true
    this.#followed = ''
    this.unseen = 0
    this.updated()
    this.#view.requestUpdate()
  }

  /** Keeps the scroll position; called after each render. */
  updated(): void {
    const log = this.#log
    const { conversation } = this.#view
    if (!log?.querySelector('.msg')) return
    const count = conversation.rows.length + conversation.pending.length
    if (conversation.isBusy) this.#read = undefined
    // A panel that was collapsed has a new log element.
    if (log !== this.#drawn) {
      this.enter()
      this.#frame.disconnect()
      this.#frame.observe(log)
    }
    this.#drawn = log
    this.#size = sizeOf(log)
    const isHeld = this.#first !== null && this.#first === log.querySelector('.msg')
    // The height also changes with the window, and with rows that come near, before the older messages are drawn.
    if (isHeld) this.#height = log.scrollHeight
    if (this.#first && !isHeld) {
      log.scrollTop += log.scrollHeight - this.#height
      this.#first = null
    } else if (this.isEntering) this.#restore(log)
    else if (this.isAtEnd) this.#follow(log)
    else if (count > this.#count) {
      this.unseen += count - this.#count
      this.#view.requestUpdate()
    }
    this.isEntering = false
    this.#count = count
    this.#lookForDecision(log)
  }

  readonly scrolled = (): void => {
    const log = this.#log
    if (!log) return
    // The size of the log has changed, and with it the end: this scroll does not come from the user.
    if (this.isAtEnd && sizeOf(log) !== this.#size) {
      this.updated()
      return
    }
    const { offersEnd } = this
    this.isAtEnd = this.#isNearEnd(log)
    if (this.isAtEnd) {
      this.unseen = 0
      const { conversation } = this.#view
      if (!conversation.isBusy) this.#read = conversation.rows.at(-1)?.key
    }
    if (offersEnd !== this.offersEnd) this.#view.requestUpdate()
    this.#lookForDecision(log)
    this.#remember(log)
  }

  /** True if the user is above new messages or above a running turn: a button then leads to the end. */
  get offersEnd(): boolean {
    return this.unseen > 0 || (!this.isAtEnd && this.#view.conversation.isBusy)
  }

  /** Scrolls to the waiting proposal: to its end if it fits, else to its start; its buttons stick to the lower edge. */
  toDecision(): void {
    const [log, card] = [this.#log, this.#view.find('.approval')]
    if (log) card?.scrollIntoView({ block: card.offsetHeight > log.clientHeight ? 'start' : 'end' })
  }

  #lookForDecision(log: HTMLElement): void {
    const saw = this.seesDecision
    const { approval } = this.#view.conversation.transcript
    const foot = approval && log.querySelector('.approval-foot')
    this.seesDecision = !foot || isWithin(foot.getBoundingClientRect(), log.getBoundingClientRect())
    if (saw !== this.seesDecision) this.#view.requestUpdate()
  }

  get #log(): HTMLElement | null {
    return this.#drawn?.isConnected ? this.#drawn : this.#view.find('.log')
  }

  #remember(log: HTMLElement): void {
    const { conversation, store } = this.#view
    if (!conversation.id) return
    if (this.isAtEnd) {
      if (store.memory.anchor?.conversationId === conversation.id) store.keep({ anchor: null })
      return
    }
    const top = log.getBoundingClientRect().top
    const rows = [...(log.firstElementChild?.children ?? [])] as HTMLElement[]
    // Skips the button for earlier messages, which is above the first row.
    if (rows[0]?.matches('.log-top')) rows.shift()
    const first = firstBelow(rows, top)
    if (!first?.dataset.sequence) return
    const offset = Math.round(first.getBoundingClientRect().top - top)
    store.keep({
      anchor: { conversationId: conversation.id, sequence: Number(first.dataset.sequence), offset },
    })
  }

  #isNearEnd(log: HTMLElement): boolean {
    return log.scrollHeight - log.scrollTop - log.clientHeight < nearPx
  }

  /** Scrolls to the end, but not past the start of a long answer or proposal. */
  #follow(log: HTMLElement): void {
    const { conversation } = this.#view
    const { approval, version } = conversation.transcript
    // A message of the user stands below the card until the service has it.
    const digest = conversation.pending.length === 0 ? approval?.digest : undefined
    const card = digest === undefined ? null : log.querySelector<HTMLElement>('.approval')
    // While the user reads a proposal, its rows become taller and a rename raises the version: neither may scroll the
    // log.
    const shown = card ? digest : `${version} ${log.scrollHeight}`
    const now = `${shown} ${log.clientHeight}`
    if (now === this.#followed) return
    this.#followed = now
    const end = log.scrollHeight - log.clientHeight
    const isRead = conversation.rows.at(-1)?.key === this.#read
    const last = card ?? (isRead ? null : newestAnswer(log))
    if (!last || conversation.isBusy) {
      log.scrollTop = end
      return
    }
    // All values are read before the one write, because a read after a write would lay out the log again.
    const start = last.getBoundingClientRect().top - log.getBoundingClientRect().top + log.scrollTop
    const above = end + topPx - start
    log.scrollTop = above > (card ? 0 : topPx + bylinePx) ? end - above : end
  }

  #restore(log: HTMLElement): void {
    const { conversation, store } = this.#view
    const anchor = store.memory.anchor
    const message =
      anchor?.conversationId === conversation.id
        ? log.querySelector<HTMLElement>(`[data-sequence="${Number(anchor?.sequence)}"]`)
        : null
    this.#read = conversation.isBusy ? undefined : conversation.rows.at(-1)?.key
    this.#followed = ''
    if (!message || !anchor) {
      this.#follow(log)
      return
    }
    log.scrollTop = log.scrollHeight
    log.scrollTop += message.getBoundingClientRect().top - log.getBoundingClientRect().top - anchor.offset
    this.isAtEnd = this.#isNearEnd(log)
  }
}

/** Returns the newest row of the log if it is the assistant's; null if it is the user's. */
function newestAnswer(log: HTMLElement): HTMLElement | null {
  const row = log.firstElementChild?.lastElementChild
  return row instanceof HTMLElement && row.matches('.msg:not(.msg-user)') ? row : null
}

const sizeOf = (log: HTMLElement): string => `${log.clientWidth} ${log.clientHeight}`

function isWithin(part: DOMRect, frame: DOMRect): boolean {
  return part.top >= frame.top && part.bottom <= frame.bottom + 1
}

/**
 * Returns the first element, in vertical order, that ends below an edge; a binary search measures only few elements.
 */
function firstBelow(elements: readonly HTMLElement[], edge: number): HTMLElement | undefined {
  let from = 0
  let to = elements.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((elements[middle]?.getBoundingClientRect().bottom ?? 0) > edge) to = middle
    else from = middle + 1
  }
  return elements[from]
}
