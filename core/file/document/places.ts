/** A caller that waits for a place. */
type Waiter = { next(): void }

/**
 * A number of places that users share fairly. Each user holds at most one place. Waiting users are served in turn: a
 * user waits for at most one document of each other user.
 */
export class Places {
  readonly #atOnce: number
  readonly #holding = new Set<unknown>()
  /** Waiting callers by user, in the order in which the users are served. */
  readonly #waiting = new Map<unknown, Waiter[]>()

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  /** Waits for a place and returns the function that leaves it. Rejects with the signal's reason on abort. */
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

  /** Gives free places to the next users; a user with more to do goes to the end of the line. */
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
