import { lazy } from '../lazy.ts'
import type { View } from '../view/view.ts'

/** The files of the message being written, loaded with the first of them. */
export const attachments = lazy<View, []>(async () => (await import('./attachments.ts')).attachments)

/** Puts files to the message being written; what does so is loaded with the first of them. */
export function attach(view: View, files: FileList | null | undefined): void {
  // The list is emptied as soon as its event is over.
  const chosen = [...(files ?? [])]
  const { store, conversation } = view
  if (!store || chosen.length === 0) return
  import('../store/attach.ts').then(
    (part) => part.attach(store, conversation, chosen, view.t),
    () => view.announcer.say(view.t('offline.trying')),
  )
}
