import type { Picture } from '../../../core/cms/cms.ts'
import { maxPictureBytes } from '../../../core/cms/media.ts'
import type { PictureFile } from './adapter.ts'

/** The types of picture that models see. */
const seen = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** The largest of the sizes of a picture that may be sent, as the bridge answers it. */
export async function pictureOf(files: PictureFile[]): Promise<Picture> {
  const pictures = files.filter(({ type }) => seen.includes(type))
  if (pictures.length === 0) return { state: 'none' }
  const fitting = pictures
    .filter(({ bytes }) => bytes <= maxPictureBytes)
    .sort((one, other) => other.bytes - one.bytes)
  for (const { read } of fitting) {
    const content = await read()
    if (content && content.length <= maxPictureBytes)
      return { state: 'there', base64: Buffer.from(content).toString('base64') }
  }
  return { state: fitting.length === 0 ? 'tooLarge' : 'none' }
}
