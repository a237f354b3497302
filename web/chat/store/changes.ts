import { type ChangedDetail, send } from '../events.ts'
import type { Conversation } from './conversation.ts'

/** Tells the page around an element which records the chat has changed in the conversation that it shows. */
export function tellChanges(from: EventTarget & { conversation: Conversation }): void {
  const records = changesOf(from.conversation)
  if (records.length > 0) send(from, 'ai-chat-changed', { records })
}

/** How far each conversation was searched; module and panel of a page share it, so the page hears of a change once. */
const seen = new WeakMap<Conversation, number>()

/**
 * The records that the chat has changed in a conversation since the last look: approved writes that were done, and turns
 * that were taken back elsewhere. What is there when a conversation is first loaded is no news.
 */
export function changesOf(conversation: Conversation): ChangedDetail['records'] {
  if (conversation.isFresh) return []
  const { messages } = conversation.transcript
  const known = seen.get(conversation)
  seen.set(conversation, messages.at(-1)?.sequence ?? -1)
  if (known === undefined) return []
  const told = messages.filter(({ sequence, approved, outcome, notice, runId }) => {
    if (sequence <= known) return false
    return (approved && outcome === 'done') || (notice === 'undone' && !conversation.undone.has(runId ?? ''))
  })
  const records = told.flatMap((message) => message.records ?? []).map(({ table, uid }) => ({ table, uid }))
  return [...new Map(records.map((record) => [`${record.table}:${record.uid}`, record])).values()]
}
