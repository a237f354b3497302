import type { Status } from '../../../core/conversation/schema.ts'
import { ApiError } from '../api.ts'
import { isBusy } from './known-transcript.ts'
import { ask } from './message-loading.ts'
import type { Conversation } from './open-conversation.ts'
import type { StoreState } from './state.ts'

/** The poll interval of the list, in milliseconds, while a conversation that no view shows is busy. */
const listIntervalMs = 30_000

const fastMs = 1_000
const slowMs = 2_000
const longestWaitMs = 8_000

/** The maximum interval, in milliseconds; a longer interval in the stage's answer is reduced to it. */
const slowestMs = 15_000

/**
 * Returns the milliseconds until the next poll of a shown conversation: one second in the first ten seconds, then the
 * stage's interval, limited to 1-2 s. A larger `pollAfterMs` overrides it. `random` is at least 0 and less than 1.
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
 * Returns a random time until the next attempt, in milliseconds. Its maximum doubles with each failure, up to 8 s;
 * `Retry-After` is its minimum.
 */
export function backoffDelay(failures: number, retryAfterMs: number | undefined, random: number): number {
  const ceiling = Math.min(longestWaitMs, 1_000 * 2 ** Math.max(0, failures - 1))
  return Math.round(Math.max(retryAfterMs ?? 0, ceiling / 2 + (ceiling / 2) * random))
}

/** The state of the connection to the stage, and the time of the next attempt while it is lost. */
export class Connection {
  /** The time of the next attempt, in milliseconds since the epoch; null while connected. */
  retryAt: number | null = null
  readonly #attempt: () => void
  #failures = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(attempt: () => void) {
    this.#attempt = attempt
  }

  /** Schedules the next attempt after a request got no answer. Further calls before that attempt change nothing. */
  lost(error?: ApiError): void {
    if (this.#timer !== undefined) return
    this.#failures++
    const delayMs = backoffDelay(this.#failures, error?.retryAfterMs, Math.random())
    this.retryAt = Date.now() + delayMs
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#attempt()
    }, delayMs)
  }

  /** Resets the state after the stage answered. */
  reached(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#failures = 0
    this.retryAt = null
  }
}

type Polling = {
  /** Polls once. An error that concerns more than this poll ends the loop; after any other error the loop continues. */
  ask(signal: AbortSignal): Promise<void>
  delayMs(): number
  /** Receives the error that ended the loop. */
  failed(error: unknown): void
  /**
   * The lock of the only tab that polls; the other tabs of the browser get its answers. Absent without a secure
   * context.
   */
  lock?: { name: string; locks: LockManager } | undefined
}

/** Polls repeatedly, each time after the previous answer, until the returned function is called. */
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
    const waitMs = await ask(signal).then(() => 0, waitAfter)
    await pause(Math.max(waitMs, delayMs()), signal)
  }
}

/** Returns the milliseconds to wait after a failed poll; throws an error that concerns more than this poll. */
function waitAfter(error: unknown): number {
  if (error instanceof ApiError && !error.concernsAll) return error.retryAfterMs ?? longestWaitMs
  throw error
}

/** Waits for a time; ends at once when the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
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

/**
 * Polls the shown conversations that are busy, wait for a decision, or have a newer version on the stage. Polls the
 * list every 30 s while another conversation is busy. The store calls `update` after every change.
 */
export class Poller {
  readonly #store: StoreState
  #list: ReturnType<typeof setTimeout> | undefined

  constructor(store: StoreState) {
    this.#store = store
  }

  update(conversations: Iterable<Conversation>, shown: ReadonlySet<Conversation>): void {
    const store = this.#store
    const canAsk = store.phase === 'ready' && store.retryAt === null
    // On a hidden page only the list is polled: a page can show in its title how many turns have ended meanwhile.
    const seen = store.page.isVisible() ? shown : new Set<Conversation>()
    for (const conversation of conversations)
      this.#poll(conversation, canAsk && seen.has(conversation) && needsPolling(conversation))
    const elsewhere = store.active.busyIds.some(
      (id) => ![...seen].some((conversation) => conversation.id === id),
    )
    if (canAsk && elsewhere)
      this.#list ??= setTimeout(() => {
        this.#list = undefined
        void store.refreshLists()
      }, listIntervalMs)
    else {
      clearTimeout(this.#list)
      this.#list = undefined
    }
  }

  #poll(conversation: Conversation, isDue: boolean): void {
    if (isDue === (conversation.stopPolling !== null)) return
    if (!isDue) {
      conversation.stopPolling?.()
      conversation.stopPolling = null
      return
    }
    const store = this.#store
    const { locks } = store.page
    const interval = () => store.status?.pollIntervalMs ?? 1_500
    const stop = startPolling({
      ask: (signal) => ask(store, conversation, signal),
      delayMs: () =>
        pollDelay(
          conversation.status,
          Date.now() - conversation.runningSince,
          interval(),
          Math.random(),
          conversation.transcript.pollAfterMs,
        ),
      failed: (error) => {
        if (conversation.stopPolling === stop) conversation.stopPolling = null
        store.caught(error)
      },
      lock: locks ? { locks, name: `aic:poll:${store.user?.uid}:${conversation.id}` } : undefined,
    })
    conversation.stopPolling = stop
  }
}

function needsPolling({ isFresh, isGone, isBehind, status, transcript }: Conversation): boolean {
  // An idle conversation with `pollAfterMs` is polled again, because its next message is due.
  const isAsked = isBusy(status) || status === 'awaiting_approval' || transcript.pollAfterMs !== null
  return !isFresh && !isGone && (isBehind || isAsked)
}
