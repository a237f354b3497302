import { isPermanent } from './stage.ts'

/** Objects that nobody needs for longer than a day: uploads that nobody completed, exports that were downloaded. */
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
