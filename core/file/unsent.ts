import type { Key, Write } from '../aws/table.ts'
import { config } from '../stage/config.ts'

/**
 * The files of a user that no conversation has named yet, so that uploads cannot fill the store: a set of their uids,
 * because giving back twice does no harm. A place is taken when a file is announced; it is given back when a message
 * names the file, and when cleanup removes it.
 */
const key = (owner: number): Key => ({ pk: `user#${owner}`, sk: 'unsent' })

/** Takes a place for a file; for the transaction that announces it. Its condition fails at `max` files; null: no limit. */
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

/** Gives the place of a file back; harmless where it has none. */
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
