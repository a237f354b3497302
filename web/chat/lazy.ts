import { nothing } from 'lit'
import { until } from 'lit/directives/until.js'

type Drawable = { requestUpdate(): void }

/** A visible part retries a failed load after this time, in milliseconds. */
const againMs = 5_000

/** The time that the page around has for its own start, in milliseconds. */
const aheadMs = 2_000

/**
 * A part that is loaded when it is first drawn, or earlier by `load`. It draws nothing until then (`isComing` is true
 * while it loads). A failed load is retried at the next render, or after some seconds.
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
    // Renders by itself: its parent may not render again until another value changes.
    return until(drawn, nothing)
  }
  return Object.assign(draw, { load, isComing: () => !part && coming !== undefined })
}

const ahead: { load(): Promise<void> }[] = []
let isFetching = false

/** Marks a part as one that `fetchAhead` loads, so that a lost connection finds it here. Answers the part. */
export function loadAhead<P extends { load(): Promise<void> }>(part: P): P {
  if (isFetching) void part.load()
  else ahead.push(part)
  return part
}

/** Loads soon the marked parts, which many conversations never show; from then on each further one at once. */
export function fetchAhead(): void {
  const load = () => {
    isFetching = true
    for (const part of ahead) void part.load()
  }
  setTimeout(() => whenIdle(load), aheadMs)
}

/** Does something when the browser has time. */
export function whenIdle(act: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(act, { timeout: 2_000 })
  else setTimeout(act, 200)
}

/** Makes something when it is first asked for, and keeps it: a formatter of `Intl` costs milliseconds. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
