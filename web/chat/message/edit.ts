import type { Message } from '../../../core/conversation/transcript/schema.ts'
import { lazy } from '../lazy.ts'
import type { View } from '../view/view.ts'

/** The field that changes an own message, loaded with the first change. */
export const editor = lazy<View, [Message]>(async () => (await import('./editor.ts')).editor)

/** Opens an own message for a change in place. */
export async function startEditing(view: View, sequence: number): Promise<void> {
  await editor.load()
  view.ui.set({ editing: sequence })
  await view.updateComplete
  const field = view.find<HTMLTextAreaElement>('.editor textarea')
  field?.focus()
  field?.setSelectionRange(field.value.length, field.value.length)
}
