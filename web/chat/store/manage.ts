import type { UndoAnswer } from '../../../core/chat/request.ts'
import type { ConversationAnswer, RecordId } from '../../../core/conversation/schema.ts'
import type { Conflict } from '../../../core/conversation/transcript/schema.ts'
import { ApiError } from '../api.ts'
import type { ChatStore } from './chat-store.ts'
import type { Conversation } from './open-conversation.ts'
import { changeConversation, publish, storeIn, tryRequest } from './outbox.ts'

/** Deletes a conversation, which hides it from every list, or restores it. */
export async function deleteConversation(
  store: ChatStore,
  conversation: Conversation,
  deleted: boolean,
): Promise<boolean> {
  const isDone = (await changeConversation(store, conversation, 'delete', { deleted })) !== null
  if (isDone && deleted && conversation.id) {
    store.active.drop(conversation.id)
    store.listing.drop(conversation.id)
  }
  if (isDone) void store.refreshLists()
  return isDone
}

/** Stores the instructions of a conversation; creates the conversation first if it is new. */
export async function instruct(
  store: ChatStore,
  conversation: Conversation,
  systemPrompt: string,
): Promise<boolean> {
  return (
    (await tryRequest(store, conversation, async () => {
      while (conversation.storing) await conversation.storing
      if (!conversation.id) {
        const key = crypto.randomUUID()
        const create = () => store.api.post<ConversationAnswer>('/conversations/create', {}, key)
        await storeIn(store, conversation, create)
      }
      const body = { conversationId: conversation.id, systemPrompt }
      const answer = await store.api.post<ConversationAnswer>('/conversations/system-prompt', body)
      conversation.take({ ...conversation.transcript, systemPrompt }, Date.now())
      publish(store, answer.conversation)
      return true
    })) ?? false
  )
}

/** The answer to an undo; with `isQueued`, the undo has only begun, and a poll shows its progress. */
export type Undoing = Pick<UndoAnswer, 'undone'> & { conflicts: Conflict[]; isQueued?: true }

/** Undoes all writes of a turn, or only its writes to one record; null if the stage refused. */
export async function undo(
  store: ChatStore,
  conversation: Conversation,
  runId: string,
  record?: { table: string; uid: RecordId },
): Promise<Undoing | null> {
  const body = { conversationId: conversation.id, runId, ...(record && { record }) }
  const answer = await tryRequest(store, conversation, () =>
    store.api.post<UndoAnswer | ConversationAnswer>('/conversations/undo', body, crypto.randomUUID()),
  )
  if (!answer) return null
  if ('conversation' in answer) {
    publish(store, answer.conversation)
    store.look(conversation)
    store.changed()
    return { undone: [], conflicts: [], isQueued: true }
  }
  const known = conversation.transcript.messages.flatMap(({ records = [] }) => records)
  const name = <R extends UndoAnswer['undone'][number]>(record: R) => {
    const same = known.findLast(({ table, uid }) => table === record.table && uid === record.uid)
    return { ...record, title: same?.title ?? '' }
  }
  const records = [...(conversation.undone.get(runId)?.records ?? []), ...answer.undone.map(name)]
  const conflicts = answer.conflicts.map(name)
  if (answer.undone.length > 0) conversation.undone.set(runId, { records, conflicts })
  if (conversation.id) store.tell({ type: 'changed', conversationId: conversation.id })
  store.look(conversation)
  store.changed()
  return { ...answer, conflicts }
}

/** Returns the transcript as a Markdown file; null if the stage refused. */
export async function fetchExport(
  store: ChatStore,
  conversation: Conversation,
): Promise<{ name: string; blob: Blob } | null> {
  return tryRequest(store, conversation, async () => {
    const query = { conversationId: conversation.id ?? '', format: 'markdown' }
    return {
      blob: await store.api.download('/conversations/export', query),
      name: fileName(conversation.title),
    }
  })
}

function fileName(title: string | null): string {
  const name = (title ?? '').normalize('NFKC').replace(/[^\p{L}\p{N}]+/gu, '-')
  return `${name.replace(/^-+|-+$/g, '').slice(0, 60) || 'conversation'}.md`
}

/** The maximum number of concurrent requests. */
const mostAtOnce = 4

/** The actions on several conversations. Each action is one request per conversation, which the stage may refuse. */
const deeds = {
  archive: ['archive', { archived: true }],
  unarchive: ['archive', { archived: false }],
  delete: ['delete', { deleted: true }],
  restore: ['delete', { deleted: false }],
} as const
type Deed = keyof typeof deeds
/** The actions in the list; `restore` is missing, because only the offer to undo a deletion uses it. */
export type Choice = Exclude<Deed, 'restore'>

/** The ids for which the action succeeded (`done`), the other ids (`left`), and the reason of the first refusal. */
export type Ending = { done: string[]; left: string[]; reason: string }

/**
 * Runs one action on several conversations, with a request for each. A refusal does not stop the other requests. After
 * the loss of connection or session, no further request is sent.
 */
export async function several(store: ChatStore, ids: readonly string[], deed: Deed): Promise<Ending> {
  const [verb, body] = deeds[deed]
  const waiting = [...ids]
  const done = new Set<string>()
  let reason = ''
  const one = async (id: string) => {
    try {
      const path = `/conversations/${verb}`
      const answer = await store.api.post<ConversationAnswer>(path, { conversationId: id, ...body })
      done.add(id)
      publish(store, answer.conversation)
      if (deed !== 'delete') return
      store.active.drop(id)
      store.listing.drop(id)
    } catch (error) {
      store.caught(error)
      if (!(error instanceof ApiError)) return
      reason ||= error.message
      if (error.concernsAll) waiting.length = 0
    }
  }
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await one(id)
  }
  await Promise.all(Array.from({ length: mostAtOnce }, work))
  await store.refreshLists()
  return { done: ids.filter((id) => done.has(id)), left: ids.filter((id) => !done.has(id)), reason }
}
