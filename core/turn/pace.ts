import { Stopped } from '../agent/journal.ts'
import { tenant, weightOf } from '../conversation/queue.ts'
import { ModelError } from '../model/model.ts'
import * as Pace from '../stage/pace/pace.ts'
import type { Settings } from '../stage/settings/schema.ts'
import type { Resolved } from '../stage/settings/settings.ts'
import type { Work } from './work.ts'

/** The longest answer of a call in tokens, and the signal that ends the wait for its time. */
export type Limits = { maxTokens: number; signal: AbortSignal }

/** The calls of a turn at the pace of its provider. */
export type Paced = {
  /**
   * Returns when a call of that many tokens, with the longest answer, may be made. Rejects with Stopped (`deferred`)
   * where that is later than a consumer waits, and with ModelError where the provider is booked for too long.
   */
  admit(tokens: number): Promise<void>
  /** Corrects the booking of the last call by the tokens that it took. */
  settle(tokens: number): Promise<void>
}

/** A consumer waits this long for the time of a call; a turn that has to wait longer goes back to the queue. */
const patientMs = 3_000

/** Tokens of an answer as they are booked, before they are known. */
const usualAnswer = 1_000

/** The pace of a turn's calls; nothing is stored for a provider without limits. */
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

  /** The time of a call; that of the wait which the turn comes back from, where the call is booked or it came too early. */
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

/** The wait that a turn comes back from: for a call that is booked, or for the share of its group. */
function waitOf({ deferredUntil, isUnbooked }: Work['conversation']): Pace.Time | undefined {
  return deferredUntil === undefined
    ? undefined
    : { at: Date.parse(deferredUntil), isBooked: isUnbooked !== true }
}
