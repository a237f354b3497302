import * as z from 'zod'
import {
  choice,
  item,
  json,
  members,
  number,
  type Of,
  omitted,
  optional,
  text,
  time,
} from '../base/aws/item.ts'
import type { Key, Row } from '../base/aws/table.ts'
import { FileUse } from './document/schema.ts'

/**
 * The stored form of a file. Access patterns: one file of a user (`user#<uid>`, `file#<fileUid>`), all files of a user,
 * and files that wait for cleanup (`byState`, `file#<0-3>`). The last are sorted by the time from which they are due.
 * The index contains a file only while no conversation names it.
 */

/** Encodes and decodes a file without its key. */
export const codec = item('file', 1, {
  fileUid: number('file_uid'),
  name: text('name'),
  mimeType: text('mime_type'),
  size: number('size_bytes'),
  /** `stored`: usable; `pending`: announced or being stored; `removing`: being removed, or unreadable. */
  state: choice('file_state', z.enum(['pending', 'stored', 'removing']), 'removing'),
  objectKey: text('object_key'),
  /** SHA-256 of the content, lower-case hex; undefined while pending. */
  sha256: optional(text('sha256')),
  /** The checked version of a direct upload; only this version is ever copied. */
  checkedEtag: optional(text('checked_etag')),
  /** Ids of the conversations that name the file. */
  conversations: members('conversations'),
  /** The use that the last turn with the file made of it. */
  use: omitted(json<FileUse | undefined>('last_use', FileUse, undefined)),
  createdAt: time('created_at'),
  /** Time from which cleanup removes the file; undefined while a conversation names it. */
  dueAt: optional(time('state_sk')),
})

/** A stored file and its owner. */
export type File = Of<typeof codec.fields> & { owner: number }

/** Returns the key of a file, in the partition of its owner. */
export const key = (owner: number, fileUid: number): Key => ({
  pk: `user#${owner}`,
  sk: `file#${fileUid}`,
})

/** Number of index partitions that share the waiting files. */
export const shards = 4
/** Returns the partition of `byState` for files. */
export const statePk = (fileUid: number): string => `file#${fileUid % shards}`

/** Returns the object key under which a direct upload arrives; only the check reads from there. */
export const pendingKey = (owner: number, fileUid: number): string => `pending/${owner}/${fileUid}`

/** Returns the folder of a user's files, with a slash at the end. */
export const folderOf = (owner: number): string => `fileadmin/ai-chat/${owner}/`

/** Returns the final object key of a file; `name` must be cleaned. */
export const objectKey = (owner: number, fileUid: number, name: string): string =>
  `${folderOf(owner)}${fileUid}/${name}`

/** Returns the object key of the text of a document, the same for every user who uploads it. */
export const extractKey = (sha256: string): string => `cache/extract/${sha256}.json`

/** Returns the object key of the pictures of a PDF's pages. */
export const pagesKey = (sha256: string): string => `cache/extract/${sha256}-pages.json`

/** Returns the row of a file. */
export function encode(file: File): Row & Key {
  return {
    ...key(file.owner, file.fileUid),
    ...codec.encode(file),
    state_pk: file.dueAt && statePk(file.fileUid),
  }
}

/** Reads the file of a row. Never throws: a file without a readable object key counts as being removed. */
export function decode(row: Row): File {
  const { value, unread } = codec.read(row)
  const owner = Number(String(row.pk).slice('user#'.length))
  const fileUid = Number(String(row.sk).slice('file#'.length))
  if (!('object_key' in unread)) return { ...value, owner, fileUid }
  if ('name' in unread) return { ...value, owner, fileUid, state: 'removing' }
  return { ...value, owner, fileUid, objectKey: objectKey(owner, fileUid, value.name) }
}
