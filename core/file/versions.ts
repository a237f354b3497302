import {
  DeleteObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
} from '@aws-sdk/client-s3'
import { config } from '../base/config.ts'
import { client, remove } from './store.ts'

/** Lists and erases all stored objects of a user, for operators; no function may list or remove versions. */

/** Every object below a prefix, read a page at a time. */
export async function* below(prefix: string): AsyncGenerator<{ key: string; size: number }> {
  let from: string | undefined
  do {
    const answer = await client().send(
      new ListObjectsV2Command({
        Bucket: config().bucket,
        Prefix: prefix,
        ...(from && { ContinuationToken: from }),
      }),
    )
    for (const { Key = '', Size = 0 } of answer.Contents ?? []) yield { key: Key, size: Size }
    from = answer.NextContinuationToken
  } while (from)
}

/**
 * Removes all objects below a prefix with every stored version, also of objects that were removed before. Returns the
 * number of objects.
 */
export async function eraseBelow(prefix: string): Promise<number> {
  let count = 0
  for await (const { key } of below(prefix)) {
    await remove(key)
    count++
  }
  await eraseVersions(prefix)
  return count
}

/** Removes one object with every version of it. */
export async function erase(key: string): Promise<void> {
  await remove(key)
  await eraseVersions(key)
}

async function eraseVersions(prefix: string): Promise<void> {
  const Bucket = config().bucket
  let page: ListObjectVersionsCommandOutput
  do {
    // Lists from the start each time: the versions of the last page are gone.
    page = await client().send(new ListObjectVersionsCommand({ Bucket, Prefix: prefix }))
    for (const { Key, VersionId } of [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])])
      if (Key !== undefined && VersionId !== undefined)
        await client().send(new DeleteObjectCommand({ Bucket, Key, VersionId }))
  } while (page.IsTruncated)
}
