import type { Key, Write } from '../base/aws/table.ts'
import { config } from '../base/config.ts'

/**
 * Key of the files of a user that no conversation has named yet, limited so that uploads cannot fill the store. It is
 * a set of uids, so that a repeated release does no harm. An announced file takes a place. A message that names the
 * file frees the place, and so does its cleanup.
 */
const key = (owner: number): Key => ({ pk: `user#${owner}`, sk: 'unsent' })

/**
 * The write that takes a place for a file, for the transaction that announces it. Its condition fails at `max` files;
 * null: no limit.
 */
export function takePlace(owner: number, fileUid: number, max: number | null): Write {
  return {
    Update: {
      TableName: config().table,
      Key: key(owner),
      UpdateExpression: 'ADD files :files',
      ...(max !== null && { ConditionExpression: 'attribute_not_exists(files) OR size(files) < :max' }),
      ExpressionAttributeValues: { ':files': new Set([fileUid]), ...(max !== null && { ':max': max }) },
    },
  }
}

/** The write that frees the place of a file; harmless if it has none. */
export function givePlaceBack(owner: number, fileUid: number): Write {
  return {
    Update: {
      TableName: config().table,
      Key: key(owner),
      UpdateExpression: 'DELETE files :files',
      ExpressionAttributeValues: { ':files': new Set([fileUid]) },
    },
  }
}
