import type { Clock } from '../../../core/base/clock.ts'

type Sleeper = { at: number; order: number; wake: () => void }

/** A clock for very many sleepers: it moves from one to the next as soon as nothing else is to be done. */
export function eventClock(start: number) {
  let time = start
  let count = 0
  const heap: Sleeper[] = []
  const before = (one: number, other: number) => {
    const [a, b] = [heap[one] as Sleeper, heap[other] as Sleeper]
    return a.at < b.at || (a.at === b.at && a.order < b.order)
  }
  const swap = (one: number, other: number) => {
    ;[heap[one], heap[other]] = [heap[other] as Sleeper, heap[one] as Sleeper]
  }

  function push(sleeper: Sleeper): void {
    heap.push(sleeper)
    for (let at = heap.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1
      if (!before(at, parent)) return
      swap(at, parent)
      at = parent
    }
  }

  function pop(): Sleeper | undefined {
    const first = heap[0]
    const last = heap.pop()
    if (!first || !last || heap.length === 0) return first
    heap[0] = last
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      let least = at
      if (left < heap.length && before(left, least)) least = left
      if (right < heap.length && before(right, least)) least = right
      if (least === at) return first
      swap(at, least)
      at = least
    }
  }

  const clock: Clock = {
    now: () => time,
    sleep: (ms) => new Promise((wake) => push({ at: time + Math.ceil(ms), order: count++, wake })),
  }
  return {
    ...clock,
    /** Moves on until the end, in milliseconds since the epoch, or until no sleeper is left. */
    async run(end: number): Promise<void> {
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve))
        const next = pop()
        if (!next) return
        if (next.at > end) return push(next)
        time = Math.max(time, next.at)
        next.wake()
      }
    },
  }
}

export type EventClock = ReturnType<typeof eventClock>
