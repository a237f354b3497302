import type { LitElement } from 'lit'
import type { PromptsAnswer } from '../../../core/chat/request.ts'
import type { OpenPlace } from '../events.ts'
import type { Translate } from '../i18n/i18n.ts'
import type { Icon } from '../icon.ts'
import type { Format } from '../reader-format.ts'
import type { ChatStore } from '../store/chat-store.ts'
import type { Conversation, OpenProposal } from '../store/open-conversation.ts'
import type { Memory } from '../store/storage.ts'
import type { Announcer } from './announcer.ts'
import type { AnswerRenderer } from './answer-renderer.ts'
import type { Locale } from './locale.ts'
import type { PicturePlace } from './media.ts'
import type { ScrollKeeper } from './scroll.ts'

/**
 * An entry of the open list. `take` runs the entry's action with the position of the typed `@` or `/` in the message.
 * `url` is the address of the entry's picture, set after the entry was in view.
 */
export type Choice = {
  sign: Icon
  title: string
  note: string
  picture?: PicturePlace
  url?: string
  take(view: View, at: number | null): void
}

/** The open list of additions to a message, and its search. */
export type Picker = {
  kind: 'mention' | 'file' | 'prompt'
  /** The position of the typed `@` or `/` in the message; null if the user opened the list from a menu. */
  at: number | null
  query: string
  found: Choice[] | null
  /** The position of the active entry. */
  active: number
  hasFailed: boolean
  /** True while the shown entries belong to an earlier query. */
  isOld: boolean
  /** True if the user pressed Enter before the answer came; the first entry is then taken. */
  takesFirst?: boolean
  timer?: ReturnType<typeof setTimeout>
  asking?: AbortController
  /** Loads the pictures of entries that come into view. */
  watcher?: IntersectionObserver
  /** The user's prompts, kept for further queries. */
  prompts?: PromptsAnswer
}

/** The time during which a click can undo an action, in milliseconds. */
const offerMs = 10_000

/** The view's open parts: menus, dialogs, inline fields. This state ends with the view. */
export class ViewState {
  menu: 'more' | 'switch' | 'add' | null = null
  picker: Picker | null = null
  /** Draws the open dialog; null while no dialog is open. */
  dialog: ((view: View) => unknown) | null = null
  isRenaming = false
  /** The sequence number of the user's message that is being edited. */
  editing: number | null = null
  /** By row: true if the user opened the steps, false if the user closed them. */
  readonly steps = new Map<string, boolean>()
  /** The rows shown in full: a long message of the user, or all sources of a turn. */
  readonly unfolded = new Set<string>()
  /** The rows that were at the end or came close to the visible part: they are drawn whole. */
  readonly met = new Set<string>()
  /** The long passages shown in full, by call and field. */
  readonly passages = new Set<string>()
  /** The changes shown in their stored form, by call and field. */
  readonly stored = new Set<string>()
  /** The shown proposal. */
  proposal: OpenProposal | null = null
  /** The open place that the user removed from the message. */
  leftOut: OpenPlace | null = null
  /** True while files are dragged over the element. */
  isDropping = false
  isStopping = false
  /** The offer to undo a deletion or an archiving for a while, shown in the list or above the field. */
  offer: { text: string; undo: () => void; until: number; inList: boolean } | null = null
  /** The runs of answers that an edit moved to an earlier version, and whose changes are still in the CMS. */
  dropped: { runId: string; changes: number }[] = []
  /** The side that is visible below 896 px. */
  side: 'list' | 'conversation' = 'conversation'
  search = ''
  readonly #changed: () => void

  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** Changes the state and draws the view again. */
  set(change: Partial<ViewState>): void {
    Object.assign(this, change)
    this.#changed()
  }

  /** Changes the user's work on the shown proposal and draws the view again. */
  setProposal(change: Partial<OpenProposal>): void {
    if (this.proposal) Object.assign(this.proposal, change)
    this.#changed()
  }

  /** Reports an action for a while with an undo button, in the list or above the field. */
  offerUndo(text: string, act: () => void, inList = false): void {
    const undo = () => {
      this.set({ offer: null })
      act()
    }
    this.set({ offer: { text, undo, until: Date.now() + offerMs, inList } })
  }

  /**
   * Handles a change of the page or module beside the chat. If the user removed it from the message, it stays removed
   * only while the same page and module are open.
   */
  arrive(place: OpenPlace | null): void {
    const { leftOut } = this
    const isSame = leftOut?.pageId === place?.pageId && leftOut?.module === place?.module
    this.leftOut = isSame ? place : null
  }

  /**
   * Resets the state for another conversation. With `isFirst`, menu and dialog stay open, because the user may have opened
   * them before the conversation was loaded.
   */
  reset({ isFirst = false } = {}): void {
    if (!isFirst) this.menu = this.dialog = null
    this.picker = null
    this.isRenaming = false
    this.editing = null
    this.proposal = null
    this.isStopping = false
    this.dropped = []
    this.steps.clear()
    this.unfolded.clear()
    this.met.clear()
    this.passages.clear()
    this.stored.clear()
    this.#changed()
  }

  /** True while an offer to undo is shown; it ends after its time. */
  get isTimed(): boolean {
    if (this.offer && this.offer.until <= Date.now()) this.offer = null
    return this.offer !== null
  }
}

/** An element of the chat, as its parts use it: its state, its labels, and its actions. */
export type View = LitElement & {
  /** The store of the element's stage. */
  readonly store: ChatStore
  /** The open conversation. */
  readonly conversation: Conversation
  readonly ui: ViewState
  readonly t: Translate
  readonly format: Format
  readonly locale: Locale
  readonly announcer: Announcer
  readonly scroller: ScrollKeeper
  readonly prose: AnswerRenderer
  /** The page and module beside the chat; null if there are none. */
  readonly context: OpenPlace | null
  /** The same as `context`, but null if the user removed it. */
  readonly place: OpenPlace | null
  /**
   * The patterns of addresses in the surrounding page: `{id}` stands for the conversation, `{table}` and `{uid}` for
   * the record.
   */
  readonly conversationHref: string
  readonly recordHref: string
  readonly isShowing: boolean
  /** Shows a conversation; null shows a new one. */
  show(conversationId: string | null): void
  /** Returns the first part of the element that matches a selector; null if there is no such part. */
  find<E extends HTMLElement = HTMLElement>(selector: string): E | null
  /** Focuses the part of the element that matches a selector, after the next drawing. */
  focusDrawn(selector: string): Promise<void>
  /** Moves the cursor into the message field. */
  focusMessage(): void
}

/** The panel as a view, with its additional state and actions. */
export type Panel = View & {
  readonly size: Memory['size']
  /** True if the host has a full page and gave its address. */
  readonly hasModule: boolean
  resize(size: Memory['size']): void
  toggle(open: boolean): void
  openModule(): void
}
