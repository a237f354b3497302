import * as z from 'zod'
import { Root, TableName, Target, Uid } from '../schema.ts'
import { writes } from '../tool.ts'

/** `move_record`: another page or another place in the order, after an approval. */
export const moveRecord = writes({
  name: 'move_record',
  sign: 'folder',
  words: {
    en: {
      title: 'Move a record',
      did: 'Moved a record',
      doing: 'Moving a record',
      asked: 'Proposed a move',
      heading: 'Move “{title}”',
      stored: '{record} was moved.',
    },
  },
  description:
    'Proposes another page for a record, or another place among the records of its page. A page takes along all that lies on it.',
  parameters: z
    .strictObject({
      table: TableName,
      uid: Uid,
      page: Target.optional().describe('absent: it stays on its page'),
      after: Root.optional().describe('Record of its table that it comes behind; 0: first; absent: last'),
    })
    .refine(({ page, after }) => page !== undefined || after !== undefined, {
      message: 'give page, after or both',
    }),
  dataClass: 'internal',
  adminOnly: false,
  suits: ({ writes: { place } }) => place.length > 0,
  write: ({ table, uid, page, after }) => ({
    table,
    uid,
    place: {
      ...(page !== undefined && { pid: page }),
      ...(after !== undefined && { after: after === '0' ? 0 : after }),
    },
  }),
})
