import * as z from 'zod'
import { TableName, Uid } from '../schema.ts'
import { writes } from '../tool.ts'

/** `restore_version`: restores an earlier content of a record, after an approval. */
export const restoreVersion = writes({
  name: 'restore_version',
  sign: 'clock',
  words: {
    en: {
      title: 'Restore an earlier version',
      did: 'Restored an earlier version',
      doing: 'Restoring an earlier version',
      asked: 'Proposed an earlier version',
      heading: { one: 'Put {count} field of “{title}” back', other: 'Put {count} fields of “{title}” back' },
      stored: { one: '{record}: {count} field put back.', other: '{record}: {count} fields put back.' },
    },
  },
  description:
    'Proposes to put the content of a record back as it was at an earlier version; its state and its place stay. get_record_history names the versions.',
  parameters: z.strictObject({
    table: TableName,
    uid: Uid,
    version: z.string().min(1).max(200),
  }),
  dataClass: 'internal',
  adminOnly: false,
  suits: ({ writes: { restore } }) => restore.length > 0,
  write: ({ table, uid, version }) => ({ table, uid, revision: version }),
})
