import type { Status } from '../../../core/conversation/schema.ts'
import { ApiError } from '../api.ts'

/** The poll interval of the list while a conversation without a view is busy, in milliseconds. */
export const listIntervalMs = 30_000

const fastMs = 1_000
const slowMs = 2_000
const longestWaitMs = 8_000

/** The slowest interval, in milliseconds; a longer one in the stage's answer is capped. */
const slowestMs = 15_000

/**
 * Milliseconds until the next poll of a shown conversation: a second at first, then the stage's interval, limited to
 * 1-2 s, unless its last answer asks for more time (`pollAfterMs`). `random` is in [0, 1).
 */
export function pollDelay(
  status: Status,
  runningMs: number,
  pollIntervalMs: number,
  random: number,
  pollAfterMs: number | null = null,
): number {
  const running = runningMs < 10_000 ? fastMs : pollIntervalMs
  const base = status === 'awaiting_approval' ? slowMs : running
  const jittered = base * (0.9 + random * 0.2)
  const usual = Math.min(slowMs, Math.max(fastMs, jittered))
  return Math.round(Math.max(usual, Math.min(slowestMs, pollAfterMs ?? 0)))
}

/**
 * Milliseconds until the next attempt after `failures` failed ones: doubling, at most 8 s, never before `Retry-After`.
 */
export function backoffDelay(failures: number, retryAfterMs: number | undefined, random: number): number {
  const ceiling = Math.min(longestWaitMs, 1_000 * 2 ** Math.max(0, failures - 1))
  return Math.round(Math.max(retryAfterMs ?? 0, ceiling / 2 + (ceiling / 2) * random))
}

type Polling = {
  /** One question. A refusal that concerns more than this question ends the loop; after any other it asks later. */
  ask(signal: AbortSignal): Promise<void>
  delayMs(): number
  /** Gets what ended the loop. */
  failed(error: unknown): void
  /** One poller per browser: the tab with the lock asks, the others get its answers. Absent without a secure context. */
  lock?: { name: string; locks: LockManager } | undefined
}

/** Asks again and again, each time after the answer, until the returned function is called. */
export function startPolling(polling: Polling): () => void {
  const stopper = new AbortController()
  const { signal } = stopper
  const loop = () => run(polling, signal)
  const done = polling.lock ? polling.lock.locks.request(polling.lock.name, { signal }, loop) : loop()
  done.catch((error: unknown) => {
    if (!signal.aborted) polling.failed(error)
  })
  return () => stopper.abort()
}

async function run({ ask, delayMs }: Polling, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const waitMs = await once(ask, signal)
    await pause(Math.max(waitMs, delayMs()), signal)
  }
}

async function once(ask: Polling['ask'], signal: AbortSignal): Promise<number> {
  try {
    await ask(signal)
    return 0
  } catch (error) {
    if (error instanceof ApiError && !error.concernsAll) return error.retryAfterMs ?? longestWaitMs
    throw error
  }
}

/** Waits, or ends at once when the signal does. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
