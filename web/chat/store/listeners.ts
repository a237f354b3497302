/** Tells listeners that something changed, however often it did, once a microtask. */
export class Bell {
  readonly #listeners = new Set<() => void>()
  #isRung = false

  /** Calls back after changes, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Something changed; `first` is done before the listeners hear of it. */
  ring(first: () => void): void {
    if (this.#isRung) return
    this.#isRung = true
    queueMicrotask(() => {
      this.#isRung = false
      first()
      for (const listener of [...this.#listeners]) listener()
    })
  }
}
