import { Stopped } from '../agent/journal.ts'
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
import * as Usage from '../stage/usage/usage.ts'

/**
 * The milliseconds that an invocation needs for a further step; with less time left it hands the turn over. One model
 * call may take 240 s.
 */
export const handoverMs = 300_000

/** The minimum time between two writes of progress, in milliseconds; the start of a call counts as a write. */
export const progressEveryMs = 1_000

/**
 * The step numbers that each consumer may use. A consumer records fewer steps, so the numbers of the next consumer are
 * higher.
 */
const stepsPerClaim = 1_000

/** The limits of an invocation for a turn. */
export type Invocation = {
  /** Returns the milliseconds that are left; infinite for a worker. */
  remainingMs(): number
  /** Aborted, with Stopped as its reason, when the turn must not go on. */
  signal: AbortSignal
}

/** The parts of a turn that its start reads. */
type Given = Invocation & {
  readonly hold: Claim.Hold
  readonly actor: Actor
  /** The days for which the audit keeps the changes of the turn; null: no end. */
  readonly retainAuditDays: number | null
  readonly run: Run.Run
  /** The nonce of the conversation's fence. */
  readonly nonce: string
  /** Title of the open page or record; undefined if nothing is open. */
  readonly pageTitle: string | undefined
  /** The part of the transcript that the turn reads; each row that the turn stores is added. */
  readonly rows: Message[]
  pending: Pending | undefined
  /** The model's thoughts in this turn, by the sequence of their reply. */
  readonly thoughts: Thoughts
  entries: Entry[]
  readonly clock: Clock
}

/** The state of a claimed turn: its claim, its transcript, and the events that the next save stores. */
export type Work = Given & {
  /** The conversation's row as the claim last stored it. */
  readonly conversation: Conversation
  /** Returns the milliseconds since the epoch. */
  now(): number
  /** Returns the same time as an ISO string, the form in the rows. */
  at(): string
  /** Pictures in tool results of this turn, by call id. */
  readonly pictures: Map<string, ImageBlock[]>
  /** The numbers of the next step and the next write in the run record; both grow over all consumers of the run. */
  nextStep: number
  nextWrite: number
  /** The steps that the next save records. */
  unrecorded: { number: number; detail: Record<string, unknown>; at: number }[]
  /** The write of the step list, with the steps since the last save; the next save stores it. */
  steps: Table.Write | undefined
  /** The usage of the last model call; the next save counts it. */
  uncounted: (Usage.Uncounted & { isSent?: boolean }) | undefined
  /** The text of the answer that ended the turn. */
  answer: string | undefined
  isShortened: boolean
  /** The files that the model gets only in part or not at all; the next reply is stored with a notice about them. */
  notUsed: NotUsed[]
}

/** Returns the state of a turn before its first event. */
export function workOn(given: Given): Work {
  const { hold, clock } = given
  const first = hold.conversation.claim * stepsPerClaim + 1
  return {
    ...given,
    get conversation() {
      return hold.conversation
    },
    now: () => clock.now(),
    at: () => new Date(clock.now()).toISOString(),
    pictures: new Map(),
    nextStep: first,
    nextWrite: first,
    unrecorded: [],
    steps: undefined,
    uncounted: undefined,
    answer: undefined,
    isShortened: false,
    notUsed: [],
  }
}

/** Stores changes under the claim; rejects with Stopped when the claim is lost. */
export async function saveWork(work: Work, changes: Row.Changes, writes: Table.Write[] = []): Promise<void> {
  const { hold, uncounted, run } = work
  const { owner } = hold.conversation
  const recording = work.unrecorded.map((step) => Run.stepWrite(run, step.number, step.detail, step.at))
  const all: Table.Write[] = [...writes, ...recording, ...(work.steps ? [work.steps] : [])]
  const isLast = changes.status === 'idle'
  const counting = uncounted && Usage.counting(owner, uncounted, isLast, work.now())
  // If the transaction rejects, nobody knows whether it was stored.
  if (uncounted) uncounted.isSent = true
  const saved = await Claim.saveWith(hold, changes, all, counting, work.now())
  if (uncounted) uncounted.isSent = false
  if (saved === 'lost' || saved === 'cancelled') throw new Stopped(saved)
  work.uncounted = undefined
  if (saved === 'without' && uncounted)
    await Usage.settleCall(owner, uncounted.call, uncounted.used, work.now())
  work.unrecorded = []
  work.steps = undefined
}

/** Appends messages to the transcript, and stores changes of the conversation's row with them. */
export async function appendRows(
  work: Work,
  messages: Omit<Message, 'sequence'>[],
  changes: Row.Changes = {},
  writes: Table.Write[] = [],
): Promise<void> {
  const first = work.conversation.messageCount
  const rows = messages.map((message, at) => ({ ...message, sequence: first + at }))
  const puts = rows.map((row) => Transcript.put(work.conversation, row))
  await saveWork(work, { ...changes, messageCount: first + rows.length }, [...puts, ...writes])
  work.rows.push(...rows)
}

/** Rejects with Stopped when the turn is cancelled, lost, handed over or out of time. */
export async function checkAlive(work: Work): Promise<void> {
  work.signal.throwIfAborted()
  if (Claim.workedMs(work.conversation, work.now()) > Claim.workMs) throw new Stopped('tooLong')
  await proveClaim(work)
}

/** Rejects with Stopped when too little time is left for a further step, or another consumer has the turn. */
export async function proveClaim(work: Pick<Work, 'hold' | 'clock' | 'remainingMs'>): Promise<void> {
  const { hold, clock, remainingMs } = work
  if (remainingMs() < handoverMs) throw new Stopped('handover')
  const now = clock.now()
  // After a long silence another consumer may have the turn, so a heartbeat proves the claim before the turn acts.
  if (now - hold.beatAt < Claim.faintMs) return
  if (!(await Claim.heartbeat(hold, now))) throw new Stopped('lost')
}

/** Stores the steps since the last save, for a turn that ends without another save. */
export async function recordSteps(work: Work): Promise<void> {
  if (work.steps) await Activity.write(work.conversation, work.entries, work.hold.activityVersion - 1)
  work.steps = undefined
  for (const step of work.unrecorded.splice(0)) await Run.step(work.run, step.number, step.detail, step.at)
}

/** Counts the usage of the last call if no save counted it, for a turn that ends without another save. */
export async function countUsage(work: Work): Promise<void> {
  const { uncounted, hold } = work
  work.uncounted = undefined
  if (!uncounted) return
  // The same transaction also stored the sum of all calls in the row.
  if (uncounted.isSent) {
    const stored = await Row.read(hold.conversation.id)
    if (stored && stored.usedTokens >= hold.used.usedTokens) return
  }
  await Usage.add(hold.conversation.owner, uncounted.used, work.now())
}
