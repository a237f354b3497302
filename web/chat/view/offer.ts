import type { View } from './view.ts'

/** The time to undo an act with one click, in milliseconds. */
const offerMs = 10_000

/** Reports an act for a while with an undo button, in the list or above the field. */
export function offer(view: View, text: string, undo: () => void, inList = false): void {
  const take = () => {
    view.ui.set({ offer: null })
    undo()
  }
  view.ui.set({ offer: { text, undo: take, until: Date.now() + offerMs, inList } })
}
