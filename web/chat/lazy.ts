import { nothing } from 'lit'
import { until } from 'lit/directives/until.js'

type Drawable = { requestUpdate(): void }

/** So long after a fetch that failed a part that is drawn somewhere is fetched again, in milliseconds. */
const againMs = 5_000

/**
 * A part that is fetched when it is first drawn, or shortly before by `load`. Until it is there (`isComing` while it is
 * on its way) it draws nothing; a fetch that failed is repeated with the next drawing, or after some seconds.
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
    // Fills its place by itself: where it stands may not be drawn again until something else of it changes.
    return until(drawn, nothing)
  }
  return Object.assign(draw, { load, isComing: () => !part && coming !== undefined })
}
