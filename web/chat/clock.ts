/** Calls back every second while it is wanted. */
export class Clock {
  readonly #tick: () => void
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(tick: () => void) {
    this.#tick = tick
  }

  run(isWanted: boolean): void {
    if (isWanted === (this.#timer !== undefined)) return
    clearInterval(this.#timer)
    this.#timer = isWanted ? setInterval(this.#tick, 1_000) : undefined
  }
}
