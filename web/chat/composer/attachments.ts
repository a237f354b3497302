import { html, nothing, type TemplateResult } from 'lit'
import { ref } from 'lit/directives/ref.js'
import { icon, iconButton } from '../icon.ts'
import { infoOf } from '../message/file.ts'
import * as Attach from '../store/attach.ts'
import type { Attachment } from '../store/open-conversation.ts'
import { adoptStyles } from '../style/sheet.ts'
import { kindOfFile, signOfFile, sizeOfFile } from '../view/media.ts'
import type { View } from '../view/view.ts'
import css from './attachments.css?inline'

/** Draws the files of the message that the user is writing, each with its state in words. */
export function attachments(view: View): TemplateResult {
  adoptStyles(view, css)
  const { t, conversation, store } = view
  const count = store.status?.maxFilesPerConversation
  const coming = conversation.attachments.filter(({ state }) => state !== 'refused').length
  return html`<div class="stack files" role="group" aria-label=${t('file.attachments')}>
    <ul>${conversation.attachments.map((attachment) => item(view, attachment))}</ul>
    ${count ? html`<div class="file-line">${t('file.count', { used: conversation.fileCount + coming, count })}</div>` : nothing}
  </div>`
}

const askedFiles = new WeakSet<Attachment>()

/** Loads the name of a file once: the browser does not store names, so they are missing after a reload. */
async function entitle(view: View, attachment: Attachment): Promise<void> {
  const { store } = view
  const { file, fileUid } = attachment
  if (file.name || !fileUid || askedFiles.has(attachment) || store.phase !== 'ready' || store.retryAt) return
  askedFiles.add(attachment)
  const info = await infoOf(view, fileUid)
  if (info) attachment.file = new File([], info.name, { type: info.mimeType })
  else if (store.retryAt !== null) askedFiles.delete(attachment)
  view.requestUpdate()
}

function item(view: View, attachment: Attachment): TemplateResult {
  void entitle(view, attachment)
  const { t, store, conversation } = view
  const { file, state } = attachment
  const { type } = file
  const name = file.name || String(attachment.fileUid)
  const sign = signOfFile(type, name)
  const isBad = state === 'refused' || state === 'failed'
  const again = () => {
    Attach.beginUpload(store, conversation, attachment, t)
    view.focusMessage()
  }
  const remove = () => {
    Attach.detach(store, conversation, attachment)
    view.focusMessage()
  }
  return html`<li class="file ${isBad ? 'file-bad' : ''} ${state === 'failed' ? 'file-failed' : ''}">
    <span class="file-sign">${icon(isBad ? 'warning' : sign)}${sign === 'image' && !isBad ? html`<img alt="" ${ref(showPicture(file))} />` : nothing}</span>
    <b class="ellipsis" title=${name} dir="auto">${name}</b>
    ${fileStatus(view, attachment)}
    ${state === 'failed' ? iconButton('retry', t('file.again', { name }), again, 'icon-btn-sm') : nothing}
    ${iconButton('close', t('file.remove', { name }), remove, 'icon-btn-sm')}
  </li>`
}

/** Shows the picture of a local file before it is uploaded. If the browser cannot show it, the file's icon stays. */
const showPicture = (file: File) => (element?: Element) => {
  if (!(element instanceof HTMLImageElement) || pictures.get(element) === file) return
  pictures.set(element, file)
  const address = URL.createObjectURL(file)
  const release = () => URL.revokeObjectURL(address)
  element.hidden = false
  element.onload = release
  element.onerror = () => {
    release()
    element.hidden = true
  }
  element.src = address
}
const pictures = new WeakMap<Element, File>()

function fileStatus(view: View, attachment: Attachment): TemplateResult {
  const { t } = view
  const { file, state, reason, progress } = attachment
  const { name, type, size } = file
  if (state === 'refused' || state === 'failed') return html`<small class="fine">${reason}</small>`
  if (state === 'ready') {
    const kind = kindOfFile(t, type, name)
    // The size is known only on the page that uploaded the file.
    return html`<small class="fine ellipsis">${size > 0 ? `${kind}, ${sizeOfFile(view, size)}` : kind}</small>`
  }
  const percent = Math.round(progress * 100)
  return html`<span class="row fine rate"
    ><progress max="100" value=${percent} aria-label=${t('file.uploading', { name })}></progress>${percent} %</span
  >`
}
