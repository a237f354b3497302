import * as Send from '../store/outbox.ts'
import type { View } from './view.ts'

/** Replaces the text of the message field as if the user had typed it, and focuses the field. */
export function fill(view: View, text: string): void {
  const { store, conversation } = view
  Send.draft(store, conversation, text)
  const field = view.find<HTMLTextAreaElement>('#message')
  if (field) field.value = text
  view.requestUpdate()
  view.focusMessage()
}

/** True for a key that an input method uses. Safari reports the last key of a composition only by its code. */
export const isComposed = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229

/**
 * Stops the Escape key of an inline field, so that no outer part handles it too. Returns true if the key was Escape.
 */
export function stopEscape(event: KeyboardEvent): boolean {
  if (event.key !== 'Escape' || isComposed(event)) return false
  event.preventDefault()
  event.stopPropagation()
  return true
}

/** Opens an empty conversation and focuses its field. */
export function startNew(view: View): void {
  view.show(null)
  view.ui.set({ side: 'conversation' })
  void view.updateComplete.then(() => view.focusMessage())
}
