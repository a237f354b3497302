import type { PictureAnswer } from '../../../core/chat/request.ts'
import type { FileInfoAnswer } from '../../../core/file/schema.ts'
import { ApiError } from '../api.ts'
import type { Translate } from '../i18n/i18n.ts'
import type { Icon } from '../icon.ts'
import type { Format } from '../reader-format.ts'
import type { ChatStore } from '../store/chat-store.ts'

/** Returns the icon for the type of a file. */
export function signOfFile(type: string, name: string): Icon {
  const isImage = type.startsWith('image/') || /\.(?:png|jpe?g|gif|webp)$/i.test(name)
  return isImage ? 'image' : 'page'
}

/** Returns the kind of a file in words: an image, or else the ending of its name in capitals. */
export function kindOfFile(t: Translate, type: string, name: string): string {
  if (signOfFile(type, name) === 'image') return t('file.image')
  return /\.([^.]+)$/.exec(name)?.[1]?.toUpperCase() ?? type
}

/** Formats the size of a file: `840 KB`, `1.2 MB` */
export function sizeOfFile({ t, format }: { t: Translate; format: Format }, bytes: number): string {
  if (bytes < 1_000) return t('unit.bytes', { n: String(bytes) })
  if (bytes < 1_000_000) return t('unit.kilobytes', { n: String(Math.round(bytes / 1_000)) })
  return t('unit.megabytes', { n: format.number(bytes / 1_000_000) })
}

/** A picture of the site for an `img` element, without its name. */
export type SitePicture = Omit<FileInfoAnswer, 'name'>

/** The record that contains a picture. */
export type PicturePlace = { table: string; uid: number | string }

const sitePictures = new WeakMap<ChatStore, Map<string, Promise<SitePicture | null>>>()

/**
 * Returns the picture of a record; null without an answer, or if this user may not see it now. The stage requests it
 * from the CMS as the current user. It is requested only once; after another failure, the next drawing asks again.
 */
export function sitePicture(store: ChatStore, { table, uid }: PicturePlace): Promise<SitePicture | null> {
  const pictures = sitePictures.get(store) ?? new Map<string, Promise<SitePicture | null>>()
  sitePictures.set(store, pictures)
  const key = `${table}:${uid}`
  const ask = () =>
    store.api.get<PictureAnswer>('/picture', { table, uid }).then(addressed, (error: unknown) => {
      if (!(error instanceof ApiError && error.status === 404)) pictures.delete(key)
      return null
    })
  const picture = pictures.get(key) ?? ask()
  pictures.set(key, picture)
  return picture
}

const addressed = ({ mimeType, base64 }: PictureAnswer): SitePicture => ({
  fileUid: 0,
  mimeType,
  size: Math.floor((base64.length * 3) / 4),
  url: `data:${mimeType};base64,${base64}`,
})
