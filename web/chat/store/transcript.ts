import type { ConversationUsage, MessagesAnswer } from '../../../core/chat/request.ts'
import type {
  Activity,
  NextMessage,
  PendingApproval,
  Progress,
  Summary,
} from '../../../core/conversation/schema.ts'
import type { Message } from '../../../core/transcript/schema.ts'

/** What is known of one conversation: a dense stretch of its messages up to the newest, and what goes with them. */
export type Transcript = {
  /** Of the last answer with messages; `summary` may be newer, when another request answered with it. */
  readonly version: number
  readonly summary: Summary | null
  readonly messages: readonly Message[]
  readonly activity: readonly Activity[]
  /** How far the running call is that reads much; null where none says so. */
  readonly progress: Progress | null
  readonly approval: PendingApproval | null
  readonly systemPrompt: string
  /** The messages with more than one version. */
  readonly versions: MessagesAnswer['versions']
  /** The messages that wait for the end of the turn. */
  readonly next: readonly NextMessage[]
  /** What the conversation has used; null where it is not shown. */
  readonly usage: ConversationUsage | null
  /** The turn waits until then for its provider; null where it does not. */
  readonly deferredUntil: string | null
  /** The next poll comes after so many milliseconds or later; null where the usual interval holds. */
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
  deferredUntil: null,
  pollAfterMs: null,
}

/** `stale`: an answer for another conversation, or older than what is known. `gap`: messages in between are missing. */
export type Merged = Transcript | 'stale' | 'gap'

/** Where the messages known end: what a poll names as `after`. */
export function knownCount(transcript: Transcript): number {
  const last = transcript.messages.at(-1)
  return last ? last.sequence + 1 : 0
}

/** What is known after an answer of the poll, whichever tab asked for it. */
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

/** The transcript with older messages before what is known; those that are known already are left out. */
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
