import * as z from 'zod'
import { TableName, Uid } from '../schema.ts'
import { writes } from '../tool.ts'

/** `delete_record`: puts a record into the bin of the CMS, after an approval. */
export const deleteRecord = writes({
  name: 'delete_record',
  sign: 'trash',
  words: {
    en: {
      title: 'Delete a record',
      did: 'Put a record into the bin',
      doing: 'Putting a record into the bin',
      asked: 'Proposed to delete a record',
      heading: 'Put “{title}” into the bin',
      stored: '{record} is in the bin.',
    },
  },
  description:
    'Proposes to put a record into the bin; nothing is ever deleted for good. What is on a page goes with it, pages below a page have to go first.',
  guidance:
    'Use delete_record only when the user asks to delete. To take something out of sight, hide it with set_state.',
  parameters: z.strictObject({ table: TableName, uid: Uid }),
  dataClass: 'internal',
  adminOnly: false,
  suits: ({ writes: { bin } }) => bin.length > 0,
  write: ({ table, uid }) => ({ table, uid, bin: true }),
})
