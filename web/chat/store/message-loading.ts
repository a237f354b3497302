import type { MessagesAnswer } from '../../../core/chat/messages-request.ts'
import { ApiError } from '../api.ts'
import type { Word } from './channel.ts'
import {
  emptyTranscript,
  hasEarlier,
  isBusy,
  knownCount,
  merge,
  prepend,
  type Transcript,
} from './known-transcript.ts'
import type { Conversation } from './open-conversation.ts'
import type { StoreState } from './state.ts'

/** The number of messages in the first load. */
const windowSize = 60

/**
 * The maximum number of older messages per request, set by the stage. Up to this maximum, each load doubles the known
 * messages.
 */
const mostAtOnce = 200

/**
 * The time between the first answer and the poll for the conversation's title, in milliseconds. The model writes the
 * title meanwhile.
 */
const titleMs = 4_000

const path = '/conversations/messages'

/** Loads the newest messages of a conversation. */
export async function load(store: StoreState, conversation: Conversation): Promise<void> {
  if (!conversation.id || conversation.isLoading) return
  conversation.isLoading = true
  conversation.loadError = null
  store.changed()
  try {
    const answer = await store.api.get<MessagesAnswer>(path, {
      conversationId: conversation.id,
      tail: windowSize,
    })
    const merged = merge(emptyTranscript, { ...answer, reset: true }, conversation.id)
    const loaded = typeof merged !== 'string' && (await toAnchor(store, merged, conversation.id))
    // A poll may have brought a newer answer meanwhile.
    if (loaded && loaded.version >= conversation.transcript.version) conversation.take(loaded, Date.now())
    store.note(answer.conversation)
    if (answer.more) await ask(store, conversation, undefined, true)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    conversation.loadError = error
    conversation.isGone = error.status === 404
    if (!conversation.isGone) store.caught(error)
  } finally {
    conversation.isLoading = false
    store.changed()
  }
}

/** The maximum number of loads of older messages in search of the user's last position. */
const mostLooks = 5

/** Returns the transcript, extended back to the message that the user last saw in this browser. */
async function toAnchor(store: StoreState, transcript: Transcript, id: string): Promise<Transcript> {
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

/**
 * Polls a conversation, and sends the answer to the other tabs. `isRest` asks for the messages that the answer of the
 * known version did not hold.
 */
export async function ask(
  store: StoreState,
  conversation: Conversation,
  signal?: AbortSignal,
  isRest = false,
): Promise<void> {
  const id = conversation.id
  const { version } = conversation.transcript
  if (!id || version < 0) return load(store, conversation)
  try {
    const after = knownCount(conversation.transcript)
    const query = { conversationId: id, after, version: isRest ? undefined : version }
    const answer = await store.api.get<MessagesAnswer>(path, query, signal)
    // An action, another tab or a list has brought a newer state meanwhile; the next poll asks again.
    if (answer.conversation.version < (conversation.transcript.summary?.version ?? 0)) return
    const wasBusy = isBusy(conversation.status)
    const isWhole = takeAnswer(store, conversation, answer)
    if (wasBusy && store.status?.titles && isFirstAnswer(conversation))
      setTimeout(() => store.look(conversation), titleMs)
    if (!answer.unchanged) store.tell({ type: 'answer', conversationId: id, answer })
    if (!isWhole) return load(store, conversation)
    if (answer.more) return ask(store, conversation, signal, true)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    conversation.isGone = true
    store.changed()
  }
}

function isFirstAnswer({ status, transcript: { messages } }: Conversation): boolean {
  return status === 'idle' && messages.filter(({ role }) => role === 'user').length === 1
}

/** Loads messages that are older than the known messages. */
export async function earlier(store: StoreState, conversation: Conversation): Promise<void> {
  const first = conversation.transcript.messages[0]
  if (!first || !conversation.id || conversation.isLoading || !hasEarlier(conversation.transcript)) return
  conversation.isLoading = true
  store.changed()
  try {
    const limit = Math.min(mostAtOnce, conversation.transcript.messages.length)
    const query = { conversationId: conversation.id, before: first.sequence, limit }
    const answer = await store.api.get<MessagesAnswer>(path, query)
    conversation.take(prepend(conversation.transcript, answer.messages), Date.now())
  } catch (error) {
    store.caught(error)
  } finally {
    conversation.isLoading = false
    store.changed()
  }
}

/** Handles a message from another tab of the same user. */
export function hear(
  store: StoreState,
  conversation: Conversation | undefined,
  word: Extract<Word, { conversationId: string }>,
): void {
  if (word.type === 'answer' && takeAnswer(store, conversation, word.answer)) return
  if (!store.page.isVisible()) return
  if (conversation && !conversation.isFresh)
    ask(store, conversation).catch((error: unknown) => store.caught(error))
  if (word.type === 'changed') void store.refreshLists()
}

/**
 * Updates the lists, and merges an answer into the conversation if it is open. Returns false if messages between the
 * known messages and the answer are missing. Returns false, too, for only the beginning of another transcript.
 */
function takeAnswer(
  store: StoreState,
  conversation: Conversation | undefined,
  answer: MessagesAnswer,
): boolean {
  store.note(answer.conversation)
  if (!conversation?.id || conversation.isFresh) return true
  if (answer.reset && answer.more) return false
  const merged = merge(conversation.transcript, answer, conversation.id)
  if (merged === 'stale') return true
  if (merged === 'gap') return false
  conversation.take(merged, Date.now())
  return true
}
