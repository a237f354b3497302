import type { Clock } from '../base/clock.ts'
import { TransientError } from '../base/error.ts'

/** Time limits of a call: for the whole call with its retries, and without a sign of life from the provider. */
export type Timing = { totalMs: number; idleMs: number }

/** The default limits; the total ends well before a turn counts as stuck. */
export const timing: Timing = { totalMs: 240_000, idleMs: 60_000 }

type Limits = { signal: AbortSignal; clock: Clock; idleMs: number; until: number }

/**
 * Runs one attempt with a signal that aborts with the caller's signal, at `until`, or when `touch` was not called for
 * `idleMs`. Rejects at that moment, even if the attempt ignores the signal: with the caller's reason, or with
 * TransientError.
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
 * instead of once per event.
 */
async function watch(limits: Limits, touchedAt: () => number, done: AbortSignal): Promise<TransientError> {
  const { clock, idleMs, until } = limits
  for (;;) {
    const now = clock.now()
    if (now >= until) return new TransientError('The provider did not answer in time')
    const left = touchedAt() + idleMs - now
    if (left <= 0) return new TransientError('The provider went silent')
    await clock.sleep(Math.min(left, until - now), done)
  }
}

function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
