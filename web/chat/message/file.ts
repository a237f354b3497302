import { html, nothing, type TemplateResult } from 'lit'
import { until } from 'lit/directives/until.js'
import type { Message } from '../../../core/conversation/transcript/schema.ts'
import type { FileInfoAnswer } from '../../../core/file/schema.ts'
import { icon } from '../icon.ts'
import * as Send from '../store/send.ts'
import type { ChatStore } from '../store/store.ts'
import { adopter } from '../style/adopt.ts'
import { download } from '../view/download.ts'
import { signOfFile } from '../view/file-icon.ts'
import type { View } from '../view/view.ts'
import css from './file.css?inline'

const dress = adopter(css)

/** A picture of more bytes is not fetched only to be shown small. */
const largestShown = 10_000_000

/**
 * The size and picture of a file, once the stage has answered; the promises stay the same, so that a render repeats
 * nothing.
 */
type Known = { size: Promise<unknown>; picture: Promise<unknown> }
const known = new WeakMap<ChatStore, Map<number, Known>>()

/** The file of a message that was sent: a picture is shown small and opens large, any other file is downloaded. */
export function sentFile(view: View, message: Message): TemplateResult {
  dress(view)
  const { t } = view
  const { fileUid = 0, fileName, fileMimeType = '' } = message
  const name = fileName ?? String(fileUid)
  const sign = signOfFile(fileMimeType, name)
  const isPicture = sign === 'image'
  const kind = isPicture ? t('file.image') : (/\.([^.]+)$/.exec(name)?.[1]?.toUpperCase() ?? fileMimeType)
  const { size, picture } = knownOf(view, fileUid)
  return html`<button
    class="file file-sent ${isPicture ? 'file-picture' : ''}"
    type="button"
    title=${t('log.file', { name })}
    @click=${() => open(view, fileUid, isPicture)}
  >
    <span class="file-sign">${icon(sign)}${isPicture ? until(picture, nothing) : nothing}</span>
    <b dir="auto">${name}</b><small>${kind}${until(size, nothing)}</small>
  </button>`
}

function knownOf(view: View, fileUid: number): Known {
  const { store, format } = view
  const none = { size: Promise.resolve(nothing), picture: Promise.resolve(nothing) }
  if (!store) return none
  const files = known.get(store) ?? new Map<number, Known>()
  known.set(store, files)
  const file = files.get(fileUid)
  if (file) return file
  const info = infoOf(view, fileUid)
  // Without an answer the file is drawn without it, and asked for again with the next drawing.
  void info.then((it) => it ?? files.delete(fileUid))
  const made = {
    size: info.then((it) => (it ? `, ${format.size(it.size)}` : nothing)),
    picture: info.then((it) => (it && it.size <= largestShown ? small(view, it) : nothing)),
  }
  files.set(fileUid, made)
  return made
}

const infoOf = async ({ store }: View, fileUid: number): Promise<FileInfoAnswer | null> =>
  (await store?.api.get<FileInfoAnswer>('/file-info', { fileUid }).catch(() => null)) ?? null

/** Its button has its name. An address is good for five minutes: a picture that fails is asked for once more. */
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

const addressOf = ({ store }: View, url: string) => new URL(url, store?.api.origin).href

async function open(view: View, fileUid: number, isPicture: boolean): Promise<void> {
  const { store, conversation, ui } = view
  if (!store) return
  const info = await Send.attempt(store, conversation, () =>
    store.api.get<FileInfoAnswer>('/file-info', { fileUid }),
  )
  if (!info) return
  const file = { ...info, url: addressOf(view, info.url) }
  if (isPicture) ui.set({ dialog: 'picture', picture: file })
  else download(file.url, file.name)
}
