import { encryptBucket } from './encryption.ts'
import { isPermanent } from './stage.ts'

/**
 * Folders of objects that are of no use after a day: uploads that were never completed, exports that were downloaded.
 */
const temporaryFolders = ['pending', 'exports']

/**
 * Days for which a permanent stage can bring back a deleted file: one day more than DynamoDB's 35 days of recovery. The
 * table can be restored to any second of these days, and its files still exist then. `docs/deploy.md` and SECURITY.md
 * promise this number.
 */
const restorableDays = 36

/**
 * Rules that remove old versions, which S3 would keep for ever. In a bucket with versions, a deletion or an expiry only
 * adds a delete marker: the old version stays until a rule removes it.
 */
const cleanup = [
  {
    id: 'old-versions',
    status: 'Enabled',
    filter: { prefix: '' },
    noncurrentVersionExpiration: { noncurrentDays: restorableDays },
    expiration: { expiredObjectDeleteMarker: true },
    abortIncompleteMultipartUpload: { daysAfterInitiation: 1 },
  },
  // The texts in `cache` are read again from the files. Left there, a text would outlive an erasure of its user.
  ...[...temporaryFolders, 'cache'].map((folder) => ({
    id: `old-versions-of-${folder}`,
    status: 'Enabled',
    filter: { prefix: `${folder}/` },
    noncurrentVersionExpiration: { noncurrentDays: 1 },
  })),
]

/** The files of the users. The bucket is private: browsers need signed addresses. */
export const bucket = new sst.aws.Bucket('Files', {
  cors: false,
  lifecycle: temporaryFolders.map((folder) => ({ id: folder, prefix: `${folder}/`, expiresIn: '1 day' })),
  // After a restore of the table to an earlier second, the files of that second must be restorable, too.
  versioning: isPermanent,
  transform: {
    bucket: { forceDestroy: !isPermanent },
    lifecycle: (args) => {
      args.rules = $resolve([args.rules]).apply(([rules]) => [...(rules ?? []), ...cleanup])
    },
  },
})

encryptBucket('FilesEncryption', bucket)
