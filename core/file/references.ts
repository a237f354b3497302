import type { Actor } from '../base/actor.ts'
import type { Write } from '../base/aws/table.ts'
import { config } from '../base/config.ts'
import * as Item from './item.ts'
import { givePlaceBack } from './unsent.ts'

/**
 * Tracks which conversations name a file without a scan: the file's item keeps their ids in a set. The transaction
 * that stores, edits or removes messages includes these writes, so that the set is always current.
 */

/**
 * The writes with which a conversation names a file of the actor, for the transaction of a send. If the condition of
 * the first write fails, throw `file.notFound`: the file is gone or being removed. Naming a file again in the same
 * conversation changes nothing.
 */
export function claimWrites(actor: Actor, { fileUid }: { fileUid: number }, conversationId: string): Write[] {
  return [
    {
      Update: {
        TableName: config().table,
        Key: Item.key(actor.uid, fileUid),
        UpdateExpression: 'ADD conversations :ids REMOVE state_pk, state_sk',
        ConditionExpression: 'file_state = :stored',
        ExpressionAttributeValues: { ':ids': new Set([conversationId]), ':stored': 'stored' },
      },
    },
    givePlaceBack(actor.uid, fileUid),
  ]
}

/**
 * Removes the conversation's references to these files, for the transaction of an edit or of the final removal. The
 * caller leaves out files that a remaining message of the conversation names. A file without references is then due
 * for cleanup. The writes have no condition, so they also succeed for a missing file, and a repeat does no harm.
 */
export function releaseWrites(
  owner: number,
  fileUids: readonly number[],
  conversationId: string,
  now: number,
): Write[] {
  return [...new Set(fileUids)].map((fileUid) => ({
    Update: {
      TableName: config().table,
      Key: Item.key(owner, fileUid),
      // Cleanup checks the item itself for references of other conversations.
      UpdateExpression: 'DELETE conversations :ids SET state_pk = :shard, state_sk = :now',
      ExpressionAttributeValues: {
        ':ids': new Set([conversationId]),
        ':shard': Item.statePk(fileUid),
        ':now': new Date(now).toISOString(),
      },
    },
  }))
}
