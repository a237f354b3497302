import type { TemplateResult } from 'lit'
import type { Summary } from '../../../core/conversation/schema.ts'
import { lazy } from '../lazy.ts'
import { Selected } from '../store/selected.ts'
import type { Choice } from '../store/several.ts'
import type { View } from '../view/view.ts'

/** A conversation of the list with its tick, loaded when the user begins to select. */
export const tick = lazy<View, [Summary, string, TemplateResult]>(
  async () => (await import('./several.ts')).tick,
)

/** The actions for the selected conversations, and their result. */
export const foot = lazy<View, []>(async () => (await import('./several.ts')).foot)

/** Begins to select several conversations, or ends it; the button for that has the focus then. */
export async function toggleSelecting(view: View): Promise<void> {
  await Promise.all([tick.load(), foot.load()])
  const { store } = view
  if (!store || store.selected?.isActing) return
  store.selected = store.selected ? null : new Selected()
  store.changed()
  view.find('.select')?.focus()
}

/** Opens an empty conversation with the cursor in its field. */
export function startNew(view: View): void {
  view.show(null)
  view.ui.set({ side: 'conversation' })
  void view.updateComplete.then(() => view.focusMessage())
}

/** Archives or deletes one conversation of the list, with a way back for a while. */
export async function putAway(view: View, item: Summary, choice: Choice): Promise<void> {
  const part = await import('./several.ts').catch(() => null)
  if (part && view.store) await part.put(view, view.store, [item], choice)
  else view.announcer.say(view.t('offline.trying'))
}
