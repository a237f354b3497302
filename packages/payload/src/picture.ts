import type { Picture } from '../../../core/cms/cms.ts'
import { maxPictureBytes } from '../../../core/cms/media.ts'
import type { Input } from '../../../core/cms/operation.ts'
import { type Acting, requestOf } from './acting.ts'
import { mainOf, seeOne } from './record.ts'
import { isUpload, type RecordType, typeNamed } from './type.ts'

/** The types of picture that models see. */
const shown = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

type File = { filename: string; filesize: number }

/** The file of a record of an upload collection, in its largest size that may be sent; undefined: there is no such record for this user. */
export async function picture(
  acting: Acting,
  { table, uid }: Input<'picture'>,
): Promise<Picture | undefined> {
  const type = typeNamed(acting, table)
  const seen = type && (await seeOne(acting, type, uid))
  if (!seen) return undefined
  const { sizes, ...original } = mainOf(seen)
  const files = [original, ...Object.values(Object(sizes) as object)].flatMap(fileOf)
  if (files.length === 0) return { state: 'none' }
  const fitting = files
    .filter(({ filesize }) => filesize <= maxPictureBytes)
    .sort((one, other) => other.filesize - one.filesize)
  for (const { filename } of fitting) {
    const bytes = await read(acting, type, filename)
    if (bytes && bytes.length <= maxPictureBytes)
      return { state: 'there', base64: Buffer.from(bytes).toString('base64') }
  }
  return { state: fitting.length === 0 ? 'tooLarge' : 'none' }
}

function fileOf(value: unknown): File[] {
  const { filename, filesize, mimeType } = Object(value)
  const isShown = typeof filename === 'string' && shown.includes(mimeType)
  return isShown && typeof filesize === 'number' ? [{ filename, filesize }] : []
}

/**
 * Reads a file as the site serves it to this user: through its access functions, and from where the site stores files.
 * Undefined where it answers with anything but the file.
 */
async function read(acting: Acting, type: RecordType, filename: string): Promise<Uint8Array | undefined> {
  const endpoints = (isUpload(type) && type.config.endpoints) || []
  const serve = endpoints.find(({ method, path }) => method === 'get' && path === '/file/:filename')
  const req = await requestOf(acting)
  req.routeParams = { collection: type.slug, filename }
  try {
    const response = await serve?.handler(req)
    if (response?.status === 200) return new Uint8Array(await response.arrayBuffer())
    await response?.body?.cancel()
  } catch (cause) {
    acting.payload.logger.warn({ err: cause, msg: `A picture of ${type.slug} could not be read` })
  }
  return undefined
}
