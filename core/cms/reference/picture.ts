import type { Picture } from '../cms.ts'
import { maxPictureBytes, type ReadFile } from '../media.ts'
import { type Row, textOf } from './item.ts'
import * as Read from './read.ts'
import type { Site } from './site.ts'

/** The key of a medium's file in the bucket of the stage. */
export const keyOf = (row: Row): string =>
  ['fileadmin/media', textOf(row, 'folder'), textOf(row, 'file')].filter(Boolean).join('/')

/** The file of a medium; undefined where there is no such record for the actor. */
export async function picture(
  site: Site,
  { table, uid }: { table: string; uid: number },
  read: ReadFile,
): Promise<Picture | undefined> {
  const row = await Read.readable(site, table, uid)
  if (!row) return undefined
  const isFile = table === 'media' && textOf(row, 'file') !== ''
  const bytes = isFile ? await read(keyOf(row), maxPictureBytes) : undefined
  if (bytes === 'tooLarge') return { state: 'tooLarge' }
  return bytes ? { state: 'there', base64: Buffer.from(bytes).toString('base64') } : { state: 'none' }
}
