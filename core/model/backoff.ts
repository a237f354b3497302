import type { Clock } from '../base/clock.ts'
import { TransientError } from '../base/error.ts'
import { ModelError } from './model.ts'

const maxAttempts = 6
const firstPauseMs = 1_000
const longestPauseMs = 16_000

/**
 * Repeats an attempt while it fails with TransientError. It waits as long as the provider asks, else with exponential
 * backoff and full jitter. Gives up with `model.unavailable` after six attempts, or at once if the pause would outlast
 * `until`. Any other error, and the signal's reason, pass through.
 */
export async function retrying<T>(
  attempt: () => Promise<T>,
  options: { until: number; clock: Clock; random: () => number; signal: AbortSignal },
): Promise<T> {
  const { until, clock, random, signal } = options
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof TransientError)) throw error
      const pause = error.retryAfterMs ?? random() * longest(failures)
      if (failures === maxAttempts || clock.now() + pause >= until) {
        throw new ModelError('model.unavailable', error.message, { cause: error })
      }
      await clock.sleep(pause, signal)
    }
  }
}

function longest(failures: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1))
}
