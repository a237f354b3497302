import { nothing } from 'lit'
import { until } from 'lit/directives/until.js'

type Drawable = { requestUpdate(): void }

/** The time after which a visible part retries a failed load, in milliseconds. */
const againMs = 5_000

/** The time before parts are loaded ahead, in milliseconds, so that the page can start first. */
const aheadMs = 2_000

/**
 * Returns a part that is loaded when it is first drawn, or earlier by `load`. It draws nothing until then (`isComing`
 * is true while it loads). A failed load is retried at the next render, or after some seconds.
 */
export function lazy<V extends Drawable, A extends unknown[]>(
  fetchPart: () => Promise<(view: V, ...more: A) => unknown>,
): { (view: V, ...more: A): unknown; load(): Promise<void>; isComing(): boolean } {
  const arrival = Promise.withResolvers<(view: V, ...more: A) => unknown>()
  let part: ((view: V, ...more: A) => unknown) | undefined
  let coming: Promise<void> | undefined
  let isDrawn = false
  let again: ReturnType<typeof setTimeout> | undefined
  const load = (): Promise<void> => {
    coming ??= fetchPart().then(
      (loaded) => {
        part = loaded
        arrival.resolve(loaded)
      },
      () => {
        coming = undefined
        clearTimeout(again)
        if (isDrawn) again = setTimeout(load, againMs)
      },
    )
    return coming
  }
  const draw = (view: V, ...more: A): unknown => {
    if (part) return part(view, ...more)
    isDrawn = true
    void load()
    const drawn = arrival.promise.then((arrived) => {
      view.requestUpdate()
      return arrived(view, ...more)
    })
    // `until` draws the loaded part itself, because the parent may not render again until another value changes.
    return until(drawn, nothing)
  }
  return Object.assign(draw, { load, isComing: () => !part && coming !== undefined })
}

const ahead: { load(): Promise<void> }[] = []
let isFetching = false

/** Marks a part for `fetchAhead`, so that it works even if the connection is lost later. Returns the part. */
export function loadAhead<P extends { load(): Promise<void> }>(part: P): P {
  if (isFetching) void part.load()
  else ahead.push(part)
  return part
}

/** Loads the marked parts soon after the start; parts that are marked later load at once. */
export function fetchAhead(): void {
  const load = () => {
    isFetching = true
    for (const part of ahead) void part.load()
  }
  setTimeout(() => whenIdle(load), aheadMs)
}

/** Runs a function when the browser is idle. */
export function whenIdle(act: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(act, { timeout: 2_000 })
  else setTimeout(act, 200)
}

/**
 * Returns a function that makes a value at its first call and then keeps it: a formatter of `Intl` costs milliseconds.
 */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
