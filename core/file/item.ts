import * as z from 'zod'
import type { Key, Row } from '../aws/table.ts'

/**
 * How a file lies in the table. Access patterns: one file of a user (`user#<uid>`, `file#<fileUid>`), all files of a
 * user, and files that wait for cleanup (`byState`, `file#<0-3>` by the time from which on they are due). A file that a
 * conversation names is in no index; the item of one that none names any more is put back into it.
 */

const Item = z.object({
  pk: z.string().regex(/^user#[0-9]+$/),
  file_uid: z.int(),
  name: z.string(),
  mime_type: z.string(),
  size_bytes: z.int(),
  file_state: z.enum(['pending', 'stored', 'removing']),
  object_key: z.string(),
  sha256: z.string().optional(),
  /** The version of a direct upload that was checked; nothing else is ever copied. */
  checked_etag: z.string().optional(),
  /** Ids of the conversations that name the file; the set vanishes with its last member. */
  conversations: z.set(z.string()).optional(),
  created_at: z.iso.datetime(),
  state_sk: z.string().optional(),
})

/** A file as the service knows it. `stored`: of use; `pending`: announced, or being stored; `removing`: on its way out. */
export type File = {
  owner: number
  fileUid: number
  name: string
  mimeType: string
  size: number
  state: 'pending' | 'stored' | 'removing'
  objectKey: string
  /** Of the content, lower-case hex; undefined while pending. */
  sha256: string | undefined
  checkedEtag: string | undefined
  conversations: string[]
  createdAt: string
  /** From when on cleanup removes the file; undefined while a conversation names it. */
  dueAt: string | undefined
}

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

/** Where the text of a document is kept, whoever uploaded it. */
export const extractKey = (sha256: string): string => `cache/extract/${sha256}.json`

/** The row of a file. */
export function encode(file: File): Row & Key {
  return {
    ...key(file.owner, file.fileUid),
    file_uid: file.fileUid,
    name: file.name,
    mime_type: file.mimeType,
    size_bytes: file.size,
    file_state: file.state,
    object_key: file.objectKey,
    sha256: file.sha256,
    checked_etag: file.checkedEtag,
    conversations: file.conversations.length > 0 ? new Set(file.conversations) : undefined,
    created_at: file.createdAt,
    state_pk: file.dueAt && statePk(file.fileUid),
    state_sk: file.dueAt,
  }
}

/** The file of a row. */
export function decode(row: Row): File {
  const item = Item.parse(row)
  return {
    owner: Number(item.pk.slice('user#'.length)),
    fileUid: item.file_uid,
    name: item.name,
    mimeType: item.mime_type,
    size: item.size_bytes,
    state: item.file_state,
    objectKey: item.object_key,
    sha256: item.sha256,
    checkedEtag: item.checked_etag,
    conversations: [...(item.conversations ?? [])],
    createdAt: item.created_at,
    dueAt: item.state_sk,
  }
}
