/** One who waits: for a place, or to hear that the wait was given up. */
type Waiter = { next(): void }

/**
 * A number of places that users share fairly: each user holds one of them at most, and those who wait are served in
 * turn, user by user, so that another user waits for one more document of each at most, however many they have.
 */
export class Places {
  readonly #atOnce: number
  readonly #holding = new Set<unknown>()
  /** By user, in the order in which they are served. */
  readonly #waiting = new Map<unknown, Waiter[]>()

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  /** Waits for a place and answers how to leave it. Rejects with the signal's reason when the wait is given up. */
  async take(user: unknown, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#holding.size >= this.#atOnce || this.#holding.has(user)) await this.#wait(user, signal)
    else this.#holding.add(user)
    return () => {
      this.#holding.delete(user)
      this.#serve()
    }
  }

  #wait(user: unknown, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        const rest = (this.#waiting.get(user) ?? []).filter((other) => other !== waiter)
        if (rest.length > 0) this.#waiting.set(user, rest)
        else this.#waiting.delete(user)
        reject(signal?.reason)
      }
      const waiter: Waiter = {
        next: () => {
          signal?.removeEventListener('abort', giveUp)
          resolve()
        },
      }
      this.#waiting.set(user, [...(this.#waiting.get(user) ?? []), waiter])
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }

  /** Gives free places to the users whose turn it is; one with more to do goes to the end. */
  #serve(): void {
    for (const [user, [first, ...rest]] of [...this.#waiting]) {
      if (this.#holding.size >= this.#atOnce) return
      if (this.#holding.has(user) || !first) continue
      this.#waiting.delete(user)
      if (rest.length > 0) this.#waiting.set(user, rest)
      this.#holding.add(user)
      first.next()
    }
  }
}
