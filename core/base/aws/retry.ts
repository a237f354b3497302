import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { VisibleError } from '../error.ts'
import { passing } from './transport.ts'

/** Retry time for conflicts and throttling before a request gets an error, in milliseconds. */
const retryMs = 2_000

/** Thrown if the table did not answer, or had no capacity, until the caller's retry time ended. */
export class TableUnavailable extends VisibleError {
  constructor(cause: unknown) {
    super('service.unavailable', { cause, retryAfterMs: 1_000 })
  }
}

/** Thrown if the table did not process a part of a batch. */
export class Unprocessed extends Error {}

/** A longer time for retries: the caller's clock and the end of retries, both in milliseconds since the epoch. */
type RetryTime = { now(): number; until(): number }

/** The retry time of a request for which a person waits. */
const quick: RetryTime = { now: Date.now, until: () => 0 }

const ambient = new AsyncLocalStorage<RetryTime>()

/**
 * Runs `act` and retries its requests to the table until `time.until()`, for two seconds at least. Meant for consumers:
 * they hold a lease, and no person waits for the answer.
 */
export function retryingUntil<T>(time: RetryTime, act: () => Promise<T>): Promise<T> {
  return ambient.run(time, act)
}

/**
 * Repeats an action that met a conflict or throttling, with jitter, until the retry time ends; then rejects with
 * TableUnavailable. The SDK's own retry is off: it does not look into a cancelled transaction, and two retry loops
 * would multiply.
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
    // A failed condition is final even if another item met a conflict: the stored state has won.
    if (reasons.includes('ConditionalCheckFailed')) return false
    return reasons.some(
      (code) => code === 'TransactionConflict' || code.includes('Throttling') || code.includes('Exceeded'),
    )
  }
  if (!(error instanceof Error)) return false
  return passing.has(error.name) || passing.has((error as NodeJS.ErrnoException).code ?? '')
}
