import type { Activity, PendingCall } from '../conversation/schema.ts'
import type { Notice, ToolCall } from '../message/schema.ts'

/**
 * What the agent tells whoever runs it, at the moment it happens. When a method resolves, it is stored: a crash after
 * it loses nothing. Each rejects with Stopped once the turn is no longer this consumer's to continue.
 */
export type Journal = {
  /** The model has answered; with `calls` the turn goes on, without it ends here. Stored before any call runs. */
  answer(answer: { text: string; calls: ToolCall[]; notice?: Notice }): Promise<void>
  /** A call has its result, or its refusal. */
  result(call: ToolCall, result: { text: string; isError: boolean }): Promise<void>
  /** A step is over; goes to `activity` alone. `detail` (arguments, results, usage) goes to the run record alone. */
  step(entry: Activity, detail?: Record<string, unknown>): Promise<void>
  /** The run waits for a decision on these calls; the turn ends here. */
  pause(pending: { digest: string; calls: PendingCall[]; versions: Record<string, unknown> }): Promise<void>
  /** Rejects with Stopped when the turn was cancelled, lost, handed over or is out of time; called before each effect. */
  alive(): Promise<void>
}

/** Why a turn ends without an answer although nothing failed. */
export class Stopped extends Error {
  readonly reason: 'lost' | 'cancelled' | 'handover' | 'tooLong'

  constructor(reason: Stopped['reason']) {
    super(`The turn stopped: ${reason}`)
    this.name = 'Stopped'
    this.reason = reason
  }
}
