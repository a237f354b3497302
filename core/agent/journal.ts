import type { Activity } from '../conversation/schema.ts'
import type { CallResult } from '../conversation/transcript/result.ts'
import type { CallOutcome, Notice, Source, ToolCall } from '../conversation/transcript/schema.ts'
import type { ModelFailure, Part } from '../model/model.ts'
import type { Marks } from './marks.ts'
import type { Proposal } from './proposal.ts'
import type { StoredOutcome } from './write-outcome.ts'

/** The parts of a reply in order, with the thoughts of the named model. */
export type Thought = { model: string; parts: Part[] }

/** A call with its result; `changed` is true if the call changed a record. */
export type Ended = { call: ToolCall; result: CallResult; changed: boolean }

/**
 * The port through which the agent reports its events. A resolved promise means that the event is stored, so a later
 * crash does not lose it. Each method rejects with Stopped once this consumer may not continue the turn.
 */
export type Journal = {
  /** Stores calls that the model wants before any of them runs. Returns them as stored, with ids unique in the run. */
  wants(answer: { text: string; calls: ToolCall[]; notice?: Notice; thought?: Thought }): Promise<ToolCall[]>
  /** Ends the turn with this answer, its sources, and its parts without a source. */
  ends(answer: { text: string; notice?: Notice; sources?: Source[] } & Marks): Promise<void>
  /** Ends the turn because the model refused to answer. */
  refused(): Promise<void>
  /** Stores the results or refusals of calls; at most 50 at a time. */
  results(ended: Ended[]): Promise<void>
  /**
   * Notes a finished step: `entry` for the list of steps, `detail` only for the run record. Both are stored with the
   * next save.
   */
  step(entry: Activity, detail: Record<string, unknown>): void
  /** Shows the progress of a call that reads many records, at most once a second. The end of the call removes it. */
  progress(call: ToolCall, n: number, total: number): Promise<void>
  /** Stores, under the claim, that a write with this key is about to happen, before the CMS gets it. */
  intend(call: ToolCall, key: string): Promise<void>
  /** Stores how the write with this key ended, in the form that `kept` returns. */
  conclude(key: string, outcome: StoredOutcome): Promise<boolean>
  /** Ends the turn with a proposal that waits for a decision. */
  pause(proposal: Proposal, open: ToolCall[]): Promise<void>
  /**
   * Appends the messages that the user sent to the running turn, after the results of the turn's last calls; called
   * between rounds.
   */
  hear(): Promise<void>
  /** Rejects with Stopped when the turn is cancelled, lost, handed over or out of time; called before each effect. */
  alive(): Promise<void>
}

/** Thrown when a turn ends without an answer although nothing failed. */
export class Stopped extends Error {
  readonly reason: 'lost' | 'cancelled' | 'handover' | 'tooLong' | 'deferred'
  /** The time from which the model may be asked, in milliseconds since the epoch; only for `deferred`. */
  readonly until: number
  /** True if the model call is booked for that time; only for `deferred`. */
  readonly isBooked: boolean

  constructor(reason: Stopped['reason'], until = 0, isBooked = true) {
    super(`The turn stopped: ${reason}`)
    this.name = 'Stopped'
    this.reason = reason
    this.until = until
    this.isBooked = isBooked
  }
}

/** The reason why a step has no result: the outcome of its call, or the failure of the model. */
type StepFault = Exclude<CallOutcome, 'done'> | ModelFailure

const rejected = 'The provider of the language model rejected the request.'

const sentences: Record<StepFault, string> = {
  notKnown: 'There is no such tool.',
  notPermitted: 'The call was not permitted.',
  notValid: 'The arguments of the call were not valid.',
  refused: 'The call was refused.',
  missing: 'The record was not found.',
  denied: 'The call was denied.',
  notRun: 'The call was not run.',
  conflict: 'The record has changed meanwhile.',
  unknown: 'It is not known if the change was stored.',
  failed: 'The tool failed.',
  'model.unavailable': 'The language model did not answer.',
  'model.unpaid': 'The account with the provider of the language model has no credit left.',
  'model.rejected': rejected,
  'model.unauthorized': rejected,
  'model.tooLarge': rejected,
}

/**
 * Returns the fixed sentence of `activity` for a failed step. It never contains text of a tool, an argument or an
 * error.
 */
export const faultSentence = (fault: StepFault): string => sentences[fault]
