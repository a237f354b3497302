import {
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
} from '@aws-sdk/client-s3'
import { config } from '../../core/base/config.ts'
import { client } from '../../core/file/store.ts'

/** The folder of users' files. */
const filePrefix = 'fileadmin/'

/**
 * Restores the files that were deleted since that time, in milliseconds since the epoch. The bucket keeps the versions
 * of a deleted file behind a delete marker, which this removes. Answers the number of files.
 */
export async function restoreFiles(since: number, isDryRun: boolean): Promise<number> {
  const Bucket = config().bucket
  let count = 0
  let next: Pick<ListObjectVersionsCommandOutput, 'NextKeyMarker' | 'NextVersionIdMarker'> = {}
  for (;;) {
    const page = await client().send(
      new ListObjectVersionsCommand({
        Bucket,
        Prefix: filePrefix,
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
