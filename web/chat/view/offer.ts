import type { View } from './view.ts'

/** So long something can be taken back with one click. */
const offerMs = 10_000

/** Says what was done, for a while with the way back; in the list, or above the field. */
export function offer(view: View, text: string, undo: () => void, inList = false): void {
  const take = () => {
    view.ui.set({ offer: null })
    undo()
  }
  view.ui.set({ offer: { text, undo: take, until: Date.now() + offerMs, inList } })
}
