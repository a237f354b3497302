/**
 * Calls `act` after `ms` milliseconds, and after the events that wait by then: after a standstill of the process, Node
 * fires its timers before it reads them. Returns the timer.
 */
export const limitTime = (ms: number, act: () => void): ReturnType<typeof setTimeout> =>
  setTimeout(() => setImmediate(act), ms)
