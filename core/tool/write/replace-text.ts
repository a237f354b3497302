import * as z from 'zod'
import { FieldName, TableName, Target } from '../schema.ts'
import { writes } from '../tool.ts'

const Edit = z.strictObject({
  field: FieldName,
  find: z
    .string()
    .min(1)
    .max(10_000)
    .describe('As it is stored, with enough around it to be there exactly once'),
  replace: z.string().max(50_000).describe('Empty removes the passage'),
})

/** `replace_text`: replaces passages of long texts, each found exactly once, after an approval. */
export const replaceText = writes({
  name: 'replace_text',
  sign: 'pencil',
  words: {
    en: {
      title: 'Change passages of a text',
      did: 'Changed passages of a text',
      doing: 'Changing passages of a text',
      asked: 'Proposed a change',
      heading: { one: 'Change {count} field of “{title}”', other: 'Change {count} fields of “{title}”' },
      stored: { one: '{record}: {count} field changed.', other: '{record}: {count} fields changed.' },
    },
  },
  description:
    'Proposes to replace passages in texts of a record, one after the other, and leaves the rest as it is.',
  guidance: 'Where little changes in a long text, use replace_text instead of update_record.',
  parameters: z.strictObject({
    table: TableName,
    uid: Target,
    edits: z.array(Edit).min(1).max(20),
  }),
  dataClass: 'internal',
  adminOnly: false,
  write: ({ table, uid, edits }) => ({ table, uid, edits }),
})
