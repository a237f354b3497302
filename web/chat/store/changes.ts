import { type ChangedDetail, sendChatEvent } from '../events.ts'
import type { RecordChange } from './channel.ts'
import type { ChatStore } from './chat-store.ts'
import type { Conversation } from './open-conversation.ts'

/** An element that can tell the page around it what the chat has changed. */
type Teller = EventTarget & { readonly store: ChatStore | null; readonly conversation: Conversation }

/** The changes that a page knows; its module and panel share a store, so the page hears of a change once. */
const knownTo = new WeakMap<ChatStore, Set<string>>()

/** Tells the page which records the chat has changed in the conversation that the element shows, or in another tab. */
export function tellChanges(from: Teller): void {
  const { store, conversation } = from
  tellPage(from, store?.heard.splice(0) ?? [])
  if (conversation.id) announce(from, newChanges(conversation))
}

/** Tells of changes the page around, and the pages in the user's other tabs. */
export function announce(from: Teller, changes: readonly RecordChange[]): void {
  const news = tellPage(from, changes)
  if (news.length > 0) from.store?.tell({ type: 'records', changes: news })
}

/** Tells the page those changes that it does not know; answers these. */
function tellPage(from: Teller, changes: readonly RecordChange[]): RecordChange[] {
  const { store } = from
  if (!store || changes.length === 0) return []
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
const seen = new WeakMap<Conversation, number>()

/**
 * The chat's changes in a conversation since the last call: approved writes that are done, and turns undone in another
 * place. The content of the first load is not news.
 */
export function newChanges(conversation: Conversation): RecordChange[] {
  if (conversation.isFresh) return []
  const { messages } = conversation.transcript
  const known = seen.get(conversation) ?? (conversation.isNew ? -1 : undefined)
  seen.set(conversation, messages.at(-1)?.sequence ?? -1)
  if (known === undefined) return []
  return messages.flatMap(({ sequence, approved, outcome, notice, runId = '', toolCallId, records = [] }) => {
    if (sequence <= known) return []
    if (notice === 'undone') return conversation.undone.has(runId) ? [] : undoneIn(runId, records)
    if (!approved || outcome !== 'done') return []
    return records.map(({ table, uid }) => ({ key: `${runId} ${toolCallId} ${table}:${uid}`, table, uid }))
  })
}
