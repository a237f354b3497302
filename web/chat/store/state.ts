import type { StatusAnswer } from '../../../core/chat/status-request.ts'
import type { Summary } from '../../../core/conversation/schema.ts'
import type { SessionAnswer } from '../../../core/user/session/schema.ts'
import type { Api } from '../api.ts'
import type { Word } from './channel.ts'
import type { Listing } from './listing.ts'
import type { Conversation } from './open-conversation.ts'
import type { Memory } from './storage.ts'

export type Phase = 'starting' | 'ready' | 'expired' | 'denied'

/** The features of the page and the browser that the store uses. */
export type Page = {
  isVisible(): boolean
  storage: Storage | undefined
  /** The tab's own storage; it survives a reload, and no other tab can read it. */
  tab: Storage | undefined
  /** The locks that all tabs share; absent if the page's context is not secure. */
  locks: LockManager | undefined
}

/** The part of the store that its actions need: the state of a stage, and functions to change it. */
export type StoreState = {
  readonly api: Api
  readonly page: Page
  readonly phase: Phase
  readonly user: SessionAnswer['user'] | null
  readonly status: StatusAnswer | null
  /** The state that this browser keeps for the user across reloads. */
  readonly memory: Memory
  readonly active: Listing
  /** The time of the next attempt to reach the stage, ms since the epoch; null while it is connected. */
  readonly retryAt: number | null
  /** Reports a change: calls the listeners, and updates the polling. */
  changed(): void
  /**
   * Handles a failed request: an ended session, missing access, a lost connection. Throws any error that is neither an
   * ApiError nor an abort.
   */
  caught(error: unknown): void
  /** Stores values so that they survive a reload: after a short delay, or at once with `flush`. */
  keep(change: Partial<Memory>): void
  flush(): void
  /** Updates the summary of a conversation in the lists and in the open conversation. */
  note(summary: Summary): void
  /** Sends a message to the other tabs. */
  tell(word: Word): void
  /** Polls a conversation at once. */
  look(conversation: Conversation): void
  /** Gives a new conversation the id from the stage. */
  adopt(conversation: Conversation, summary: Summary): void
  refreshLists(): Promise<void>
}
