import type { PictureAnswer } from '../../../core/chat/request.ts'
import type { FileInfoAnswer } from '../../../core/file/schema.ts'
import type { Icon } from '../icon.ts'
import type { ChatStore } from '../store/chat-store.ts'

/** The sign of a file by what it is. */
export function signOfFile(type: string, name: string): Icon {
  const isImage = type.startsWith('image/') || /\.(?:png|jpe?g|gif|webp)$/i.test(name)
  return isImage ? 'image' : 'page'
}

/** Has the browser store what an address leads to, under a name. */
export function download(href: string, name: string): void {
  const link = Object.assign(document.createElement('a'), { href, download: name, rel: 'noopener' })
  link.click()
}

/** A picture of the site that an image can show, without its name. */
export type SitePicture = Omit<FileInfoAnswer, 'name'>

/** The record of a picture. */
export type PicturePlace = { table: string; uid: number | string }

const sitePictures = new WeakMap<ChatStore, Map<string, Promise<SitePicture | null>>>()

/**
 * The picture of a record, asked for once; null: the stage shows none. The stage requests it from the CMS as the current
 * user: nothing is shown if they no longer have the right.
 */
export function sitePicture(store: ChatStore, { table, uid }: PicturePlace): Promise<SitePicture | null> {
  const pictures = sitePictures.get(store) ?? new Map<string, Promise<SitePicture | null>>()
  sitePictures.set(store, pictures)
  const key = `${table}:${uid}`
  const picture =
    pictures.get(key) ?? store.api.get<PictureAnswer>('/picture', { table, uid }).then(addressed, () => null)
  pictures.set(key, picture)
  return picture
}

const addressed = ({ mimeType, base64 }: PictureAnswer): SitePicture => ({
  fileUid: 0,
  mimeType,
  size: Math.floor((base64.length * 3) / 4),
  url: `data:${mimeType};base64,${base64}`,
})
