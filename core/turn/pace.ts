import { Stopped } from '../agent/journal.ts'
import type { Clock } from '../clock.ts'
import { tenant } from '../conversation/tenant.ts'
import { ModelError } from '../model/model.ts'
import * as Pace from '../pace/pace.ts'
import type { Provider } from '../settings/schema.ts'
import type { Work } from './work.ts'

/** What a call is to do with the limits of its provider. */
type Given = { clock: Clock; provider: Provider; maxTokens: number; signal: AbortSignal }

/** The calls of a turn at the pace of its provider. */
export type Paced = {
  /**
   * Returns when a call may be made that takes so many tokens with the longest answer. Rejects with Stopped (`deferred`)
   * where that is later than a consumer waits, and with ModelError where the provider is booked for too long.
   */
  admit(tokens: number): Promise<void>
  /** Corrects what the last call has booked by the tokens that it took. */
  settle(tokens: number): Promise<void>
}

/** A consumer waits this long for the time of a call; a turn that has to wait longer goes back to the queue. */
const patientMs = 3_000

/** Tokens of an answer as they are booked, before they are known. */
const usualAnswer = 1_000

/** The pace of a turn's calls; nothing is stored for a provider without limits. */
export function pace(work: Pick<Work, 'it'>, { clock, provider, maxTokens, signal }: Given): Paced {
  if (!Pace.isPaced(provider)) return { admit: async () => undefined, settle: async () => undefined }
  const { deferredUntil, isUnbooked } = work.it
  const waited = deferredUntil === undefined ? undefined : Date.parse(deferredUntil)
  let hasWaited = waited !== undefined && isUnbooked === true
  // Booked and waited for by an earlier consumer of the turn.
  let paid = hasWaited ? undefined : waited
  let booked = 0
  return {
    admit: async (tokens) => {
      const now = clock.now()
      booked = tokens - maxTokens + usualAnswer
      // A message that came before the time of its turn changes nothing of it.
      if (hasWaited && waited !== undefined && waited > now) throw new Stopped('deferred', waited, false)
      const caller = { tenant: tenant(work.it), hasWaited }
      const time =
        paid === undefined ? await Pace.book(provider, caller, booked, now) : { at: paid, isBooked: true }
      if (time === undefined)
        throw new ModelError(
          'model.unavailable',
          `The limits of ${provider.name} are used up for ten minutes.`,
        )
      const { at, isBooked } = time
      if (at - now > patientMs || !isBooked) throw new Stopped('deferred', at, isBooked)
      paid = undefined
      hasWaited = false
      if (at > now) await clock.sleep(at - now, signal)
    },
    settle: async (tokens) => {
      await Pace.correct(provider, tokens - booked)
      booked = tokens
    },
  }
}
