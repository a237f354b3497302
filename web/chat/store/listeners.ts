/** Tells listeners that something changed, however often it did, once a microtask. */
export class Listeners {
  readonly #listeners = new Set<() => void>()
  #isDue = false

  /** Calls back after changes, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Something changed; `first` is done before the listeners hear of it. */
  notify(first: () => void): void {
    if (this.#isDue) return
    this.#isDue = true
    queueMicrotask(() => {
      this.#isDue = false
      first()
      for (const listener of [...this.#listeners]) listener()
    })
  }
}
