import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../base/clock.ts'
import { TransientError } from '../base/error.ts'
import { ModelError } from './model.ts'

/** Time limits of a call: for the whole call with its retries, and without a sign of life from the provider. */
export type Timing = { totalMs: number; idleMs: number }

/** The default limits; the total ends well before a turn counts as stuck. */
export const timing: Timing = { totalMs: 240_000, idleMs: 60_000 }

type Limits = { signal: AbortSignal; clock: Clock; idleMs: number; until: number }

/**
 * Runs one attempt. Its signal aborts with the caller's signal, at `until`, or `idleMs` after the last `touch`. Rejects
 * at that moment, even if the attempt ignores the signal: with the caller's reason, or with TransientError.
 */
export async function watched<T>(
  limits: Limits,
  attempt: (signal: AbortSignal, touch: () => void) => Promise<T>,
): Promise<T> {
  const { clock, signal } = limits
  signal.throwIfAborted()
  const watchdog = new AbortController()
  const done = new AbortController()
  const either = AbortSignal.any([signal, watchdog.signal])
  let touchedAt = clock.now()
  const touch = () => {
    touchedAt = clock.now()
  }
  watch(limits, () => touchedAt, done.signal).then(
    (verdict) => watchdog.abort(verdict),
    () => undefined,
  )
  try {
    return await Promise.race([attempt(either, touch), ended(either)])
  } catch (error) {
    either.throwIfAborted()
    throw error
  } finally {
    done.abort()
  }
}

/**
 * Resolves with the error when a limit is exceeded; rejects if the attempt finishes first. It sleeps once per limit
 * instead of once per event. After a standstill of this process, timers fire before it reads the bytes that came
 * meanwhile. So it looks again before it gives up.
 */
async function watch(limits: Limits, touchedAt: () => number, done: AbortSignal): Promise<TransientError> {
  const { clock, idleMs, until } = limits
  for (let isLate = false; ; ) {
    const now = clock.now()
    const left = Math.min(touchedAt() + idleMs, until) - now
    if (left > 0) await clock.sleep(left, done)
    else if (!isLate) await setImmediate(undefined, { signal: done })
    else if (now >= until) return new TransientError('The provider did not answer in time')
    else return new TransientError('The provider went silent')
    isLate = left <= 0
  }
}

function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

const maxAttempts = 6
const firstPauseMs = 1_000
const longestPauseMs = 16_000

/**
 * Repeats an attempt while it fails with TransientError. It waits as long as the provider asks. If the provider asks
 * for no wait, it waits with exponential backoff and full jitter. Gives up with `model.unavailable` after six attempts,
 * or at once if the pause would outlast `until`. Any other error, and the signal's reason, pass through.
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
      const longest = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1))
      const pause = error.retryAfterMs || random() * longest
      if (failures === maxAttempts || clock.now() + pause >= until)
        throw new ModelError('model.unavailable', error.message, { cause: error })
      await clock.sleep(pause, signal)
    }
  }
}
