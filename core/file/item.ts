import * as z from 'zod'
import { choice, item, members, number, type Of, optional, text, time } from '../aws/item.ts'
import type { Key, Row } from '../aws/table.ts'

/**
 * The stored form of a file. Access patterns: one file of a user (`user#<uid>`, `file#<fileUid>`), all files of a user,
 * and files that wait for cleanup (`byState`, `file#<0-3>`, sorted by the time from which they are due). A file is in
 * the index only while no conversation names it.
 */

/** How a file is stored, apart from its key. */
export const codec = item('file', 1, {
  fileUid: number('file_uid'),
  name: text('name'),
  mimeType: text('mime_type'),
  size: number('size_bytes'),
  /** `stored`: of use; `pending`: announced, or being stored; `removing`: on its way out, as one of unknown state. */
  state: choice('file_state', z.enum(['pending', 'stored', 'removing']), 'removing'),
  objectKey: text('object_key'),
  /** Of the content, lower-case hex; undefined while pending. */
  sha256: optional(text('sha256')),
  /** The version of a direct upload that was checked; nothing else is ever copied. */
  checkedEtag: optional(text('checked_etag')),
  /** Ids of the conversations that name the file. */
  conversations: members('conversations'),
  createdAt: time('created_at'),
  /** From when on cleanup removes the file; undefined while a conversation names it. */
  dueAt: optional(time('state_sk')),
})

/** A file as the service knows it. */
export type File = Of<typeof codec.fields> & { owner: number }

/** Key of a file: below its owner. */
export const key = (owner: number, fileUid: number): Key => ({
  pk: `user#${owner}`,
  sk: `file#${fileUid}`,
})

/** Spreads the files that wait over four partitions of the index. */
export const shards = 4
/** Partition of `byState` for files. */
export const statePk = (fileUid: number): string => `file#${fileUid % shards}`

/** Where a direct upload arrives; nothing ever reads from there but the check. */
export const pendingKey = (owner: number, fileUid: number): string => `pending/${owner}/${fileUid}`

/** The folder of a user's files, with a slash at the end. */
export const folderOf = (owner: number): string => `fileadmin/ai-chat/${owner}/`

/** Where a file lies for good; `name` is a cleaned one. */
export const objectKey = (owner: number, fileUid: number, name: string): string =>
  `${folderOf(owner)}${fileUid}/${name}`

/** Key of the text of a document, the same for every user who uploads it. */
export const extractKey = (sha256: string): string => `cache/extract/${sha256}.json`

/** The row of a file. */
export function encode(file: File): Row & Key {
  return {
    ...key(file.owner, file.fileUid),
    ...codec.encode(file),
    state_pk: file.dueAt && statePk(file.fileUid),
  }
}

/** The file of a row. Never throws: one of which the object is not known is on its way out. */
export function decode(row: Row): File {
  const { value, unread } = codec.read(row)
  const owner = Number(String(row.pk).slice('user#'.length))
  const fileUid = Number(String(row.sk).slice('file#'.length))
  if (!('object_key' in unread)) return { ...value, owner, fileUid }
  if ('name' in unread) return { ...value, owner, fileUid, state: 'removing' }
  return { ...value, owner, fileUid, objectKey: objectKey(owner, fileUid, value.name) }
}
