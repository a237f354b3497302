import type { Actor } from '../actor.ts'
import type { Write } from '../aws/table.ts'
import { config } from '../stage/config.ts'
import * as Item from './item.ts'
import { givePlaceBack } from './unsent.ts'

/**
 * Which conversations name a file, counted without a scan: the file's item keeps their ids in a set. These writes are
 * part of the transaction that stores, edits or removes the messages, so that the set is never behind.
 */

/**
 * Lets a conversation name a file of the actor; for the transaction of a send. A failed condition of
 * the first write means `file.notFound`: the file is gone, or on its way out. Naming it again in the same conversation changes nothing.
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
 * Ends that a conversation names these files; for the transaction of an edit or of the final removal. The caller leaves
 * out what a remaining message of the conversation still names. Files that nothing names any more are then due for
 * cleanup. Has no condition, so that it holds for a file that is gone as well, and a repeat does no harm.
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
      // Whether another conversation still names the file is looked at by cleanup, against the item itself.
      UpdateExpression: 'DELETE conversations :ids SET state_pk = :shard, state_sk = :now',
      ExpressionAttributeValues: {
        ':ids': new Set([conversationId]),
        ':shard': Item.statePk(fileUid),
        ':now': new Date(now).toISOString(),
      },
    },
  }))
}
