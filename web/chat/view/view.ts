import type { LitElement } from 'lit'
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
import type { ViewState } from './view-state.ts'

/** The view of a part: the state of its element, its words, and its actions. */
export type View = LitElement & {
  /** null: the element is not on a page. */
  readonly store: ChatStore | null
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
