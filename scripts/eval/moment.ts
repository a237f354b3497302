import { type Clock, systemClock } from '../../core/base/clock.ts'

/** The moment at which every task begins, a Monday, so that the dates of plans are known in advance. */
export const begunAt = Date.parse('2026-11-23T08:00:00Z')

/** A clock that begins at that moment and goes on as fast as any other. */
export function begunClock(): Clock {
  const startedAt = performance.now()
  return { ...systemClock, now: () => Math.round(begunAt + performance.now() - startedAt) }
}
