import {
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
} from '@aws-sdk/client-s3'
import { client } from '../../core/file/store.ts'
import { config } from '../../core/stage/config.ts'

/** Where the files of users are. */
const prefix = 'fileadmin/'

/**
 * Brings back the files that were deleted since, in milliseconds since the epoch: the store keeps the versions of a
 * deleted file, and a mark in front of them, which is removed. Answers how many there were.
 */
export async function restoreFiles(since: number, isDryRun: boolean): Promise<number> {
  const Bucket = config().bucket
  let count = 0
  let next: Pick<ListObjectVersionsCommandOutput, 'NextKeyMarker' | 'NextVersionIdMarker'> = {}
  for (;;) {
    const page = await client().send(
      new ListObjectVersionsCommand({
        Bucket,
        Prefix: prefix,
        ...(next.NextKeyMarker !== undefined && { KeyMarker: next.NextKeyMarker }),
        ...(next.NextVersionIdMarker !== undefined && { VersionIdMarker: next.NextVersionIdMarker }),
      }),
    )
    for (const { Key, VersionId, IsLatest, LastModified } of page.DeleteMarkers ?? []) {
      if (!IsLatest || !Key || !VersionId || (LastModified?.getTime() ?? 0) < since) continue
      if (!isDryRun) await client().send(new DeleteObjectCommand({ Bucket, Key, VersionId }))
      count++
    }
    if (!page.IsTruncated) return count
    next = page
  }
}
