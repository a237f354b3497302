import type { MessagesAnswer } from '../../../core/chat/request.ts'
import { ApiError } from '../api.ts'
import type { Word } from './channel.ts'
import type { Conversation } from './conversation.ts'
import type { State } from './state.ts'
import { emptyTranscript, hasEarlier, knownCount, merge, prepend, type Transcript } from './transcript.ts'

/** So many messages are loaded at first. */
export const windowSize = 60

/** A look further back doubles what is known, up to what the stage gives at once. */
const mostAtOnce = 200

const path = '/conversations/messages'

/** Loads the newest messages of a conversation. */
export async function load(store: State, talk: Conversation): Promise<void> {
  if (!talk.id || talk.isLoading) return
  talk.isLoading = true
  talk.loadError = null
  store.changed()
  try {
    const answer = await store.api.get<MessagesAnswer>(path, { conversationId: talk.id, tail: windowSize })
    const merged = merge(emptyTranscript, { ...answer, reset: true }, talk.id)
    if (typeof merged !== 'string') talk.take(await toAnchor(store, merged, talk.id), Date.now())
    store.note(answer.conversation)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    talk.loadError = error
    talk.isGone = error.status === 404
    if (!talk.isGone) store.caught(error)
  } finally {
    talk.isLoading = false
    store.changed()
  }
}

/** Further back than this nothing is loaded to find the place where the reader was. */
const mostLooks = 5

/** The transcript with the messages down from where its reader last was in this browser. */
async function toAnchor(store: State, transcript: Transcript, id: string): Promise<Transcript> {
  const { anchor } = store.memory
  if (anchor?.conversationId !== id) return transcript
  let known = transcript
  for (let look = 0; look < mostLooks; look++) {
    const first = known.messages[0]?.sequence ?? 0
    if (first <= anchor.sequence) break
    const query = { conversationId: id, before: first, limit: Math.min(mostAtOnce, first - anchor.sequence) }
    const answer = await store.api.get<MessagesAnswer>(path, query)
    known = prepend(known, answer.messages)
  }
  return known
}

/** Asks what is new in a conversation, and tells the other tabs. */
export async function ask(store: State, talk: Conversation, signal?: AbortSignal): Promise<void> {
  const id = talk.id
  const { version } = talk.transcript
  if (!id || version < 0) return load(store, talk)
  try {
    const query = { conversationId: id, after: knownCount(talk.transcript), version }
    const answer = await store.api.get<MessagesAnswer>(path, query, signal)
    if (answer.unchanged && talk.transcript.version !== version) return
    const isWhole = take(store, talk, answer)
    if (!answer.unchanged) store.tell({ type: 'answer', conversationId: id, answer })
    if (!isWhole || (answer.reset && answer.more)) return load(store, talk)
    if (answer.more) return ask(store, talk, signal)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    talk.isGone = true
    store.changed()
  }
}

/** Loads the messages before those that are known; true when there were any. */
export async function earlier(store: State, talk: Conversation): Promise<boolean> {
  const first = talk.transcript.messages[0]
  if (!first || !talk.id || talk.isLoading || !hasEarlier(talk.transcript)) return false
  talk.isLoading = true
  store.changed()
  try {
    const limit = Math.min(mostAtOnce, talk.transcript.messages.length)
    const query = { conversationId: talk.id, before: first.sequence, limit }
    const answer = await store.api.get<MessagesAnswer>(path, query)
    talk.take(prepend(talk.transcript, answer.messages), Date.now())
    return answer.messages.length > 0
  } catch (error) {
    store.caught(error)
    return false
  } finally {
    talk.isLoading = false
    store.changed()
  }
}

/** What another tab of the same user says. */
export function hear(
  store: State,
  talk: Conversation | undefined,
  word: Exclude<Word, { type: 'left' }>,
): void {
  if (word.type === 'answer' && talk && take(store, talk, word.answer)) return
  if (!store.page.isVisible()) return
  if (talk && !talk.isFresh) ask(store, talk).catch((error: unknown) => store.caught(error))
  if (word.type === 'changed') void store.refreshLists()
}

/** True unless messages in between are missing. */
function take(store: State, talk: Conversation, answer: MessagesAnswer): boolean {
  if (!talk.id || talk.isFresh) return true
  const merged = merge(talk.transcript, answer, talk.id)
  if (merged === 'stale') return true
  if (merged === 'gap') return false
  talk.take(merged, Date.now())
  if (merged.summary) store.note(merged.summary)
  store.changed()
  return true
}
