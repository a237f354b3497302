import * as z from 'zod'
import { creating, FieldValues, TableName, Uid } from '../schema.ts'
import { writes } from '../tool.ts'

/** `duplicate_record`: a hidden copy of a record behind it, after an approval. */
export const duplicateRecord = writes({
  name: 'duplicate_record',
  sign: 'copy',
  words: {
    en: {
      title: 'Duplicate a record',
      did: 'Duplicated a record',
      doing: 'Duplicating a record',
      asked: 'Proposed a copy',
      heading: 'Duplicate “{title}”, hidden',
      stored: '{record} is the copy, hidden.',
    },
  },
  description:
    'Proposes a copy of one record beside it, as a draft or hidden, with all its fields that this user may write; an address that no two records may share becomes another one. What lies on a page or below it is not copied.',
  guidance: creating,
  parameters: z.strictObject({
    table: TableName,
    uid: Uid,
    fields: FieldValues.optional().describe('Values that the copy has instead'),
  }),
  dataClass: 'internal',
  adminOnly: false,
  suits: ({ writes: { create } }) => create.length > 0,
  creates: () => true,
  write: ({ table, uid, fields }) => ({ table, uid: null, copy: uid, ...(fields && { fields }) }),
})
