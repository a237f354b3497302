import * as Send from '../store/outbox.ts'
import type { View } from './view.ts'

/** Writes the message field, as if the user had typed it. */
export function fill(view: View, text: string): void {
  const { store, conversation } = view
  Send.draft(store, conversation, text)
  const field = view.find<HTMLTextAreaElement>('#message')
  if (field) field.value = text
  view.requestUpdate()
  view.focusMessage()
}

/** True for the Escape key that closes a field in place, which then means nothing to the parts around the field. */
export function isEscape(event: KeyboardEvent): boolean {
  if (event.key !== 'Escape' || event.isComposing) return false
  event.preventDefault()
  event.stopPropagation()
  return true
}

/** Opens an empty conversation with the cursor in its field. */
export function startNew(view: View): void {
  view.show(null)
  view.ui.set({ side: 'conversation' })
  void view.updateComplete.then(() => view.focusMessage())
}
