import type { StatusAnswer } from '../../../core/chat/status-request.ts'
import type { Summary } from '../../../core/conversation/schema.ts'
import type { SessionAnswer } from '../../../core/session/schema.ts'
import type { Api } from '../api.ts'
import type { Word } from './channel.ts'
import type { Conversation } from './conversation.ts'
import type { Listing } from './listing.ts'
import type { Memory } from './storage.ts'

export type Phase = 'starting' | 'ready' | 'expired' | 'denied'

/** What the store needs of the page that it lives in. */
export type Page = {
  isVisible(): boolean
  storage: Storage
  /** Outlives a reload of this tab, and is no other tab's. */
  tab: Storage
  /** Absent without a secure context. */
  locks: LockManager | undefined
}

/** What is known of a stage, and how to say that something has changed: all that the store's own verbs need of it. */
export type State = {
  readonly api: Api
  readonly page: Page
  readonly phase: Phase
  readonly user: SessionAnswer['user'] | null
  readonly status: StatusAnswer | null
  /** What the browser remembers of the user. */
  readonly memory: Memory
  readonly active: Listing
  /** When the next attempt to reach the stage is due, ms since the epoch; null: there is a connection. */
  readonly retryAt: number | null
  /** Something changed: tells the views, and polls what needs it now. */
  changed(): void
  /** What every failed request goes through: a lost session, a lost connection, or nothing that concerns all. */
  caught(error: unknown): void
  /** Keeps something beyond a reload; written soon, and at once by `flush`. */
  keep(change: Partial<Memory>): void
  flush(): void
  /** What is known of a conversation, wherever it is listed or open. */
  note(summary: Summary): void
  /** Tells the other tabs that there is something new to ask for. */
  tell(word: Word): void
  /** Asks at once what is new in a conversation. */
  look(conversation: Conversation): void
  /** The stage has given a new conversation its id. */
  adopt(conversation: Conversation, summary: Summary): void
  refreshLists(): Promise<void>
}
