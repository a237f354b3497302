import * as z from 'zod'
import { FieldName, TableName, Target, Uid } from '../schema.ts'
import { writes } from '../tool.ts'

/** `attach_media`: a file of the site for a media field of a record, after an approval. */
export const attachMedia = writes({
  name: 'attach_media',
  sign: 'image',
  words: {
    en: {
      title: 'Attach a picture or file',
      did: 'Attached a file',
      doing: 'Attaching a file',
      asked: 'Proposed a file',
      heading: 'Attach a file to “{title}”',
      stored: '{record} has the file.',
    },
  },
  description:
    'Proposes a file of the site for a field of kind media of a record, such as its picture. find_media finds files.',
  parameters: z.strictObject({
    table: TableName,
    uid: Target,
    field: FieldName,
    file: Uid.describe('Uid of the file'),
  }),
  dataClass: 'internal',
  adminOnly: false,
  suits: ({ media }) => media,
  write: ({ table, uid, field, file }) => ({ table, uid, fields: { [field]: file } }),
})
