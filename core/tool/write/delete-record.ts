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

/** `undelete_record`: brings a record back from the bin of the CMS, after an approval. */
export const undeleteRecord = writes({
  name: 'undelete_record',
  sign: 'clock',
  words: {
    en: {
      title: 'Bring a record back',
      did: 'Brought a record back from the bin',
      doing: 'Bringing a record back from the bin',
      asked: 'Proposed to bring a record back',
      heading: 'Bring “{title}” back from the bin',
      stored: '{record} is back from the bin.',
    },
  },
  description:
    'Proposes to bring a record back from the bin to where it was, by the table and uid under which it was deleted; no other tool reads what is in the bin.',
  parameters: z.strictObject({ table: TableName, uid: Uid }),
  dataClass: 'internal',
  adminOnly: false,
  publishes: true,
  suits: ({ writes: { bin } }) => bin.length > 0,
  write: ({ table, uid }) => ({ table, uid, bin: false }),
})
