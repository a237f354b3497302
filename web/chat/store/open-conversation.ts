import type { SendBody as SendRequest } from '../../../core/chat/request.ts'
import type { Mention, PendingApproval, Summary } from '../../../core/conversation/schema.ts'
import type { Feedback } from '../../../core/user/schema.ts'
import type { ApiError } from '../api.ts'
import { emptyTranscript, isBusy, newer, type Transcript } from './known-transcript.ts'
import { type Row, toRows, type Undone } from './turn-rows.ts'

/**
 * The body of a message; with `act`, it is queued after a turn. A repeated request with the same key and body never
 * sends the message twice.
 */
export type SendBody = SendRequest & { content: string; act?: 'add' }

/** A message that is being sent: shown at once, and removed when its row has come back from the stage. */
export type Pending = {
  key: string
  body: SendBody
  /** The file, if there is one; its name is empty after a reload. */
  attachments: Attachment[]
  /** The mentions; their titles are empty after a reload. */
  mentions: Mention[]
  at: number
  state: 'sending' | 'sent' | 'unsent'
  /** The reason of the stage's refusal; null if there is no refusal. */
  reason: string | null
  /** True if the message may be sent again automatically, once, when the connection or the session is back. */
  goesAgain: boolean
  /** The sequence number of the message's row, after the stage has stored it; -1 for a queued message; else null. */
  sequence: number | null
}

/** A file of the message that the user is writing. */
export type Attachment = {
  id: string
  file: File
  /** `refused`: the stage never accepts this file; `failed`: the upload failed, and another attempt may succeed. */
  state: 'uploading' | 'ready' | 'refused' | 'failed'
  /** The uploaded share, from 0 to 1. */
  progress: number
  reason: string | null
  fileUid: number | null
  abort: (() => void) | null
}

/** Returns the attachment of a file that the stage already has; the view loads a missing name. */
export function storedFile(fileUid: number | undefined, name = ''): Attachment[] {
  if (fileUid === undefined) return []
  const [id, file] = [String(fileUid), new File([], name)]
  return [{ id, file, state: 'ready', progress: 1, reason: null, fileUid, abort: null }]
}

export type Decision = { approved: boolean; at: number; reason: string }

/** The user's feedback on an answer; a later change replaces it. */
export type Judgement = {
  /** The stored feedback; null without feedback, and before it is loaded. */
  readonly said: Feedback | null
  /** The reason and words in the open form; null before the user changes them. */
  readonly written: Feedback | null
  /** True if the reasons are open. */
  readonly isOpen: boolean
  /** The message of the stage's refusal; null without a refusal. */
  readonly problem: string | null
  /** The load of the stored feedback; it never rejects. */
  readonly coming?: Promise<void>
}

/** The user's work on a proposal before the decision. */
export type OpenProposal = {
  readonly digest: string
  readonly runId: string
  /** The key of the decision; it stays the same if the stage replaces the proposal by a fresh one. */
  readonly key: string
  /** True while the guard against early clicks lasts. */
  isGuarded: boolean
  /** The calls that the user unticked. */
  readonly unticked: Set<string>
  /** The filter of the rows. */
  filter: string
  /** The field whose proposed words the user is editing, by call and field. */
  wording: string | null
  /** The words in that field; null while they are the proposed words. */
  words: { callId: string; field: string; value: string } | null
  /** The reason of a denial as far as it is written; null while the user is not asked for it. */
  reason: string | null
}

/** A message above the composer, with an optional action. */
type Remark = {
  kind: 'problem' | 'info'
  /** Empty if no answer came: the request may have been carried out or not. */
  text: string
  act?: { label: string; run: () => void }
}

/**
 * Returns the key of a decision. It contains the run, because the model may use the id of a call again in another run.
 */
export const decisionKey = (runId: string | undefined, callId: string): string => `${runId} ${callId}`

/** A conversation that is open in this browser; it has no id until its first message is stored. */
export class Conversation {
  id: string | null
  transcript: Transcript = emptyTranscript
  rows: Row[] = []
  pending: Pending[] = []
  attachments: Attachment[] = []
  /** The mentions of the draft. */
  mentions: Mention[] = []
  draft = ''
  /** True if the user has written here since the page was loaded. */
  isWritten = false
  /** True if the conversation began on this page, so that all of its messages are new to the page. */
  readonly isNew: boolean
  /** True until the first load. */
  isFresh: boolean
  isLoading = false
  /** The first request that stores the conversation, while the stage has not answered it; it never rejects. */
  storing: Promise<void> | undefined
  loadError: ApiError | null = null
  /** True if the conversation was deleted, or does not belong to the user. */
  isGone = false
  /** The name of the place that was open when this page last sent a message; null before the first message. */
  lastPlace: string | null = null
  remark: Remark | null = null
  /** Decisions of the user in this browser, by run and call; shown until the stage's own rows arrive. */
  readonly decisions = new Map<string, Decision>()
  /** The undecided proposals that were shown, by the key of the decision. */
  readonly proposals = new Map<string, OpenProposal>()
  /** The user's feedback on answers, by run. */
  readonly judged = new Map<string, Judgement>()
  /** The runs that the user undid on this page, with the results. */
  readonly undone = new Map<string, Undone>()
  /** True if the proposal was replaced by a new one while the user looked at it. */
  isRefreshed = false
  /** The time at which the running turn was first seen, in milliseconds since the epoch; 0 while idle. */
  runningSince = 0
  stopPolling: (() => void) | null = null
  /** The summary in a list, which gives the title until the first load. */
  #listed: Summary | null = null

  constructor(id: string | null) {
    this.id = id
    this.isNew = id === null
    this.isFresh = !this.isNew
  }

  get status() {
    return this.transcript.summary?.status ?? 'idle'
  }

  /** True if a turn is queued or running, or a message that starts one is being sent. */
  get isBusy(): boolean {
    return isBusy(this.status) || this.pending.some((message) => message.state !== 'unsent')
  }

  /** True if a list or another request has reported a later version than the version of the known messages. */
  get isBehind(): boolean {
    const { summary, version } = this.transcript
    return summary !== null && summary.version > version
  }

  get title(): string | null {
    return (this.transcript.summary ?? this.#listed)?.title || null
  }

  /** Replaces the transcript with a newer one; keeps a summary that is newer still, from a list or another request. */
  take(loaded: Transcript, now: number): void {
    const before = this.transcript
    const { summary } = loaded
    const transcript = { ...loaded, summary: summary && newer(before.summary ?? this.#listed, summary) }
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

  /** Updates the conversation from a list, even if no view shows it. */
  learn(summary: Summary): void {
    const { transcript } = this
    if (this.isFresh) this.#listed = summary
    else this.take({ ...transcript, summary: newer(transcript.summary, summary) }, Date.now())
  }

  /** The number of files that count for the limit of the conversation, as far as its messages are loaded. */
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
    if (before?.digest === after.digest) return
    const decided = after.calls.filter((call) => this.decisions.delete(decisionKey(after.runId, call.id)))
    const words = ({ calls }: PendingApproval) => JSON.stringify(calls.map(({ wording }) => wording ?? null))
    // The user's own change of the words needs no notice.
    if (before && before.runId === after.runId && words(before) !== words(after)) return
    this.isRefreshed = before?.runId === after.runId || decided.length > 0
  }
}
