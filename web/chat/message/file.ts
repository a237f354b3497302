import { html, nothing, type TemplateResult } from 'lit'
import { until } from 'lit/directives/until.js'
import type { Message } from '../../../core/conversation/transcript/schema.ts'
import type { FileInfoAnswer } from '../../../core/file/schema.ts'
import { download } from '../../save-file.ts'
import { icon } from '../icon.ts'
import type { ChatStore } from '../store/chat-store.ts'
import * as Send from '../store/outbox.ts'
import { adoptStyles } from '../style/sheet.ts'
import { picture } from '../view/dialogs.ts'
import { kindOfFile, signOfFile, sizeOfFile } from '../view/media.ts'
import type { View } from '../view/view.ts'
import css from './file.css?inline'

/** The maximum size of a file that is loaded as a small picture, in bytes. */
const largestShown = 10_000_000

/**
 * The size, the small picture, and the note about the text of a file, as promises of drawn parts. Each render uses the
 * same promises, so that the data is loaded only once.
 */
type Known = {
  size: Promise<unknown>
  picture: Promise<unknown>
  read: Promise<unknown>
  isRead: boolean
  status: string
}
const knownFiles = new WeakMap<ChatStore, Map<number, Known>>()

/**
 * Draws the file of a sent message, with a note about its text. A picture opens large; any other file is downloaded.
 */
export function sentFile(view: View, message: Message): TemplateResult {
  adoptStyles(view, css)
  const { t } = view
  const { fileUid = 0, fileName, fileMimeType = '' } = message
  const name = fileName ?? String(fileUid)
  const sign = signOfFile(fileMimeType, name)
  const isPicture = sign === 'image'
  const kind = kindOfFile(t, fileMimeType, name)
  const { size, picture, read } = knownOf(view, fileUid, isPicture)
  return html`<button class="file file-sent ${isPicture ? 'file-picture' : ''}" type="button"
      title=${t('log.file', { name })} @click=${() => openFile(view, fileUid)}>
    <span class="file-sign">${icon(sign)}${isPicture ? until(picture, nothing) : nothing}</span>
    <b class="ellipsis" dir="auto">${name}</b><small class="fine ellipsis">${kind}${until(size, nothing)}</small>${until(read, nothing)}
  </button>`
}

/**
 * Returns the known data of a file. If the stage has not read the file yet, the data is loaded again when the
 * conversation's state changes.
 */
function knownOf(view: View, fileUid: number, isPicture: boolean): Known {
  const { store, conversation } = view
  const { status } = conversation
  const files = knownFiles.get(store) ?? new Map<number, Known>()
  knownFiles.set(store, files)
  const file = files.get(fileUid)
  if (file && (file.isRead || file.status === status)) return file
  const info = infoOf(view, fileUid)
  // Without an answer of the stage, the file is drawn without its data, and the next render asks again.
  void info.then((it) => it ?? files.delete(fileUid))
  const made: Known = {
    status,
    isRead: isPicture,
    read: info.then((it) => (it?.read ? html`<small class="fine file-read">${it.read}</small>` : nothing)),
    size: file?.size ?? info.then((it) => (it ? `, ${sizeOfFile(view, it.size)}` : nothing)),
    picture: info.then((it) => (it && it.size <= largestShown ? small(view, it) : nothing)),
  }
  void info.then((it) => {
    made.isRead ||= it?.read !== undefined
  })
  files.set(fileUid, made)
  return made
}

/** Returns the data of a file; null if the stage refuses, or does not answer. */
export const infoOf = async ({ store }: View, fileUid: number): Promise<FileInfoAnswer | null> =>
  store.api.get<FileInfoAnswer>('/file-info', { fileUid }).catch((error) => {
    store.caught(error)
    return null
  })

/**
 * Draws the small picture without a text alternative, because the button around it has a name. The picture's address
 * lasts five minutes, so a failed load requests a new address once.
 */
function small(view: View, file: FileInfoAnswer): TemplateResult {
  const again = async (event: Event) => {
    const image = event.target as HTMLImageElement
    const isFirst = image.src === addressOf(view, file.url)
    const fresh = isFirst ? await infoOf(view, file.fileUid) : null
    if (fresh) image.src = addressOf(view, fresh.url)
    else image.hidden = true
  }
  return html`<img src=${addressOf(view, file.url)} alt="" decoding="async" @error=${again} />`
}

const addressOf = ({ store }: View, url: string) => new URL(url, store.api.origin).href

/** Opens a file: a picture large, a PDF at a page in a new tab; any other file is downloaded. */
export async function openFile(view: View, fileUid: number, page?: number): Promise<void> {
  const { store, conversation, ui } = view
  const info = await Send.tryRequest(store, conversation, () =>
    store.api.get<FileInfoAnswer>('/file-info', { fileUid, ...(page && { inline: 1 }) }),
  )
  if (!info) return
  const file = { ...info, url: addressOf(view, info.url) }
  if (signOfFile(file.mimeType, file.name) === 'image') ui.set({ dialog: () => picture(view, file) })
  else if (page && file.mimeType === 'application/pdf') openTab(`${file.url}#page=${page}`)
  else download(file.url, file.name)
}

/** Opens an address in a new tab. */
function openTab(href: string): void {
  Object.assign(document.createElement('a'), { href, target: '_blank', rel: 'noopener' }).click()
}
