/**
 * Calls `act` after `ms` milliseconds, and after the events that wait at that time: after a standstill, Node fires
 * timers before it reads waiting events. Returns the timer.
 */
export const limitTime = (ms: number, act: () => void): ReturnType<typeof setTimeout> =>
  setTimeout(() => setImmediate(act), ms)
