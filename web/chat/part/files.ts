import { html, nothing, type TemplateResult } from 'lit'
import { type Icon, icon } from '../icon.ts'
import * as Attaching from '../store/attaching.ts'
import type { Attachment } from '../store/talk.ts'
import type { View } from '../view.ts'

/** The sign of a file by what it is. */
export function signOfFile(type: string, name: string): Icon {
  const isImage = type.startsWith('image/') || /\.(?:png|jpe?g|gif|webp)$/i.test(name)
  return isImage ? 'image' : 'page'
}

/** The files of the message being written, each with its state in words. */
export function attachments(view: View): unknown {
  const { t, talk, store } = view
  if (talk.attachments.length === 0) return nothing
  const count = store?.status?.maxFilesPerConversation ?? 5
  const ready = talk.attachments.filter(({ state }) => state !== 'refused').length
  return html`<div class="files" role="group" aria-label=${t('file.attachments')}>
    <ul>
      ${talk.attachments.map((attachment) => item(view, attachment))}
    </ul>
    <div class="file-line"><span>${t('file.count', { used: talk.fileCount + ready, count })}</span></div>
  </div>`
}

function item(view: View, attachment: Attachment): TemplateResult {
  const { t, store, talk } = view
  const { name, state, type } = attachment
  const remove = () => {
    if (store) Attaching.detach(store, talk, attachment)
    view.focusMessage()
  }
  const label = t('file.remove', { name })
  return html`<li class="file ${state === 'refused' ? 'file-bad' : ''}">
    <span class="file-sign">${icon(state === 'refused' ? 'warning' : signOfFile(type, name))}</span>
    <b title=${name} dir="auto">${name}</b>
    ${line(view, attachment)}
    <button class="icon-btn icon-btn-sm" type="button" aria-label=${label} title=${label} @click=${remove}>
      ${icon('close')}
    </button>
  </li>`
}

function line({ t, format }: View, attachment: Attachment): TemplateResult {
  const { name, state, reason, progress, type, size } = attachment
  if (state === 'refused') return html`<small title=${reason ?? ''}>${reason}</small>`
  if (state === 'ready') {
    const ending = /\.([^.]+)$/.exec(name)?.[1]?.toUpperCase() ?? type
    const kind = signOfFile(type, name) === 'image' ? t('file.image') : ending
    return html`<small>${kind}, ${format.size(size)}</small>`
  }
  const percent = Math.round(progress * 100)
  return html`<span class="rate"
    ><progress max="100" value=${percent} aria-label=${t('file.uploading', { name })}></progress>${percent} %</span
  >`
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
      const files = [...(event.dataTransfer?.files ?? [])]
      if (view.store) Attaching.attach(view.store, view.talk, files, view.t)
      view.focusMessage()
    },
  }
}

/** Says where the files would go, and which are possible. */
export function dropHint({ t, ui, store }: View): unknown {
  if (!ui.isDropping) return nothing
  const types = store?.status?.supportedFormats.join(', ') ?? ''
  return html`<div class="drop">
    ${t('file.drop')}${types ? html`<small>${t('file.types', { types })}</small>` : nothing}
  </div>`
}
