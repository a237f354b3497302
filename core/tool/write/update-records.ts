import * as z from 'zod'
import { FieldValues, TableName, Uid } from '../schema.ts'
import { writes } from '../tool.ts'

/** The most records that one call may change. */
export const maxBatch = 200

const Change = z.strictObject({ uid: Uid, fields: FieldValues })

/** `update_records`: new values for fields of many records of one table, decided record by record. */
export const updateRecords = writes({
  name: 'update_records',
  sign: 'pencil',
  words: {
    en: {
      title: 'Change many records',
      did: 'Changed records',
      doing: 'Changing records',
      asked: 'Proposed changes',
      heading: { one: 'Change {count} field of “{title}”', other: 'Change {count} fields of “{title}”' },
      stored: { one: '{record}: {count} field changed.', other: '{record}: {count} fields changed.' },
    },
  },
  description:
    'Proposes the same kind of change for many records of one table at once, which the user decides row by row. For a single record use update_record.',
  parameters: z.strictObject({
    table: TableName,
    changes: z
      .array(Change)
      .min(1)
      .max(maxBatch)
      .refine((changes) => new Set(changes.map(({ uid }) => uid)).size === changes.length, {
        message: 'name each record once',
      }),
  }),
  dataClass: 'internal',
  adminOnly: false,
  split: ({ table, changes }) => changes.map((change) => ({ table, changes: [change] })),
  write: ({ table, changes: [change] }) => ({
    table,
    uid: change?.uid ?? 0,
    fields: change?.fields ?? {},
  }),
})
