import type { ApiError } from '../api.ts'
import { backoffDelay } from './poller.ts'

/** The state of the connection to the stage, and the time of the next attempt while it is lost. */
export class Connection {
  /** ms since the epoch; null: there is a connection. */
  retryAt: number | null = null
  readonly #attempt: () => void
  #failures = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(attempt: () => void) {
    this.#attempt = attempt
  }

  /** The stage did not answer: sets the next attempt, once, however many requests fail. */
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

  /** The stage answered. */
  reached(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#failures = 0
    this.retryAt = null
  }
}
