import * as z from 'zod'
import { Value } from '../../cms/schema.ts'
import { FieldName, TableName, Target } from '../schema.ts'
import { writes } from '../tool.ts'

const Part = z
  .strictObject({
    field: FieldName,
    act: z.enum(['change', 'insert', 'remove']),
    at: z
      .string()
      .max(128)
      .describe('id of the part; insert: of the part behind which the new one comes, empty: first'),
    value: z
      .record(FieldName, Value)
      .meta({ of: 'fields' })
      .exactOptional()
      .describe('change: new values by field; insert: the whole new part'),
  })
  .refine(({ act, value }) => (act === 'remove') === (value === undefined), {
    path: ['value'],
    message: 'needed with change and insert, and left out with remove',
  })
  .refine(({ act, at }) => act === 'insert' || at !== '', {
    path: ['at'],
    message: 'name the part by its id',
  })

/** `change_parts`: changes single blocks or rows of a list by their ids, after an approval. */
export const changeParts = writes({
  name: 'change_parts',
  sign: 'pencil',
  words: {
    en: {
      title: 'Change parts of a list',
      did: 'Changed parts of a list',
      doing: 'Changing parts of a list',
      asked: 'Proposed a change of parts',
      heading: {
        one: 'Change parts of {count} field of “{title}”',
        other: 'Change parts of {count} fields of “{title}”',
      },
      stored: {
        one: '{record}: parts of {count} field changed.',
        other: '{record}: parts of {count} fields changed.',
      },
    },
  },
  description:
    'Proposes to change, insert or remove single parts, such as blocks or rows, of a list field of a record; all other parts stay and are not sent.',
  guidance: 'In a list of several parts use change_parts instead of update_record.',
  parameters: z.strictObject({
    table: TableName,
    uid: Target,
    parts: z.array(Part).min(1).max(20),
  }),
  dataClass: 'internal',
  adminOnly: false,
  suits: ({ parts }) => parts,
  write: ({ table, uid, parts }) => ({ table, uid, parts }),
})
