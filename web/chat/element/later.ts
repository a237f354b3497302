import { notify } from '../notify/notify.ts'
import { tellChanges } from '../store/changes.ts'
import type { View } from '../view/view.ts'

/** What an element does after each change of the store that no first picture needs: it tells the page and the user. */
export function later(view: View): void {
  if (view.conversation.id) tellChanges(view)
  // A panel that the page has put away could not show what it tells of; the chat that is there tells it.
  const isAway = view instanceof HTMLElement && view.hidden
  if (view.store?.memory.notifies && !isAway) notify(view)
}
