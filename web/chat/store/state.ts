import type { StatusAnswer } from '../../../core/chat/status-request.ts'
import type { Summary } from '../../../core/conversation/schema.ts'
import type { SessionAnswer } from '../../../core/user/session/schema.ts'
import type { Api } from '../api.ts'
import type { Word } from './channel.ts'
import type { Listing } from './listing.ts'
import type { Conversation } from './open-conversation.ts'
import type { Memory } from './storage.ts'

export type Phase = 'starting' | 'ready' | 'expired' | 'denied'

/** The store's dependencies on its page. */
export type Page = {
  isVisible(): boolean
  storage: Storage | undefined
  /** Outlives a reload of this tab, and is no other tab's. */
  tab: Storage | undefined
  /** Absent without a secure context. */
  locks: LockManager | undefined
}

/** The state of a stage and the notification of a change, as the store's verbs need them. */
export type StoreState = {
  readonly api: Api
  readonly page: Page
  readonly phase: Phase
  readonly user: SessionAnswer['user'] | null
  readonly status: StatusAnswer | null
  /** The browser's memory of the user. */
  readonly memory: Memory
  readonly active: Listing
  /** The time of the next attempt to reach the stage, ms since the epoch; null while it is connected. */
  readonly retryAt: number | null
  /** Something changed: tells the views, and polls what needs it now. */
  changed(): void
  /**
   * Handles a failed request: an expired session, a lack of access, a lost connection. Throws any error that is neither
   * an ApiError nor an abort.
   */
  caught(error: unknown): void
  /** Keeps something beyond a reload; written soon, and at once by `flush`. */
  keep(change: Partial<Memory>): void
  flush(): void
  /** Updates the summary of a conversation wherever it is listed or open. */
  note(summary: Summary): void
  /** Tells the other tabs that there is something new to ask for. */
  tell(word: Word): void
  /** Asks at once what is new in a conversation. */
  look(conversation: Conversation): void
  /** The stage has given a new conversation its id. */
  adopt(conversation: Conversation, summary: Summary): void
  refreshLists(): Promise<void>
}
