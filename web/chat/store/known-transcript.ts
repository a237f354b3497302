import type { ConversationUsage, MessagesAnswer } from '../../../core/chat/messages-request.ts'
import type {
  Activity,
  NextMessage,
  PendingApproval,
  Progress,
  Summary,
} from '../../../core/conversation/schema.ts'
import type { Message } from '../../../core/conversation/transcript/schema.ts'

/** The known part of one conversation: its messages without a gap up to the newest, and their metadata. */
export type Transcript = {
  /** The version of the last answer with messages; `summary` may be newer, from another request. */
  readonly version: number
  readonly summary: Summary | null
  readonly messages: readonly Message[]
  readonly activity: readonly Activity[]
  /** The progress of a running call that reads much; null if it reports none. */
  readonly progress: Progress | null
  readonly approval: PendingApproval | null
  readonly systemPrompt: string
  /** The messages with more than one version. */
  readonly versions: MessagesAnswer['versions']
  /** The messages that wait for the end of the turn. */
  readonly next: readonly NextMessage[]
  /** The usage of the conversation; null if it is not shown. */
  readonly usage: ConversationUsage | null
  /** Share of its window that the model used in its last call, in percent. */
  readonly windowPercent: number
  /** The turn is deferred until this time for its provider; null if it is not. */
  readonly deferredUntil: string | null
  /** The next poll comes after at least this many milliseconds; null for the usual interval, and none while idle. */
  readonly pollAfterMs: number | null
}

/** A transcript of which nothing is known yet. */
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

/** `stale`: an answer for another conversation, or older than what is known. `gap`: messages in between are missing. */
type Merged = Transcript | 'stale' | 'gap'

/** The number of known messages, the `after` of a poll. */
export function knownCount(transcript: Transcript): number {
  const last = transcript.messages.at(-1)
  return last ? last.sequence + 1 : 0
}

/** Merges an answer of the poll, from any tab, into the transcript. */
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

/** The later of two states of a conversation. */
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

/** Puts older messages before the known ones, without duplicates. */
export function prepend(known: Transcript, older: readonly Message[]): Transcript {
  const first = known.messages[0]?.sequence ?? Number.POSITIVE_INFINITY
  const before = older.filter((message) => message.sequence < first)
  return before.length === 0 ? known : { ...known, messages: [...before, ...known.messages] }
}

/** True when older messages exist than those that are known. */
export function hasEarlier(transcript: Transcript): boolean {
  return (transcript.messages[0]?.sequence ?? 0) > 0
}

/** A turn is queued or under way. */
export function isBusy(status: Summary['status'] | undefined): boolean {
  return status === 'processing' || status === 'locked' || status === 'tool_loop'
}
