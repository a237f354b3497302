import {
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3'
import { indexes } from '../base/aws/indexes.ts'
import type { Key } from '../base/aws/table.ts'
import * as Table from '../base/aws/table.ts'
import { config } from '../base/config.ts'
import * as Item from './item.ts'
import { givePlaceBack } from './references.ts'
import * as Store from './store.ts'

/** Removes files permanently: files that no conversation names, or all files of a user. */

/**
 * Returns files that are due for removal, at most `limit`, the oldest first in each shard. A file is due if nobody
 * completed and sent it within a day, or if no conversation names it. Removes a file from the index if a conversation names
 * it.
 */
export async function due(now: number, limit: number): Promise<Key[]> {
  const keys: Key[] = []
  for (let shard = 0; shard < Item.shards && keys.length < limit; shard++)
    keys.push(...(await waitingKeys(Item.statePk(shard), now, limit - keys.length)))
  if (keys.length === 0) return []
  const rows = await Table.rowsOf(keys)
  const found: Key[] = []
  for (const [at, key] of keys.entries()) {
    const row = rows[at]
    if (!row) continue
    if (row.conversations === undefined) found.push(key)
    else await unlist(key)
  }
  return found
}

/** Removes a file permanently: objects, extracted text, then the item. False if a conversation names it after all. */
export async function remove(key: Key, now: number): Promise<boolean> {
  const row = await Table.assigned(key, {
    set: { file_state: 'removing' },
    condition: 'attribute_not_exists(conversations) AND state_sk <= :now',
    values: { ':now': new Date(now).toISOString() },
  })
  if (!row) return false
  const objects = typeof row.object_key === 'string' ? objectsOf(Item.decode(row)) : []
  await Store.remove(...objects)
  const condition = { condition: 'file_state = :removing', values: { ':removing': 'removing' } }
  const [, owner, fileUid] = /^user#([0-9]+) file#([0-9]+)$/.exec(`${key.pk} ${key.sk}`) ?? []
  const { done } = await Table.transact([
    Table.removeWrite(key, condition),
    givePlaceBack(Number(owner), Number(fileUid)),
  ])
  return done
}

function objectsOf(file: Item.File): string[] {
  const keys = [file.objectKey, Item.pendingKey(file.owner, file.fileUid)]
  return file.sha256 ? [...keys, Item.extractKey(file.sha256), Item.pagesKey(file.sha256)] : keys
}

async function waitingKeys(shard: string, now: number, limit: number): Promise<Key[]> {
  const { rows } = await Table.query({
    IndexName: indexes.byState.name,
    KeyConditionExpression: 'state_pk = :shard AND state_sk <= :now',
    ExpressionAttributeValues: { ':shard': shard, ':now': new Date(now).toISOString() },
    Limit: limit,
  })
  return rows.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) }))
}

async function unlist(key: Key): Promise<void> {
  const set = { state_pk: undefined, state_sk: undefined }
  await Table.assign(key, { set, condition: 'attribute_exists(conversations)' })
}

/** Yields every object below a prefix, read a page at a time. */
export async function* below(prefix: string): AsyncGenerator<{ key: string; size: number }> {
  const pages = paginateListObjectsV2({ client: Store.client() }, { Bucket: config().bucket, Prefix: prefix })
  for await (const { Contents = [] } of pages)
    for (const { Key = '', Size = 0 } of Contents) yield { key: Key, size: Size }
}

/**
 * Removes all objects below a prefix with every stored version, including versions of deleted objects. Returns the
 * number of objects. Only operators may list and remove versions; no function has this right.
 */
export async function eraseBelow(prefix: string): Promise<number> {
  let count = 0
  for await (const { key } of below(prefix)) {
    await Store.remove(key)
    count++
  }
  await eraseVersions(prefix)
  return count
}

/** Removes one object with every version of it. */
export async function erase(key: string): Promise<void> {
  await Store.remove(key)
  await eraseVersions(key)
}

async function eraseVersions(prefix: string): Promise<void> {
  const Bucket = config().bucket
  let page: ListObjectVersionsCommandOutput
  do {
    // Lists from the start each time: the versions of the last page are gone.
    page = await Store.client().send(new ListObjectVersionsCommand({ Bucket, Prefix: prefix }))
    for (const { Key, VersionId } of [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])])
      if (Key !== undefined && VersionId !== undefined)
        await Store.client().send(new DeleteObjectCommand({ Bucket, Key, VersionId }))
  } while (page.IsTruncated)
}
