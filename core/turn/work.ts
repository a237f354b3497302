import { Stopped } from '../agent/journal.ts'
import type { Run as RunRecord } from '../agent/run-item.ts'
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
import type { Uncounted } from '../stage/usage/settlement.ts'
import * as Settlement from '../stage/usage/settlement.ts'
import * as Usage from '../stage/usage/usage.ts'

/** An invocation that has less than this left hands the turn over: a model call alone may take 240 s. */
export const handoverMs = 300_000

/** A consumer records fewer steps than this, so that the numbers of the next one are higher. */
const stepsPerClaim = 1_000

/** A claimed turn at work: what it holds, what it knows of the transcript, and how it stores what happens. */
export type Work = {
  hold: Claim.Hold
  readonly it: Conversation
  actor: Actor
  /** How long the audit keeps what the turn changes, in days; null: for ever. */
  retainAuditDays: number | null
  run: RunRecord
  /** The transcript as far as the turn reads it; grows with what it stores. */
  rows: Message[]
  pending: Pending | undefined
  /** What the model thought in this turn, by the sequence of its reply. */
  thoughts: Thoughts
  /** Pictures of results of this turn, by the id of their call. */
  pictures: Map<string, ImageBlock[]>
  entries: Entry[]
  /** Number of the next step in the run record: grows over all consumers of the run. */
  nextStep: number
  /** Number of the next write in the run record, as `nextStep`. */
  nextWrite: number
  /** The steps that the next save records with what it stores. */
  unrecorded: { number: number; detail: Record<string, unknown>; at: number }[]
  /** The list of steps with those that are over since the last save, which the next one stores. */
  steps: Table.Write | undefined
  /** What the last call of the model used; counted with what the next save stores. */
  uncounted: (Uncounted & { isSent?: boolean }) | undefined
  isShortened: boolean
  /** The files that the model does not get, or not as a whole; the next reply is stored with a row that says so. */
  notUsed: NotUsed[]
  now(): number
  /** The time as the rows have it. */
  at(): string
  workedMs(): number
  /** Stores changes under the claim; rejects with Stopped when it is lost. */
  save(changes: Row.Changes, writes?: Table.Write[]): Promise<void>
  /** Stores messages behind the others, with changes of the row. */
  append(messages: Omit<Message, 'sequence'>[], changes?: Row.Changes, writes?: Table.Write[]): Promise<void>
  alive(): Promise<void>
  /** Stores the steps that no save came after; for a turn that is about to end otherwise. */
  record(): Promise<void>
  /** Counts by itself what the last call used, where nothing was stored after it; for a turn that is about to end otherwise. */
  count(): Promise<void>
}

type Given = 'hold' | 'actor' | 'retainAuditDays' | 'run' | 'rows' | 'pending' | 'thoughts' | 'entries'
type Parts = Pick<Work, Given> & {
  clock: Clock
  /** Milliseconds that the invocation has left; infinite for a worker. */
  remainingMs(): number
  signal: AbortSignal
}

/** The work on a claimed conversation. */
export function workOn(parts: Parts): Work {
  const { hold, clock, signal, remainingMs } = parts
  const now = () => clock.now()
  const it: Work = {
    hold,
    get it() {
      return hold.it
    },
    actor: parts.actor,
    retainAuditDays: parts.retainAuditDays,
    run: parts.run,
    rows: parts.rows,
    pending: parts.pending,
    thoughts: parts.thoughts,
    pictures: new Map(),
    entries: parts.entries,
    nextStep: hold.it.claim * stepsPerClaim + 1,
    nextWrite: hold.it.claim * stepsPerClaim + 1,
    unrecorded: [],
    steps: undefined,
    uncounted: undefined,
    isShortened: false,
    notUsed: [],
    now,
    at: () => new Date(now()).toISOString(),
    workedMs: () => Claim.workedMs(hold.it, now()),
    save: async (changes, writes = []) => {
      const recording = it.unrecorded.map((step) => Run.stepWrite(it.run, step.number, step.detail, step.at))
      const all: Table.Write[] = [...writes, ...recording, ...(it.steps ? [it.steps] : [])]
      const { uncounted } = it
      const isLast = changes.status === 'idle'
      const counting = uncounted && Settlement.counting(hold.it.owner, uncounted, isLast, now())
      // Without an answer it is not known whether the transaction was done.
      if (uncounted) uncounted.isSent = true
      const saved = await Claim.saveWith(hold, changes, all, counting, now())
      if (uncounted) uncounted.isSent = false
      if (saved === 'lost') throw new Stopped('lost')
      it.uncounted = undefined
      if (saved === 'without' && uncounted)
        await Usage.settle(hold.it.owner, uncounted.call, uncounted.used, now())
      it.unrecorded = []
      it.steps = undefined
    },
    append: async (messages, changes = {}, writes = []) => {
      const first = hold.it.messageCount
      const rows = messages.map((message, at) => ({ ...message, sequence: first + at }))
      const puts = rows.map((row) => Transcript.put(hold.it, row))
      await it.save({ ...changes, messageCount: first + rows.length }, [...puts, ...writes])
      it.rows.push(...rows)
    },
    alive: async () => {
      signal.throwIfAborted()
      if (it.workedMs() > Claim.workMs) throw new Stopped('tooLong')
      if (remainingMs() < handoverMs) throw new Stopped('handover')
      // Another consumer may have taken over a turn that was silent for long: this proves the claim before anything is
      // done.
      if (now() - hold.beatAt < Claim.faintMs) return
      if (!(await Claim.heartbeat(hold, now()))) throw new Stopped('lost')
    },
    record: async () => {
      if (it.steps) await Activity.write(hold.it, it.entries, hold.activityVersion - 1)
      it.steps = undefined
      for (const step of it.unrecorded.splice(0)) await Run.step(it.run, step.number, step.detail, step.at)
    },
    count: async () => {
      const { uncounted } = it
      it.uncounted = undefined
      if (!uncounted) return
      // The row has the sum of all calls from the same transaction.
      if (uncounted.isSent) {
        const stored = await Row.read(hold.it.id)
        if (stored && stored.usedTokens >= hold.used.usedTokens) return
      }
      await Usage.add(hold.it.owner, uncounted.used, now())
    },
  }
  return it
}

/** How often a consumer looks whether its turn was cancelled or taken away, in milliseconds. */
const lookMs = 1_500

/**
 * Watches over a turn while something is awaited: a sign of life every 20 seconds, and a look at the row so often that
 * a cancel is noticed within 2 seconds. Ends when `over` is aborted; aborts `stop` when the turn must not go on.
 */
export async function watch(
  hold: Claim.Hold,
  clock: Clock,
  stop: AbortController,
  over: AbortSignal,
): Promise<void> {
  let beatAt = clock.now()
  while (!over.aborted) {
    await clock.sleep(lookMs, over).catch(() => undefined)
    if (over.aborted) return
    const stored = await Claim.look(hold)
    if (stored !== 'mine') return stop.abort(new Stopped(stored))
    // Steps are signs of life too, but only a heartbeat moves the turn's place among the busy.
    if (clock.now() - beatAt < Claim.heartbeatMs) continue
    beatAt = clock.now()
    if (!(await Claim.heartbeat(hold, beatAt))) return stop.abort(new Stopped('lost'))
  }
}
