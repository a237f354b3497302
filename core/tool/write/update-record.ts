import * as z from 'zod'
import { FieldValues, TableName, Target } from '../schema.ts'
import { writes } from '../tool.ts'

/** `update_record`: new values for fields of a record, after an approval. */
export const updateRecord = writes({
  name: 'update_record',
  sign: 'pencil',
  words: {
    en: {
      title: 'Change a record',
      did: 'Changed a record',
      doing: 'Changing a record',
      asked: 'Proposed a change',
      heading: { one: 'Change {count} field of “{title}”', other: 'Change {count} fields of “{title}”' },
      stored: { one: '{record}: {count} field changed.', other: '{record}: {count} fields changed.' },
    },
  },
  description:
    'Proposes new values for fields of a record: only for fields that change, each with its whole new value.',
  parameters: z.strictObject({
    table: TableName,
    uid: Target,
    fields: FieldValues,
  }),
  dataClass: 'internal',
  adminOnly: false,
  write: ({ table, uid, fields }) => ({ table, uid, fields }),
})
