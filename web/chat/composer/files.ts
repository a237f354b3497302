import { html, nothing } from 'lit'
import { lazy, loadAhead } from '../lazy.ts'
import type { View } from '../view/view.ts'

/** The files of the message being written, loaded with the first of them. */
export const attachments = loadAhead(lazy(async () => (await import('./attachments.ts')).attachments))

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

/** Files held over the element, dropped on it, or leaving it: listeners for the root of the chat. */
export function dropping(view: View) {
  const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
  return {
    over: (event: DragEvent) => {
      if (!holdsFiles(event)) return
      event.preventDefault()
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy'
      if (!view.ui.isDropping) view.ui.set({ isDropping: true })
    },
    leave: (event: DragEvent) => {
      const root = event.currentTarget as HTMLElement
      if (!root.contains(event.relatedTarget as Node | null)) view.ui.set({ isDropping: false })
    },
    drop: (event: DragEvent) => {
      if (!holdsFiles(event)) return
      event.preventDefault()
      view.ui.set({ isDropping: false })
      attach(view, event.dataTransfer?.files)
      view.focusMessage()
    },
  }
}

/** Shows the drop target for files, and the accepted kinds. */
export function dropHint({ t, ui, store }: View): unknown {
  if (!ui.isDropping) return nothing
  const types = store?.status?.supportedFormats.join(', ') ?? ''
  return html`<div class="drop">
    ${t('file.drop')}${types ? html`<small>${t('file.types', { types })}</small>` : nothing}
  </div>`
}
