import { type ChangedDetail, sendChatEvent } from '../events.ts'
import type { RecordChange } from '../store/channel.ts'
import type { ChatStore } from '../store/chat-store.ts'
import { isBusy } from '../store/known-transcript.ts'
import type { Conversation } from '../store/open-conversation.ts'
import { readStored, writeStored } from '../store/storage.ts'
import type { View } from '../view/view.ts'

/** Reports changed records to the page, and finds ended turns that no page has shown to the user yet. */

/**
 * The changes that were already sent to the page. Its module and panel share a store, so each change is sent to the
 * page once.
 */
const knownTo = new WeakMap<ChatStore, Set<string>>()

/** Tells the page which records the chat has changed, in the shown conversation or in another tab. */
export function tellChanges(from: View): void {
  const { store, conversation } = from
  tellPage(from, store.heard.splice(0))
  if (conversation.id) announce(from, newChanges(conversation))
}

/** Sends changes to the page, and to the pages in the user's other tabs. */
export function announce(from: View, changes: readonly RecordChange[]): void {
  const news = tellPage(from, changes)
  if (news.length > 0) from.store.tell({ type: 'records', changes: news })
}

/** Sends the page the changes that it does not know; returns these changes. */
function tellPage(from: View, changes: readonly RecordChange[]): RecordChange[] {
  const { store } = from
  if (changes.length === 0) return []
  const known = knownTo.get(store) ?? new Set()
  knownTo.set(store, known)
  const news = changes.filter(({ key }) => !known.has(key))
  for (const { key } of news) known.add(key)
  if (news.length > 0) sendChatEvent(from, 'ai-chat-changed', { records: recordsOf(news) })
  return news
}

/** Returns each changed record once. */
function recordsOf(changes: readonly RecordChange[]): ChangedDetail['records'] {
  const records = changes.map(({ table, uid }) => ({ table, uid }))
  return [...new Map(records.map((record) => [`${record.table}:${record.uid}`, record])).values()]
}

/** Returns the undone changes of a run. Every tab uses the same key, because a run's change is undone only once. */
export const undoneIn = (runId: string, records: ChangedDetail['records']): RecordChange[] =>
  records.map(({ table, uid }) => ({ key: `undone ${runId} ${table}:${uid}`, table, uid }))

/** The sequence number up to which each conversation was searched. */
const searched = new WeakMap<Conversation, number>()

/**
 * Returns the chat's changes in a conversation since the last call: completed approved writes, and turns that were
 * undone elsewhere. The messages of the first load do not count as changes.
 */
export function newChanges(conversation: Conversation): RecordChange[] {
  if (conversation.isFresh) return []
  const { messages } = conversation.transcript
  const known = searched.get(conversation) ?? (conversation.isNew ? -1 : undefined)
  searched.set(conversation, messages.at(-1)?.sequence ?? -1)
  if (known === undefined) return []
  return messages.flatMap(({ sequence, approved, outcome, notice, runId = '', toolCallId, records = [] }) => {
    if (sequence <= known) return []
    if (notice === 'undone') return conversation.undone.has(runId) ? [] : undoneIn(runId, records)
    if (!approved || outcome !== 'done') return []
    return records.map(({ table, uid }) => ({ key: `${runId} ${toolCallId} ${table}:${uid}`, table, uid }))
  })
}

/** The maximum number of remembered conversations; the oldest are forgotten. */
const mostRemembered = 50

/**
 * Returns the ids of conversations whose turn ended unseen, and of those whose turn still runs. Each check reads the
 * browser's storage, so that a conversation seen in one tab is read in all tabs.
 */
export function unreadIds({ page: { storage }, user }: ChatStore): readonly string[] {
  if (!user) return []
  const found = readStored(storage, unreadKey(user.uid))
  return Array.isArray(found) ? found.filter((id) => typeof id === 'string') : []
}

/** Remembers the running conversations, and forgets the shown conversation if its turn has ended. */
export function noteUnread({ store, conversation, isShowing }: View): void {
  if (!store.user || store.phase !== 'ready') return
  const { id, status, transcript } = conversation
  const isSeen = isShowing && store.page.isVisible() && transcript.version >= 0 && !isBusy(status)
  const before = unreadIds(store)
  const running = new Set([...before, ...store.active.busyIds])
  if (isSeen && id) running.delete(id)
  const after = [...running].slice(-mostRemembered)
  if (String(after) !== String(before)) writeStored(store.page.storage, unreadKey(store.user.uid), after)
}

// The key begins with `aic:v1:`, so that a logout removes it.
const unreadKey = (uid: number) => `aic:v1:${uid}:unread`
