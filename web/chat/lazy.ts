import { nothing } from 'lit'
import { until } from 'lit/directives/until.js'

type Drawable = { requestUpdate(): void }

/**
 * A part that is fetched when it is first drawn, or shortly before by `load`. Until it is there (`isComing` while it is
 * on its way) it draws nothing; a fetch that failed is repeated with the next drawing.
 */
export function lazy<V extends Drawable, A extends unknown[]>(
  fetchPart: () => Promise<(view: V, ...more: A) => unknown>,
): { (view: V, ...more: A): unknown; load(): Promise<void>; isComing(): boolean } {
  let part: ((view: V, ...more: A) => unknown) | undefined
  let coming: Promise<void> | undefined
  const load = (): Promise<void> => {
    coming ??= fetchPart().then(
      (loaded) => {
        part = loaded
      },
      () => {
        coming = undefined
      },
    )
    return coming
  }
  const draw = (view: V, ...more: A): unknown => {
    if (part) return part(view, ...more)
    const drawn = load().then(() => {
      if (!part) return nothing
      view.requestUpdate()
      return part(view, ...more)
    })
    // Fills its place by itself: where it stands may not be drawn again until something else of it changes.
    return until(drawn, nothing)
  }
  return Object.assign(draw, { load, isComing: () => !part && coming !== undefined })
}
