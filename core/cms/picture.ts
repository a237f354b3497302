import type { Actor } from '../base/actor.ts'
import type { RecordId } from '../conversation/schema.ts'
import { mimeTypeOf } from '../file/format.ts'
import { sizeOf } from '../file/picture-facts.ts'
import { pictureFormat } from '../file/sniff.ts'
import { type Cms, maxPictureBytes } from './cms.ts'

/**
 * The picture of a record of media, as the actor may see it at this moment; its content decides its type, whatever the CMS
 * calls it. Otherwise the reason why there is nothing to see. `gone`: no such record, or none that the actor may see;
 * `none`: it is no picture, or in no format that models see, whatever its name says.
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
