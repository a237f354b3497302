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
  const coming = talk.attachments.filter(({ state }) => state !== 'refused').length
  return html`<div class="files" role="group" aria-label=${t('file.attachments')}>
    <ul>
      ${talk.attachments.map((attachment) => item(view, attachment))}
    </ul>
    <div class="file-line"><span>${t('file.count', { used: talk.fileCount + coming, count })}</span></div>
  </div>`
}

function item(view: View, attachment: Attachment): TemplateResult {
  const { t, store, talk } = view
  const { file, state } = attachment
  const { name, type } = file
  const isBad = state === 'refused' || state === 'failed'
  const again = () => {
    if (store) Attaching.begin(store, talk, attachment, t)
    view.focusMessage()
  }
  const remove = () => {
    if (store) Attaching.detach(store, talk, attachment)
    view.focusMessage()
  }
  return html`<li class="file ${isBad ? 'file-bad' : ''} ${state === 'failed' ? 'file-failed' : ''}">
    <span class="file-sign">${icon(isBad ? 'warning' : signOfFile(type, name))}</span>
    <b title=${name} dir="auto">${name}</b>
    ${line(view, attachment)}
    ${state === 'failed' ? button('retry', t('file.again', { name }), again) : nothing}
    ${button('close', t('file.remove', { name }), remove)}
  </li>`
}

const button = (sign: Icon, label: string, act: () => void) =>
  html`<button class="icon-btn icon-btn-sm" type="button" aria-label=${label} title=${label} @click=${act}>
    ${icon(sign)}
  </button>`

function line({ t, format }: View, attachment: Attachment): TemplateResult {
  const { file, state, reason, progress } = attachment
  const { name, type, size } = file
  if (state === 'refused' || state === 'failed') return html`<small>${reason}</small>`
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
