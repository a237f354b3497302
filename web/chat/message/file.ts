import { html, type TemplateResult } from 'lit'
import type { FileInfoAnswer } from '../../../core/file/schema.ts'
import type { Message } from '../../../core/transcript/schema.ts'
import { icon } from '../icon.ts'
import * as Send from '../store/send.ts'
import { signOfFile } from '../view/file-icon.ts'
import type { View } from '../view/view.ts'

/** The file of a message that was sent; a click downloads it. */
export function sentFile(view: View, message: Message): TemplateResult {
  const { fileUid = 0, fileName, fileMimeType } = message
  const name = fileName ?? String(fileUid)
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toUpperCase()
  return html`<button
    class="file file-sent"
    type="button"
    title=${view.t('log.file', { name })}
    @click=${() => download(view, fileUid)}
  >
    <span class="file-sign">${icon(signOfFile(fileMimeType ?? '', name))}</span>
    <b dir="auto">${name}</b><small>${ending ?? fileMimeType ?? ''}</small>
  </button>`
}

async function download({ store, talk }: View, fileUid: number): Promise<void> {
  if (!store) return
  const info = await Send.attempt(store, talk, () => store.api.get<FileInfoAnswer>('/file-info', { fileUid }))
  if (!info) return
  const link = document.createElement('a')
  link.href = new URL(info.url, store.api.origin).href
  link.download = info.name
  link.rel = 'noopener'
  link.click()
}
