import type { Clock } from '../../core/base/clock.ts'

/**
 * A clock that a test moves: `await clock.pass(1_000)` wakes every sleeper whose time has come, in order.
 * `clock.sleeping()` lists how many milliseconds each sleeper still has.
 */
export function manualClock(start = Date.UTC(2026, 10, 20)) {
  let time = start
  const sleepers = new Set<{ at: number; wake: () => void }>()
  const clock: Clock = {
    now: () => time,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        // A machine tells its time in whole milliseconds, however long a sleep was meant to be.
        const sleeper = { at: time + Math.ceil(ms), wake: resolve }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper)
          reject(signal.reason)
        })
      })
    },
  }
  return {
    ...clock,
    sleeping: () => [...sleepers].map(({ at }) => at - time),
    /** Moves on, sleeper by sleeper, so that one who sleeps again on waking is woken again. */
    async pass(ms: number) {
      const end = time + ms
      for (;;) {
        await settled()
        const [next] = [...sleepers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
        if (!next) break
        time = next.at
        sleepers.delete(next)
        next.wake()
      }
      time = end
      await settled()
    },
  }
}

/** Lets everything run that waits for nothing. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Stands still with the whole process for `ms` milliseconds, as a busy machine makes it. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
