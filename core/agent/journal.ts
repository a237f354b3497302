import type { Activity } from '../conversation/schema.ts'
import type { CallResult } from '../conversation/transcript/result.ts'
import type { CallOutcome, Notice, Source, ToolCall } from '../conversation/transcript/schema.ts'
import type { ModelFailure, Part } from '../model/model.ts'
import type { Marks } from './marks.ts'
import type { Proposal } from './proposal.ts'
import type { StoredOutcome } from './write-outcome.ts'

/** A reply in its own order, with what the named model thought. */
export type Thought = { model: string; parts: Part[] }

/** A call with its result; `changed` where it changed a record. */
export type Ended = { call: ToolCall; result: CallResult; changed: boolean }

/**
 * The port through which the agent reports what happens. When a promise resolves, the event is stored, so that a crash
 * after it loses nothing. Each rejects with Stopped once this consumer may no longer continue the turn.
 */
export type Journal = {
  /** The model wants calls. Stored before any of them runs; answers them as stored, with ids unique in the run. */
  wants(answer: { text: string; calls: ToolCall[]; notice?: Notice; thought?: Thought }): Promise<ToolCall[]>
  /** The turn ends with this answer, its sources, and what of it has none. */
  ends(answer: { text: string; notice?: Notice; sources?: Source[] } & Marks): Promise<void>
  /** The turn ends because the model refused to answer. */
  refused(): Promise<void>
  /** Calls have their results, or their refusals; at most 50 at a time. */
  results(ended: Ended[]): Promise<void>
  /** A step is over: the entry goes to `activity` alone, the detail to the run record alone, both with what is stored next. */
  step(entry: Activity, detail: Record<string, unknown>): void
  /** Shows the progress of a call that reads many records, at most once a second. It is removed when the call ends. */
  progress(call: ToolCall, n: number, total: number): Promise<void>
  /** A write is about to happen under the key. Stored, under the claim, before the CMS hears of it. */
  intend(call: ToolCall, key: string): Promise<void>
  /** How the write under the key ended, as `kept` leaves it. */
  conclude(key: string, outcome: StoredOutcome): Promise<boolean>
  /** The run waits for a decision on the proposal; the turn ends here. */
  pause(proposal: Proposal, open: ToolCall[]): Promise<void>
  /** Stores what the user has handed to the running turn, behind the results of its last calls; called between two rounds. */
  hear(): Promise<void>
  /** Rejects with Stopped when the turn was cancelled, lost, handed over or is out of time; called before each effect. */
  alive(): Promise<void>
}

/** Why a turn ends without an answer although nothing failed. */
export class Stopped extends Error {
  readonly reason: 'lost' | 'cancelled' | 'handover' | 'tooLong' | 'deferred'
  /** The time at which the model may be asked, in milliseconds since the epoch; for `deferred` alone. */
  readonly until: number
  /** True if the call of the model is booked for that time; for `deferred` alone. */
  readonly isBooked: boolean

  constructor(reason: Stopped['reason'], until = 0, isBooked = true) {
    super(`The turn stopped: ${reason}`)
    this.name = 'Stopped'
    this.reason = reason
    this.until = until
    this.isBooked = isBooked
  }
}

/** Why a step has no result: the outcome of its call, or why the model gave no answer. */
export type StepFault = Exclude<CallOutcome, 'done'> | ModelFailure

const rejected = 'The provider of the language model rejected the request.'

const sentences: Record<StepFault, string> = {
  notKnown: 'There is no such tool.',
  notPermitted: 'The call was not permitted.',
  notValid: 'The arguments of the call were not valid.',
  refused: 'The call was refused.',
  missing: 'The call was refused.',
  denied: 'The call was denied.',
  notRun: 'The call was not run.',
  conflict: 'The call was refused.',
  unknown: 'The call was refused.',
  failed: 'The tool failed.',
  'model.unavailable': 'The language model did not answer.',
  'model.unpaid': 'The account with the provider of the language model has no credit left.',
  'model.rejected': rejected,
  'model.unauthorized': rejected,
  'model.tooLarge': rejected,
}

/** The fixed sentence of `activity` about such a step; it never has words of a tool, an argument or an error. */
export const faultSentence = (fault: StepFault): string => sentences[fault]
