import { notify } from '../notify/notify.ts'
import { tellChanges } from '../store/changes.ts'
import type { View } from '../view/view.ts'

/** What an element does after each change of the store that no first picture needs: it tells the page and the user. */
export function later(view: View): void {
  tellChanges(view)
  if (view.store?.memory.notifies) notify(view)
}
