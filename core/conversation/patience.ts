import { type Conversation, isDue } from './item.ts'

/** Poll intervals of a client while a turn waits. */

/** After a wait of this many milliseconds, clients poll a turn less often. */
const slowFromMs = 10_000
/** The longest time between two polls that the service asks for, in milliseconds. */
const slowestMs = 10_000
/** A deferral shorter than this changes no interval, in milliseconds. */
const shortMs = 2_000

/** A client polls on after this time while a message is due: its turn begins a moment after the end of the one before. */
const dueMs = 1_000

/**
 * The time until the next poll of a client, in milliseconds; undefined means the usual interval, or none while the
 * conversation is idle. While the turn waits for a consumer: a fifth of the wait so far, so that a longer queue gets
 * fewer polls. While the turn waits for its provider: the rest of that wait.
 */
export function pollAfterMs(conversation: Conversation, now: number): number | undefined {
  const { status, queuedAt } = conversation
  if (isDue(conversation)) return dueMs
  if (status !== 'processing' || queuedAt === '') return undefined
  const waited = now - Date.parse(queuedAt)
  // A deferred turn has a `queuedAt` in the future.
  if (waited < -shortMs) return Math.min(slowestMs, -waited)
  return waited < slowFromMs ? undefined : Math.min(slowestMs, Math.round(waited / 5))
}

/** The time until which a turn waits for its provider, ISO 8601; undefined if it does not wait for it. */
export function deferredUntil(it: Conversation): string | undefined {
  return it.status === 'processing' ? it.deferredUntil : undefined
}
