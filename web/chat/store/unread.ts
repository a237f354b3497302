import type { ChatStore } from './chat-store.ts'
import { isBusy } from './known-transcript.ts'
import type { Conversation } from './open-conversation.ts'

/**
 * The conversations whose turn a page of this browser saw running and whose end no page has shown yet: their ids, for one
 * user. Every look reads the browser's storage, so that what one tab shows is read in the others.
 */

/** The most conversations that are remembered; the oldest are forgotten. */
const mostRemembered = 50

/** The ids of the conversations with an end that the user has not seen, and of those that still run. */
export function unreadIds({ page: { storage }, user }: ChatStore): readonly string[] {
  if (!user) return []
  try {
    const found: unknown = JSON.parse(storage?.getItem(unreadKey(user.uid)) ?? '[]')
    return Array.isArray(found) ? found.filter((id) => typeof id === 'string') : []
  } catch {
    // Another script wrote it, or the browser forbids it: nothing is remembered.
    return []
  }
}

/** An element that shows a conversation, or is closed. */
type Shower = {
  readonly store: ChatStore | null
  readonly conversation: Conversation
  readonly isShowing: boolean
}

/** Remembers the conversations that run, and forgets the one whose end the element shows. */
export function noteUnread({ store, conversation, isShowing }: Shower): void {
  if (!store?.user || store.phase !== 'ready') return
  const { id, status, transcript } = conversation
  const isSeen = isShowing && store.page.isVisible() && transcript.version >= 0 && !isBusy(status)
  const before = unreadIds(store)
  const running = new Set([...before, ...store.active.busyIds])
  if (isSeen && id) running.delete(id)
  const after = [...running].slice(-mostRemembered)
  if (String(after) === String(before)) return
  try {
    store.page.storage?.setItem(unreadKey(store.user.uid), JSON.stringify(after))
  } catch {
    // The browser keeps nothing: the chat works without.
  }
}

// A logout wipes all keys with this beginning.
const unreadKey = (uid: number) => `aic:v1:${uid}:unread`
