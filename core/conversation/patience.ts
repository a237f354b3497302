import type { Conversation } from './item.ts'

/** How long a client leaves a turn alone that waits. */

/** A poll of a turn that has waited this long comes later than usual, in milliseconds. */
const slowFromMs = 10_000
/** The longest time between two polls that the service asks for, in milliseconds. */
const slowestMs = 10_000
/** A wait that is shorter needs no other interval, in milliseconds. */
const shortMs = 2_000

/**
 * When a client polls next, in milliseconds from now. While the turn waits for a consumer: after a fifth of what it has
 * waited, so that polls become fewer as the queue becomes longer; while it waits for its provider: at its time. Undefined
 * where the usual interval holds.
 */
export function pollAfterMs({ status, queuedAt }: Conversation, now: number): number | undefined {
  if (status !== 'processing' || queuedAt === '') return undefined
  const waited = now - Date.parse(queuedAt)
  // A turn that is deferred is queued for a time to come.
  if (waited < -shortMs) return Math.min(slowestMs, -waited)
  return waited < slowFromMs ? undefined : Math.min(slowestMs, Math.round(waited / 5))
}

/** Until when a turn waits for its provider, ISO 8601; undefined where it does not. */
export function deferredUntil(it: Conversation): string | undefined {
  return it.status === 'processing' ? it.deferredUntil : undefined
}
