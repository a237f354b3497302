import { type ChangedDetail, sendChatEvent } from '../events.ts'
import type { RecordChange } from '../store/channel.ts'
import type { ChatStore } from '../store/chat-store.ts'
import { isBusy } from '../store/known-transcript.ts'
import type { Conversation } from '../store/open-conversation.ts'
import type { View } from '../view/view.ts'

/** Finds what is new for the page and for the user: changed records, and turns whose end nobody has seen. */

/** The changes that a page knows; its module and panel share a store, so the page hears of a change once. */
const knownTo = new WeakMap<ChatStore, Set<string>>()

/** Tells the page which records the chat has changed in the conversation that the element shows, or in another tab. */
export function tellChanges(from: View): void {
  const { store, conversation } = from
  tellPage(from, store.heard.splice(0))
  if (conversation.id) announce(from, newChanges(conversation))
}

/** Tells of changes the page around, and the pages in the user's other tabs. */
export function announce(from: View, changes: readonly RecordChange[]): void {
  const news = tellPage(from, changes)
  if (news.length > 0) from.store.tell({ type: 'records', changes: news })
}

/** Tells the page those changes that it does not know; answers these. */
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

/** Each record once. */
function recordsOf(changes: readonly RecordChange[]): ChangedDetail['records'] {
  const records = changes.map(({ table, uid }) => ({ table, uid }))
  return [...new Map(records.map((record) => [`${record.table}:${record.uid}`, record])).values()]
}

/**
 * The undone changes of a run. An undo uses the name of its change, because each change of a run is undone only once.
 */
export const undoneIn = (runId: string, records: ChangedDetail['records']): RecordChange[] =>
  records.map(({ table, uid }) => ({ key: `undone ${runId} ${table}:${uid}`, table, uid }))

/** The last searched message of each conversation, by sequence. */
const searched = new WeakMap<Conversation, number>()

/**
 * The chat's changes in a conversation since the last call: approved writes that are done, and turns undone in another
 * place. The content of the first load is not news.
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

/** Remembers the conversations that run, and forgets the one whose end the element shows. */
export function noteUnread({ store, conversation, isShowing }: View): void {
  if (!store.user || store.phase !== 'ready') return
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
