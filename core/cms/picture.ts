import type { Actor } from '../base/actor.ts'
import type { RecordId } from '../conversation/schema.ts'
import { mimeTypeOf } from '../file/format.ts'
import { sizeOf } from '../file/picture-facts.ts'
import { pictureFormat } from '../file/sniff.ts'
import { type Cms, maxPictureBytes } from './cms.ts'

/**
 * Returns the picture of a media record that the actor may see now; the content decides the type, whatever the CMS
 * says. If there is no picture, returns the reason. `gone`: no such record, or the actor may not see it; `none`: no
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
