import type { LitElement } from 'lit'
import type { Feedback } from '../../../core/user/schema.ts'
import type { OpenPlace } from '../events.ts'
import type { Translate } from '../i18n/i18n.ts'
import type { Format } from '../reader-format.ts'
import type { ChatStore } from '../store/chat-store.ts'
import type { Conversation } from '../store/open-conversation.ts'
import type { Memory } from '../store/storage.ts'
import type { Announcer } from './announcer.ts'
import type { AnswerRenderer } from './answer-renderer.ts'
import type { Locale } from './locale.ts'
import type { ScrollKeeper } from './scroll.ts'

/** The user's feedback on an answer; a change replaces it. */
export type Judgement = {
  /** The stored feedback; null: none, or not known yet. */
  readonly said: Feedback | null
  /** The reasons are open. */
  readonly isOpen: boolean
  /** The stage's refusal, in its words. */
  readonly problem: string | null
}

/** The time to undo an act with one click, in milliseconds. */
const offerMs = 10_000

/** The view's open parts: menus, dialogs, fields in place. None of them outlives the view. */
export class ViewState {
  menu: 'more' | 'switch' | 'add' | null = null
  /** The open picker, and the place in the text where the user typed its sign, if they did. */
  picker: { kind: 'mention' | 'file' | 'prompt'; at: number | null } | null = null
  /** Draws the dialog that is open. */
  dialog: ((view: View) => unknown) | null = null
  /** The user's feedback on answers, by row. */
  readonly judged = new Map<string, Judgement>()
  isRenaming = false
  /** Sequence of the own message that is being edited. */
  editing: number | null = null
  /** Steps that the user opened or closed, by row. */
  readonly steps = new Map<string, boolean>()
  /** Rows shown in full: a long own message, the sources of a turn. */
  readonly unfolded = new Set<string>()
  /** Rows that were at the end or came near the screen: they are drawn with everything that belongs to them. */
  readonly met = new Set<string>()
  /** Long passages shown in full, by call and field. */
  readonly passages = new Set<string>()
  /** Changes shown as they are stored, by call and field. */
  readonly stored = new Set<string>()
  /**
   * The proposal on the screen: its guard against early clicks, the calls that the user left out, and the filter of its
   * rows.
   */
  proposal: {
    digest: string
    runId: string
    isGuarded: boolean
    unticked: Set<string>
    filter: string
  } | null = null
  /** The field of the proposal whose words are being changed, by call and field. */
  wording: string | null = null
  /** The reason for a denial is being asked for. */
  isDenying = false
  /** The place that the user does not want to send. */
  leftOut: OpenPlace | null = null
  /** Files are held over the element. */
  isDropping = false
  isStopping = false
  /** The offer to undo a deletion or an archiving for a while, in the list or above the field. */
  offer: { text: string; undo: () => void; until: number; inList: boolean } | null = null
  /** Runs of answers that are in an earlier version since an edit, and whose changes are still there. */
  dropped: { runId: string; changes: number }[] = []
  /** The visible side below 896 px. */
  side: 'list' | 'conversation' = 'conversation'
  search = ''
  readonly #changed: () => void

  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** Changes something and has the view drawn again. */
  set(change: Partial<ViewState>): void {
    Object.assign(this, change)
    this.#changed()
  }

  /** Reports an act for a while with an undo button, in the list or above the field. */
  offerUndo(text: string, act: () => void, inList = false): void {
    const undo = () => {
      this.set({ offer: null })
      act()
    }
    this.set({ offer: { text, undo, until: Date.now() + offerMs, inList } })
  }

  /** Another place, or the same again, opens beside the chat: the user's exclusions apply only to that place. */
  arrive(place: OpenPlace | null): void {
    const { leftOut } = this
    const isSame = leftOut?.pageId === place?.pageId && leftOut?.module === place?.module
    this.leftOut = isSame ? place : null
  }

  /** Another conversation is shown; the menu closes unless the user opened it while the first one was coming. */
  reset({ isFirst = false } = {}): void {
    if (!isFirst) this.menu = null
    this.picker = null
    this.dialog = null
    this.isRenaming = false
    this.editing = null
    this.proposal = null
    this.wording = null
    this.isDenying = false
    this.isStopping = false
    this.dropped = []
    this.steps.clear()
    this.unfolded.clear()
    this.met.clear()
    this.passages.clear()
    this.judged.clear()
    this.stored.clear()
    this.#changed()
  }

  /** True while an offer is shown, which ends by itself. */
  get isTimed(): boolean {
    if (this.offer && this.offer.until <= Date.now()) this.offer = null
    return this.offer !== null
  }
}

/** The view of a part: the state of its element, its words, and its actions. */
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
  /** The page and module beside the chat. */
  readonly context: OpenPlace | null
  /** The same, unless the user has left it out. */
  readonly place: OpenPlace | null
  /** Addresses in the page around, with `{id}`, and with `{table}` and `{uid}`. */
  readonly conversationHref: string
  readonly recordHref: string
  readonly isShowing: boolean
  /** Shows a conversation; null: a new one. */
  show(conversationId: string | null): void
  /** The part of the element that a selector names. */
  find<E extends HTMLElement = HTMLElement>(selector: string): E | null
  /** Focuses the part of the element that a selector names, once it is drawn. */
  focusDrawn(selector: string): Promise<void>
  /** Puts the cursor into the message. */
  focusMessage(): void
}

/** The actions of the panel beyond those of every view. */
export type Panel = View & {
  readonly size: Memory['size']
  /** The host has a full page, whose address it gave. */
  readonly hasModule: boolean
  resize(size: Memory['size']): void
  toggle(open: boolean): void
  openModule(): void
}
