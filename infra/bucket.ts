import { encryptBucket } from './encryption.ts'
import { isPermanent } from './stage.ts'

/** Objects that are of no use after a day: uploads that were never completed, exports that were downloaded. */
const passing = ['pending', 'exports']

/** The files of the users. Private: browsers come with signed addresses only. */
export const bucket = new sst.aws.Bucket('Files', {
  cors: false,
  lifecycle: passing.map((folder) => ({ id: folder, prefix: `${folder}/`, expiresIn: '1 day' })),
  // The table can be restored to any second; its files have to be restorable with it.
  versioning: isPermanent,
  transform: {
    bucket: (args) => {
      args.forceDestroy = !isPermanent
    },
  },
})

encryptBucket('FilesEncryption', bucket)
