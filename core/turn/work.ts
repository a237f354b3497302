import { Stopped } from '../agent/journal.ts'
import type { Run as RunRecord } from '../agent/run-record.ts'
import * as Run from '../agent/run-record.ts'
import type { Thoughts } from '../agent/thought.ts'
import type { Actor } from '../base/actor.ts'
import type * as Table from '../base/aws/table.ts'
import type { Clock } from '../base/clock.ts'
import * as Claim from '../conversation/claim.ts'
import type { Conversation } from '../conversation/item.ts'
import * as Row from '../conversation/row.ts'
import type { Activity as Entry } from '../conversation/schema.ts'
import * as Activity from '../conversation/transcript/activity.ts'
import type { Pending } from '../conversation/transcript/pending.ts'
import type { ImageBlock, Message, NotUsed } from '../conversation/transcript/schema.ts'
import * as Transcript from '../conversation/transcript/transcript.ts'
import type { Uncounted } from '../stage/usage/usage.ts'
import * as Usage from '../stage/usage/usage.ts'

/** An invocation that has less than this left hands the turn over: a model call alone may take 240 s. */
export const handoverMs = 300_000

/** A consumer records fewer steps than this, so that the numbers of the next one are higher. */
const stepsPerClaim = 1_000

type Given = {
  hold: Claim.Hold
  actor: Actor
  /** The days for which the audit keeps the changes of the turn; null: for ever. */
  retainAuditDays: number | null
  run: RunRecord
  /** Title of the open page or record; undefined where nothing is open. */
  pageTitle: string | undefined
  rows: Message[]
  pending: Pending | undefined
  thoughts: Thoughts
  entries: Entry[]
  clock: Clock
  /** Milliseconds that the invocation has left; infinite for a worker. */
  remainingMs(): number
  signal: AbortSignal
}

/** A claimed turn at work: its claim, its transcript, and the ways to store each event. */
export class Work {
  readonly hold: Claim.Hold
  readonly actor: Actor
  readonly retainAuditDays: number | null
  readonly run: RunRecord
  readonly pageTitle: string | undefined
  /** The transcript as far as the turn reads it; grows with each row that it stores. */
  readonly rows: Message[]
  pending: Pending | undefined
  /** The thoughts of the model in this turn, by the sequence of its reply. */
  readonly thoughts: Thoughts
  /** Pictures of results of this turn, by the id of their call. */
  readonly pictures = new Map<string, ImageBlock[]>()
  entries: Entry[]
  /** Number of the next step in the run record: grows over all consumers of the run. */
  nextStep: number
  /** Number of the next write in the run record, as `nextStep`. */
  nextWrite: number
  /** The steps that the next save records. */
  unrecorded: { number: number; detail: Record<string, unknown>; at: number }[] = []
  /** The list of steps with those that are over since the last save, which the next one stores. */
  steps: Table.Write | undefined
  /** The usage of the last call of the model; the next save counts it. */
  uncounted: (Uncounted & { isSent?: boolean }) | undefined
  /** The text of the answer that has ended the turn. */
  answer: string | undefined
  isShortened = false
  /** The files that the model does not get, or not as a whole; the next reply is stored with a row that says so. */
  notUsed: NotUsed[] = []
  /** Answers the milliseconds since the epoch. */
  readonly now: () => number
  readonly #signal: AbortSignal
  readonly #remainingMs: () => number

  constructor(given: Given) {
    this.hold = given.hold
    this.actor = given.actor
    this.retainAuditDays = given.retainAuditDays
    this.run = given.run
    this.pageTitle = given.pageTitle
    this.rows = given.rows
    this.pending = given.pending
    this.thoughts = given.thoughts
    this.entries = given.entries
    this.nextStep = given.hold.conversation.claim * stepsPerClaim + 1
    this.nextWrite = this.nextStep
    this.now = () => given.clock.now()
    this.#signal = given.signal
    this.#remainingMs = given.remainingMs
  }

  /** The row of the conversation as the claim last stored it. */
  get conversation(): Conversation {
    return this.hold.conversation
  }

  /** The time as the rows have it. */
  at(): string {
    return new Date(this.now()).toISOString()
  }

  /** Stores changes under the claim; rejects with Stopped when it is lost. */
  async save(changes: Row.Changes, writes: Table.Write[] = []): Promise<void> {
    const { hold, uncounted } = this
    const recording = this.unrecorded.map((step) =>
      Run.stepWrite(this.run, step.number, step.detail, step.at),
    )
    const all: Table.Write[] = [...writes, ...recording, ...(this.steps ? [this.steps] : [])]
    const isLast = changes.status === 'idle'
    const counting = uncounted && Usage.counting(hold.conversation.owner, uncounted, isLast, this.now())
    // Without an answer nobody knows if the transaction was done.
    if (uncounted) uncounted.isSent = true
    const saved = await Claim.saveWith(hold, changes, all, counting, this.now())
    if (uncounted) uncounted.isSent = false
    if (saved === 'lost') throw new Stopped('lost')
    this.uncounted = undefined
    if (saved === 'without' && uncounted)
      await Usage.settleCall(hold.conversation.owner, uncounted.call, uncounted.used, this.now())
    this.unrecorded = []
    this.steps = undefined
  }

  /** Stores messages behind the others, with changes of the row. */
  async append(
    messages: Omit<Message, 'sequence'>[],
    changes: Row.Changes = {},
    writes: Table.Write[] = [],
  ): Promise<void> {
    const first = this.conversation.messageCount
    const rows = messages.map((message, at) => ({ ...message, sequence: first + at }))
    const puts = rows.map((row) => Transcript.put(this.conversation, row))
    await this.save({ ...changes, messageCount: first + rows.length }, [...puts, ...writes])
    this.rows.push(...rows)
  }

  /** Rejects with Stopped when the turn was cancelled, lost, handed over or is out of time. */
  async alive(): Promise<void> {
    this.#signal.throwIfAborted()
    if (Claim.workedMs(this.conversation, this.now()) > Claim.workMs) throw new Stopped('tooLong')
    if (this.#remainingMs() < handoverMs) throw new Stopped('handover')
    // Another consumer may have taken over a turn that was silent for long: this proves the claim before anything is
    // done.
    if (this.now() - this.hold.beatAt < Claim.faintMs) return
    if (!(await Claim.heartbeat(this.hold, this.now()))) throw new Stopped('lost')
  }

  /** Stores the steps that no save came after; for a turn that is about to end otherwise. */
  async record(): Promise<void> {
    if (this.steps) await Activity.write(this.conversation, this.entries, this.hold.activityVersion - 1)
    this.steps = undefined
    for (const step of this.unrecorded.splice(0)) await Run.step(this.run, step.number, step.detail, step.at)
  }

  /** Counts the usage of the last call by itself, where nothing was stored after it; for a turn that is about to end otherwise. */
  async count(): Promise<void> {
    const { uncounted, hold } = this
    this.uncounted = undefined
    if (!uncounted) return
    // The row has the sum of all calls from the same transaction.
    if (uncounted.isSent) {
      const stored = await Row.read(hold.conversation.id)
      if (stored && stored.usedTokens >= hold.used.usedTokens) return
    }
    await Usage.add(hold.conversation.owner, uncounted.used, this.now())
  }
}
