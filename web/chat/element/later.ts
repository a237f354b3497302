import { notify } from '../notify/notify.ts'
import { tellChanges } from '../store/changes.ts'
import { noteUnread } from '../store/unread.ts'
import type { View } from '../view/view.ts'

/** Does after each change of the store what the first render does not need: it informs the page and the user. */
export function later(view: View): void {
  tellChanges(view)
  noteUnread(view)
  if (view.store?.memory.notifies) notify(view)
}
