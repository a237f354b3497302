import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { VisibleError } from '../error.ts'
import { passing } from './transport.ts'

/** How long conflicts and throttling are retried before the caller of a request learns of them, in milliseconds. */
const retryMs = 2_000

/** The table did not answer, or refused for lack of capacity, for as long as the caller could wait. */
export class TableUnavailable extends VisibleError {
  constructor(cause: unknown) {
    super('service.unavailable', { cause, retryAfterMs: 1_000 })
  }
}

/** A part of a batch that the table left undone. */
export class Unprocessed extends Error {}

/** A longer time for retries: the clock of the caller and the time at which retries end, both in milliseconds since the epoch. */
export type RetryTime = { now(): number; until(): number }

/** The time of a request that a person waits for. */
const quick: RetryTime = { now: Date.now, until: () => 0 }

const ambient = new AsyncLocalStorage<RetryTime>()

/**
 * Runs `act`. Its requests to the table are retried until `time.until()`, and for two seconds at least. A consumer uses it: it
 * holds a lease and no person waits for its answer.
 */
export function retryingUntil<T>(time: RetryTime, act: () => Promise<T>): Promise<T> {
  return ambient.run(time, act)
}

/**
 * Repeats what met a conflict or throttling, with jitter, while time lasts; then rejects with TableUnavailable. The
 * SDK's own retry is off: it does not see into a cancelled transaction, and two loops would multiply.
 */
export async function retrying<T>(act: () => Promise<T>): Promise<T> {
  const time = ambient.getStore() ?? quick
  const until = Math.max(time.now() + retryMs, time.until())
  for (let attempt = 0; ; attempt++) {
    try {
      return await act()
    } catch (error) {
      if (!mayPass(error)) throw error
      const pause = Math.random() * Math.min(25 * 2 ** attempt, 400)
      if (time.now() + pause >= until) throw new TableUnavailable(error)
      await sleep(pause)
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof Unprocessed) return true
  if (error instanceof TransactionCanceledException) {
    const reasons = (error.CancellationReasons ?? []).map((reason) => reason.Code ?? 'None')
    // A failed condition is final even where another item met a conflict: the state that lost is the stored one.
    if (reasons.includes('ConditionalCheckFailed')) return false
    return reasons.some(
      (code) => code === 'TransactionConflict' || code.includes('Throttling') || code.includes('Exceeded'),
    )
  }
  if (!(error instanceof Error)) return false
  return passing.has(error.name) || passing.has((error as NodeJS.ErrnoException).code ?? '')
}
