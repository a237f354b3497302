import { nothing } from 'lit'

type Drawable = { requestUpdate(): void }

/**
 * A part that is fetched when it is first drawn, or shortly before by `load`. Until it is there it draws nothing; a
 * fetch that failed is repeated with the next drawing.
 */
export function later<V extends Drawable, A extends unknown[]>(
  fetchPart: () => Promise<(view: V, ...more: A) => unknown>,
): { (view: V, ...more: A): unknown; load(): Promise<void> } {
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
    void load().then(() => part && view.requestUpdate())
    return nothing
  }
  return Object.assign(draw, { load })
}
