import type { ConversationUsage, MessagesAnswer } from '../../../core/chat/messages-request.ts'
import type {
  Activity,
  NextMessage,
  PendingApproval,
  Progress,
  Summary,
} from '../../../core/conversation/schema.ts'
import type { Message } from '../../../core/conversation/transcript/schema.ts'

/** The known part of one conversation: its messages, without a gap up to the newest, and metadata. */
export type Transcript = {
  /** The version of the last answer with messages; `summary` may be newer, from another request. */
  readonly version: number
  readonly summary: Summary | null
  readonly messages: readonly Message[]
  readonly activity: readonly Activity[]
  /** The progress of a running call about many records; null if no call reports progress. */
  readonly progress: Progress | null
  readonly approval: PendingApproval | null
  readonly systemPrompt: string
  /** The messages with more than one version. */
  readonly versions: MessagesAnswer['versions']
  /** The messages that wait for the end of the turn. */
  readonly next: readonly NextMessage[]
  /** The usage of the conversation; null if it must not be shown. */
  readonly usage: ConversationUsage | null
  /** The share of its context window that the model used in its last call, in percent. */
  readonly windowPercent: number
  /** The time until which the turn is deferred because of its provider; null if it is not deferred. */
  readonly deferredUntil: string | null
  /** The minimum time before the next poll, in milliseconds; null means the usual interval, and no poll while idle. */
  readonly pollAfterMs: number | null
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
 * `stale`: the answer is for another conversation, or older than the known state. `gap`: messages between are missing.
 */
type Merged = Transcript | 'stale' | 'gap'

/** Returns the number of known messages, which is the `after` of a poll. */
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
  const { conversation } = answer
  if (conversation.id !== conversationId) return 'stale'
  if (conversation.version < known.version) return 'stale'
  const messages = joined(known, answer)
  if (!messages) return 'gap'
  return {
    version: conversation.version,
    summary: newer(known.summary, conversation),
    messages,
    activity: answer.activity,
    progress: answer.progress,
    approval: answer.pendingApproval,
    systemPrompt: answer.systemPrompt,
    versions: answer.versions,
    next: answer.next,
    usage: answer.usage,
    windowPercent: answer.windowPercent,
    deferredUntil: answer.deferredUntil,
    pollAfterMs: answer.pollAfterMs,
  }
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

/** Adds older messages before the known ones, without duplicates. */
export function prepend(known: Transcript, older: readonly Message[]): Transcript {
  const first = known.messages[0]?.sequence ?? Number.POSITIVE_INFINITY
  const before = older.filter((message) => message.sequence < first)
  return before.length === 0 ? known : { ...known, messages: [...before, ...known.messages] }
}

/** True if the conversation has older messages than the known ones. */
export function hasEarlier(transcript: Transcript): boolean {
  return (transcript.messages[0]?.sequence ?? 0) > 0
}

/** True if a turn is queued or running. */
export function isBusy(status: Summary['status'] | undefined): boolean {
  return status === 'processing' || status === 'locked' || status === 'tool_loop'
}
