import type {
  Mention,
  MentionName,
  PendingApproval,
  Summary,
  ViewContext,
} from '../../../core/conversation/schema.ts'
import type { ApiError } from '../api.ts'
import { emptyTranscript, isBusy, newer, type Transcript } from './known-transcript.ts'
import { type Row, toRows, type Undone } from './turn-rows.ts'

/** The body of a message. The same key with the same body never sends it twice. */
export type SendBody = {
  conversationId?: string
  content: string
  fileUid?: number
  mentions?: MentionName[]
  viewContext?: ViewContext
}

/** A message on its way: shown at once, gone when its row has come back from the stage. */
export type Pending = {
  key: string
  body: SendBody
  fileName: string | null
  /** The mentions with titles; a reload loses the titles. */
  mentions: Mention[]
  at: number
  state: 'sending' | 'sent' | 'unsent'
  /** The reason of the stage's refusal; null without an answer. */
  reason: string | null
  /** It may go out by itself, once, when the connection or the session is back. */
  goesAgain: boolean
  /** The sequence of its row, once the stage has stored it. */
  sequence: number | null
}

/** A file of the message being written. */
export type Attachment = {
  id: string
  file: File
  /** `refused`: this file will never be taken; `failed`: it did not get through, and may the next time. */
  state: 'uploading' | 'ready' | 'refused' | 'failed'
  /** 0 to 1 */
  progress: number
  reason: string | null
  fileUid: number | null
  abort: (() => void) | null
}

export type Decision = { approved: boolean; at: number; reason: string }

/** A sentence above the composer, with what can be done about it. */
type Remark = {
  kind: 'problem' | 'info'
  text: string
  act?: { label: string; run: () => void }
}

/** Names a decision: the model gives calls their ids, and may use an id again in another run. */
export function decisionKey(runId: string | undefined, callId: string): string {
  return `${runId} ${callId}`
}

/** One conversation as this browser has it open; without an id it is still to be started. */
export class Conversation {
  id: string | null
  transcript: Transcript = emptyTranscript
  rows: Row[] = []
  pending: Pending[] = []
  attachments: Attachment[] = []
  /** The mentions of the draft. */
  mentions: Mention[] = []
  draft = ''
  /** The user wrote here since the page began. */
  isWritten = false
  /** It began in this page, so that everything in it is newer. */
  readonly isNew: boolean
  /** Nothing has been loaded yet. */
  isFresh: boolean
  isLoading = false
  loadError: ApiError | null = null
  /** It was deleted, or never was the user's. */
  isGone = false
  /** The place that went with the last message from here; null: none did yet. */
  lastPlace: string | null = null
  remark: Remark | null = null
  /** Decisions made here, by run and call; shown before the stage's own rows are there. */
  readonly decisions = new Map<string, Decision>()
  /** Runs that the user undid in this view. */
  readonly undone = new Map<string, Undone>()
  /** The proposal was replaced by a fresh one while it was looked at. */
  isRefreshed = false
  /** The time at which this turn was first seen running, ms since the epoch. */
  runningSince = 0
  stopPolling: (() => void) | null = null

  constructor(id: string | null) {
    this.id = id
    this.isNew = id === null
    this.isFresh = !this.isNew
  }

  get status() {
    return this.transcript.summary?.status ?? 'idle'
  }

  /** A turn is queued or runs, or a message is on its way to start one. */
  get isBusy(): boolean {
    return isBusy(this.status) || this.pending.some((message) => message.state !== 'unsent')
  }

  /** True if a list or another request named a later version than that of the messages here. */
  get isBehind(): boolean {
    const { summary, version } = this.transcript
    return summary !== null && summary.version > version
  }

  get title(): string | null {
    return this.transcript.summary?.title || null
  }

  /** Takes a newer transcript over. */
  take(transcript: Transcript, now: number): void {
    const before = this.transcript
    this.transcript = transcript
    this.rows = toRows(transcript.messages, this.rows)
    this.isFresh = false
    const end = transcript.messages.at(-1)?.sequence ?? -1
    this.pending = this.pending.filter((message) => message.sequence === null || message.sequence > end)
    if (!isBusy(transcript.summary?.status)) this.runningSince = 0
    else if (before.version < 0) this.runningSince ||= Math.min(now, this.#askedAt())
    else if (!isBusy(before.summary?.status)) this.runningSince ||= now
    this.#compare(before.approval, transcript.approval)
  }

  /** Updates the conversation from a list, also while no view shows it. */
  learn(summary: Summary): void {
    if (this.isFresh) return
    const { transcript } = this
    this.take({ ...transcript, summary: newer(transcript.summary, summary) }, Date.now())
  }

  /** Files that count for the limit of the conversation, as far as its messages are loaded. */
  get fileCount(): number {
    const stored = this.transcript.messages.filter((message) => message.fileUid !== undefined).length
    const waiting = this.pending.filter((message) => message.body.fileUid !== undefined).length
    return stored + waiting
  }

  #askedAt(): number {
    const asked = this.transcript.messages.findLast((message) => message.role === 'user')
    return asked ? Date.parse(asked.createdAt) : Number.POSITIVE_INFINITY
  }

  #compare(before: PendingApproval | null, after: PendingApproval | null): void {
    if (!after) {
      this.isRefreshed = false
      return
    }
    const isNew = before?.digest !== after.digest
    if (!isNew) return
    const decided = after.calls.filter((call) => this.decisions.delete(decisionKey(after.runId, call.id)))
    const words = ({ calls }: PendingApproval) => JSON.stringify(calls.map(({ wording }) => wording ?? null))
    // The user's own words are no news to the user.
    if (before && before.runId === after.runId && words(before) !== words(after)) return
    this.isRefreshed = before?.runId === after.runId || decided.length > 0
  }
}

/** The conversations that this page has open, and the one that is still to be started. */
export class Conversations {
  blank = new Conversation(null)
  readonly #known = new Map<string, Conversation>()

  /** The conversation of an id, if it is open here. */
  find(id: string): Conversation | undefined {
    return this.#known.get(id)
  }

  /** Puts a conversation under its id; the next new one starts empty. */
  put(id: string, conversation: Conversation): Conversation {
    this.#known.set(id, conversation)
    if (conversation === this.blank) this.blank = new Conversation(null)
    return conversation
  }

  /** All that are open, the one without an id first. */
  all(): Conversation[] {
    return [this.blank, ...this.#known.values()]
  }

  /** Leaves nothing of them. */
  clear(): void {
    for (const conversation of this.#known.values()) conversation.stopPolling?.()
    this.#known.clear()
    this.blank = new Conversation(null)
  }
}
