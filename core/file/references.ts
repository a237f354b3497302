import type { Actor } from '../base/actor.ts'
import * as Table from '../base/aws/table.ts'
import * as Item from './item.ts'

/**
 * Tracks without a scan which conversations name a file: the file's item keeps their ids in a set. The transaction that
 * stores, edits or removes messages includes the writes below, so that the set is always current.
 */

/**
 * Returns the writes by which a conversation refers to a file of the actor, for the transaction of a send. If the
 * condition of the first write fails, the caller must throw `file.notFound`: the file is gone or being removed. A
 * repeated reference changes nothing.
 */
export function claimWrites(
  actor: Actor,
  { fileUid }: { fileUid: number },
  conversationId: string,
): Table.Write[] {
  return [
    Table.assignWrite(Item.key(actor.uid, fileUid), {
      add: { conversations: new Set([conversationId]) },
      set: { state_pk: undefined, state_sk: undefined },
      condition: 'file_state = :stored',
      values: { ':stored': 'stored' },
    }),
    givePlaceBack(actor.uid, fileUid),
  ]
}

/**
 * Removes the conversation's references to these files, for the transaction of an edit or of the final removal. The
 * caller must leave out files that are still named in a remaining message of the conversation. A file without
 * references is then due for cleanup. The writes have no condition, so they also succeed for a missing file, and a
 * repeat does no harm.
 */
export function releaseWrites(
  owner: number,
  fileUids: readonly number[],
  conversationId: string,
  now: number,
): Table.Write[] {
  return [...new Set(fileUids)].map((fileUid) =>
    // Cleanup checks the item itself for references of other conversations.
    Table.assignWrite(Item.key(owner, fileUid), {
      take: { conversations: new Set([conversationId]) },
      set: { state_pk: Item.statePk(fileUid), state_sk: new Date(now).toISOString() },
    }),
  )
}

/**
 * Returns the key of a user's set of files that no conversation has named yet. The limit of the set keeps uploads from
 * filling the store. It is a set of uids, so that a repeated release does no harm. An announced file takes a place. A
 * message that names the file frees the place, and so does cleanup of the file.
 */
const key = (owner: number): Table.Key => ({ pk: `user#${owner}`, sk: 'unsent' })

/**
 * Returns the write that adds a file to its owner's unsent files, for the transaction that registers the upload. The
 * write fails if the owner already has `max` unsent files; null: no limit.
 */
export function takePlace(owner: number, fileUid: number, max: number | null): Table.Write {
  return Table.assignWrite(key(owner), {
    add: { files: new Set([fileUid]) },
    ...(max !== null && {
      condition: 'attribute_not_exists(files) OR size(files) < :max',
      values: { ':max': max },
    }),
  })
}

/** Returns the write that frees the place of a file; harmless if the file has no place. */
export function givePlaceBack(owner: number, fileUid: number): Table.Write {
  return Table.assignWrite(key(owner), { take: { files: new Set([fileUid]) } })
}
