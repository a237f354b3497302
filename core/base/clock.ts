import { setTimeout as timeout } from 'node:timers/promises'

/** A port for time and waiting, so that a test can move its clock forward without real waiting. */
export type Clock = {
  /** Returns the milliseconds since the epoch. */
  now(): number
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await timeout(ms, undefined, signal && { signal })
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    }
  },
}

/**
 * Calls `act` after `ms` milliseconds, and after the events that wait at that time: after a standstill, Node fires
 * timers before it reads waiting events. Returns the timer.
 */
export const limitTime = (ms: number, act: () => void): ReturnType<typeof setTimeout> =>
  setTimeout(() => setImmediate(act), ms)

/** A day in milliseconds. */
export const dayMs = 24 * 60 * 60_000
