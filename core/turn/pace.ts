import { Stopped } from '../agent/journal.ts'
import { tenant, weightOf } from '../conversation/queue.ts'
import { ModelError } from '../model/model.ts'
import * as Pace from '../stage/pace/pace.ts'
import type { Settings } from '../stage/settings/schema.ts'
import type { Resolved } from '../stage/settings/settings.ts'
import type { Work } from './work.ts'

/** The maximum tokens of a call's answer, and the signal that ends the wait for the start of the call. */
export type Limits = { maxTokens: number; signal: AbortSignal }

/** Books the model calls of a turn within the limits of its provider. */
type Paced = {
  /**
   * Waits until a call may be made; `tokens` is the size of the call with the longest possible answer. Rejects with
   * Stopped (`deferred`) if the wait is too long for a consumer. Rejects with ModelError if the provider has no free
   * time within ten minutes.
   */
  admit(tokens: number): Promise<void>
  /** Corrects the last booking to the tokens that the call used. */
  settle(tokens: number): Promise<void>
}

/**
 * The maximum time that a consumer waits until it may call the model, in milliseconds. A turn that must wait longer
 * returns to the queue.
 */
const patientMs = 3_000

/** The tokens booked for an answer before its size is known. */
const usualAnswer = 1_000

/** Returns the pace of a turn's calls; stores nothing for a provider without limits. */
export function pace(
  { conversation, clock }: Work,
  { provider }: Resolved,
  { groupWeights }: Settings,
  { maxTokens, signal }: Limits,
): Paced {
  if (!Pace.isPaced(provider)) return { admit: async () => undefined, settle: async () => undefined }
  const group = tenant(conversation)
  const weight = weightOf(group, groupWeights)
  let wait = waitOf(conversation)
  let booked = 0

  /**
   * Returns the time when the call may be made. A turn that comes back from the queue keeps its planned time in two
   * cases: the call is booked, or that time is in the future.
   */
  async function timeOf(now: number): Promise<Pace.Time | undefined> {
    if (wait && (wait.isBooked || wait.at > now)) return wait
    return Pace.book(provider, { tenant: group, weight, hasWaited: wait !== undefined }, booked, now)
  }

  return {
    admit: async (tokens) => {
      const now = clock.now()
      booked = tokens - maxTokens + usualAnswer
      const time = await timeOf(now)
      if (time === undefined)
        throw new ModelError(
          'model.unavailable',
          `The limits of ${provider.name} are used up for ten minutes.`,
        )
      const { at, isBooked } = time
      if (at - now > patientMs || !isBooked) throw new Stopped('deferred', at, isBooked)
      wait = undefined
      if (at > now) await clock.sleep(at - now, signal)
    },
    settle: async (tokens) => {
      await Pace.correct(provider, tokens - booked)
      booked = tokens
    },
  }
}

/**
 * Returns the time for which the turn waited in the queue. Then its booked call may be made, or its group may book a
 * call.
 */
function waitOf({ deferredUntil, isUnbooked }: Work['conversation']): Pace.Time | undefined {
  return deferredUntil === undefined
    ? undefined
    : { at: Date.parse(deferredUntil), isBooked: isUnbooked !== true }
}
