import type { Actor } from '../base/actor.ts'
import type { RecordId } from '../conversation/schema.ts'
import { mimeTypeOf } from '../file/format.ts'
import { sizeOf } from '../file/picture-facts.ts'
import { pictureFormat } from '../file/sniff.ts'
import { type Cms, maxPictureBytes } from './cms.ts'

/**
 * The picture of a media record that the actor may see now; its content decides its type, whatever the CMS says.
 * Otherwise the reason why there is no picture. `gone`: no such record, or the actor may not see it; `none`: no
 * picture, or a format that models cannot see.
 */
export async function look(cms: Pick<Cms, 'picture'>, actor: Actor, table: string, uid: RecordId) {
  const picture = await cms.picture(actor, { table, uid })
  if (!picture) return 'gone'
  if (picture.state !== 'there') return picture.state
  const bytes = Buffer.from(picture.base64, 'base64')
  if (bytes.length > maxPictureBytes) return 'tooLarge'
  const format = await pictureFormat(bytes)
  const size = format && sizeOf(bytes, format)
  return size ? { mimeType: mimeTypeOf(format), bytes, ...size } : 'none'
}
