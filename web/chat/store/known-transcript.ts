import type { MessagesAnswer } from '../../../core/chat/messages-request.ts'
import type { PendingApproval, Summary } from '../../../core/conversation/schema.ts'
import type { Message } from '../../../core/conversation/transcript/schema.ts'

/** The fields of a poll's answer that the transcript changes or leaves out. */
type Merging = 'conversation' | 'messages' | 'pendingApproval' | 'unchanged' | 'reset' | 'more'

/** The known part of one conversation: its messages, without a gap up to the newest, and metadata. */
export type Transcript = Readonly<Omit<MessagesAnswer, Merging>> & {
  /** The version of the last answer with messages; `summary` may be newer, from another request. */
  readonly version: number
  readonly summary: Summary | null
  readonly messages: readonly Message[]
  readonly approval: PendingApproval | null
}

/** The transcript of a conversation that is not loaded yet. */
export const emptyTranscript: Transcript = {
  version: -1,
  summary: null,
  messages: [],
  activity: [],
  progress: null,
  approval: null,
  systemPrompt: '',
  versions: [],
  next: [],
  usage: null,
  windowPercent: 0,
  deferredUntil: null,
  pollAfterMs: null,
}

/**
 * `stale`: the answer is for another conversation, or older than the known state. `gap`: messages are missing between
 * the known messages and the new messages.
 */
type Merged = Transcript | 'stale' | 'gap'

/** Returns the sequence number that follows the last known message: the `after` of the next poll. */
export function knownCount(transcript: Transcript): number {
  const last = transcript.messages.at(-1)
  return last ? last.sequence + 1 : 0
}

/** Merges an answer of a poll, from any tab, into the transcript. */
export function merge(known: Transcript, answer: MessagesAnswer, conversationId: string): Merged {
  if (answer.unchanged) {
    const { activity, progress, deferredUntil, pollAfterMs } = answer
    return { ...known, activity, progress, deferredUntil, pollAfterMs }
  }
  const { conversation, pendingApproval: approval, unchanged, reset, more, ...state } = answer
  const { version } = conversation
  if (conversation.id !== conversationId || version < known.version) return 'stale'
  const messages = joined(known, answer)
  if (!messages) return 'gap'
  return { ...state, version, summary: newer(known.summary, conversation), messages, approval }
}

/** Returns the newer of two states of a conversation. */
export function newer(known: Summary | null, summary: Summary): Summary {
  return known && known.version > summary.version ? known : summary
}

function joined(known: Transcript, answer: MessagesAnswer): readonly Message[] | undefined {
  const [first] = answer.messages
  if (answer.reset) return answer.messages
  if (!first) return known.messages
  const start = known.messages[0]
  if (!start) return answer.messages
  if (first.sequence > knownCount(known)) return undefined
  if (first.sequence < start.sequence) return answer.messages
  return [...known.messages.slice(0, first.sequence - start.sequence), ...answer.messages]
}

/** Adds older messages before the known messages, without duplicates. */
export function prepend(known: Transcript, older: readonly Message[]): Transcript {
  const first = known.messages[0]?.sequence ?? Number.POSITIVE_INFINITY
  const before = older.filter((message) => message.sequence < first)
  return before.length === 0 ? known : { ...known, messages: [...before, ...known.messages] }
}

/** True if the conversation has messages that are older than the known messages. */
export function hasEarlier(transcript: Transcript): boolean {
  return (transcript.messages[0]?.sequence ?? 0) > 0
}

/** True if a turn is queued or running. */
export function isBusy(status: Summary['status'] | undefined): boolean {
  return status === 'processing' || status === 'locked' || status === 'tool_loop'
}
