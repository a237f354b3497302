import { isDeepStrictEqual } from 'node:util'
import * as S3 from '@aws-sdk/client-s3'
import { userDataPrefix } from '../../core/base/aws/indexes.ts'
import * as Table from '../../core/base/aws/table.ts'
import { config } from '../../core/base/config.ts'
import { codec } from '../../core/chat/user-data/work-record.ts'
import { client } from '../../core/file/store.ts'
import { UsageError } from '../command.ts'

/** The rows of a restored table to copy into the table of the stage. */
type WantedRows = {
  /** The table that AWS has restored, and the table of the stage from which AWS restored it. */
  from: string
  to: string
  /** Restores only the rows of this partition, and also replaces its rows that differ. */
  partition?: string | undefined
  isDryRun: boolean
  /** Milliseconds since the epoch: rows that have expired by then are not restored. */
  now: number
}

/** The counts of a restore: rows read, missing rows restored, and rows replaced. */
export type Found = { looked: number; missing: number; replaced: number }

/**
 * True for rows that must not be restored: access that was ended or revoked stays ended, and the stage keeps its
 * settings.
 */
const isPassing = ({ pk, sk }: Table.Key) =>
  pk === 'stage' || /^((session|throttle)$|(idempotency|access-token|connection|ticket)#)/.test(sk)

const perRequest = 100

/**
 * Restores missing rows of the stage's table with the same keys. Existing rows stay; only with a named partition it
 * also replaces the rows that differ. It is safe to repeat. It skips a row that another writer has created meanwhile.
 * `tell` gets the counts after each page of the table.
 */
export async function restoreRows(
  wanted: WantedRows,
  tell: (found: Found) => void = () => {},
): Promise<Found> {
  const { from, partition, now } = wanted
  const found: Found = { looked: 0, missing: 0, replaced: 0 }
  for await (const page of Table.pages({ TableName: from, ...(partition && only(partition)) })) {
    const rows = (page as WholeRow[]).filter((row) => !isPassing(row) && !isOver(row, now))
    for (const some of Table.chunks(rows, perRequest)) await restoreSome(some, wanted, found)
    tell(found)
  }
  return found
}

/** Throws UsageError if a named table does not exist, or if it has `key`, a row of another table. */
export async function refuseOther(from: string, key: Table.Key, meant: string): Promise<void> {
  const row = await Table.get(key, from).catch((error: Error) => {
    if (error.name !== 'ResourceNotFoundException') throw error
    throw new UsageError(`There is no table ${from} in the account and the region of this stage.`)
  })
  if (row) throw new UsageError(`${from} is another table: it has the row ${key.pk}. Name ${meant}.`)
}

type WholeRow = Table.Row & Table.Key

/** Restores those of the given rows that are missing in the table, and counts them. */
async function restoreSome(
  rows: WholeRow[],
  { to, partition, isDryRun }: WantedRows,
  found: Found,
): Promise<void> {
  const own = await Table.batch(rows.map(({ pk, sk }) => ({ table: to, key: { pk, sk } })))
  for (const [place, row] of rows.entries()) {
    found.looked++
    const stored = own[place]
    if (stored && (!partition || isDeepStrictEqual(stored, row))) continue
    // The condition fails if a missing row has been created meanwhile.
    const options = stored ? {} : { condition: 'attribute_not_exists(pk)' }
    if (isDryRun || (await Table.put(row, options, to))) found[stored ? 'replaced' : 'missing']++
  }
}

const only = (partition: string) => ({
  FilterExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': partition },
})

/** True if the row has expired. `expires_at`, which DynamoDB reads as well, is in seconds. */
const isOver = ({ expires_at }: Table.Row, now: number) =>
  typeof expires_at === 'number' && expires_at * 1_000 <= now

/**
 * Returns the users with an erasure that ended after `since` or has no end: their restored data has to be erased again.
 */
export async function erasedSince(since: number): Promise<number[]> {
  const uids = new Set<number>()
  const filter = {
    FilterExpression: 'begins_with(pk, :record) AND begins_with(sk, :erase)',
    ExpressionAttributeValues: { ':record': userDataPrefix, ':erase': 'erase#' },
  }
  for await (const page of Table.pages(filter))
    for (const { uid, endedAt } of page.map((row) => codec.decode(row)))
      if (endedAt === undefined || Date.parse(endedAt) >= since) uids.add(uid)
  return [...uids]
}

/** The prefix of users' files. */
const filePrefix = 'fileadmin/'

/**
 * Restores the files that existed at `since`, in milliseconds since the epoch, and were deleted later. The bucket keeps
 * the versions of a deleted file under a delete marker, which this function removes. Returns the number of files.
 */
export async function restoreFiles(since: number, isDryRun: boolean): Promise<number> {
  const Bucket = config().bucket
  // The versions of a file come after its delete marker, perhaps on the next page.
  const markers = new Map<string, string>()
  let count = 0
  let next: Pick<S3.ListObjectVersionsCommandOutput, 'NextKeyMarker' | 'NextVersionIdMarker'> = {}
  for (;;) {
    const { NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = next
    const asked = { Bucket, Prefix: filePrefix, KeyMarker, VersionIdMarker }
    const page = await client().send(new S3.ListObjectVersionsCommand(asked))
    for (const { Key, VersionId, IsLatest, LastModified } of page.DeleteMarkers ?? [])
      if (IsLatest && Key && VersionId && !isBefore(LastModified, since)) markers.set(Key, VersionId)
    for (const { Key = '', LastModified } of page.Versions ?? []) {
      const VersionId = markers.get(Key)
      if (!VersionId || !isBefore(LastModified, since)) continue
      markers.delete(Key)
      if (!isDryRun) await client().send(new S3.DeleteObjectCommand({ Bucket, Key, VersionId }))
      count++
    }
    if (!page.IsTruncated) return count
    next = page
  }
}

const isBefore = (moment: Date | undefined, since: number) => (moment?.getTime() ?? 0) < since
