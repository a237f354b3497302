import * as z from 'zod'
import { Value } from '../../cms/schema.ts'
import { FieldName, FieldValues, TableName, Target, Uid } from '../schema.ts'
import { writes } from '../tool.ts'

/** The words that the tools for whole fields share. */
const wordsOfFields = {
  en: {
    heading: { one: 'Change {count} field of “{title}”', other: 'Change {count} fields of “{title}”' },
    stored: { one: '{record}: {count} field changed.', other: '{record}: {count} fields changed.' },
  },
}

/** `update_record`: stores new values for fields of a record, after an approval. */
export const updateRecord = writes({
  name: 'update_record',
  sign: 'pencil',
  en: {
    title: 'Change a record',
    did: 'Changed a record',
    doing: 'Changing a record',
    asked: 'Proposed a change',
    ...wordsOfFields.en,
  },
  description:
    'Proposes new values for fields of a record: only for fields that change, each with its whole new value.',
  parameters: z.strictObject({
    table: TableName,
    uid: Target,
    fields: FieldValues,
  }),
  write: ({ table, uid, fields }) => ({ table, uid, fields }),
})

/** The maximum number of records that one call may change. */
export const maxBatch = 200

const Change = z.strictObject({ uid: Uid, fields: FieldValues })

/** `update_records`: stores new values in many records of one table; the user decides on each record. */
export const updateRecords = writes({
  name: 'update_records',
  sign: 'pencil',
  en: {
    title: 'Change many records',
    did: 'Changed records',
    doing: 'Changing records',
    asked: 'Proposed changes',
    ...wordsOfFields.en,
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
  split: ({ table, changes }) => changes.map((change) => ({ table, changes: [change] })),
  write: ({ table, changes: [change] }) => ({
    table,
    uid: change?.uid ?? 0,
    fields: change?.fields ?? {},
  }),
})

const Edit = z.strictObject({
  field: FieldName,
  find: z
    .string()
    .min(1)
    .max(10_000)
    .describe('As it is stored, with enough around it to be there exactly once'),
  replace: z.string().max(50_000).describe('Empty removes the passage'),
})

/**
 * `replace_text`: replaces passages of long texts after an approval. Each passage must occur exactly once in its text.
 */
export const replaceText = writes({
  name: 'replace_text',
  sign: 'pencil',
  en: {
    title: 'Change passages of a text',
    did: 'Changed passages of a text',
    doing: 'Changing passages of a text',
    asked: 'Proposed a change',
    ...wordsOfFields.en,
  },
  description:
    'Proposes to replace passages in texts of a record, one after the other, and leaves the rest as it is.',
  guidance: 'Where little changes in a long text, use replace_text instead of update_record.',
  parameters: z.strictObject({
    table: TableName,
    uid: Target,
    edits: z.array(Edit).min(1).max(20),
  }),
  write: ({ table, uid, edits }) => ({ table, uid, edits }),
})

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

/** `change_parts`: changes blocks or rows of a list by their ids, after an approval. */
export const changeParts = writes({
  name: 'change_parts',
  sign: 'pencil',
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
  description:
    'Proposes to change, insert or remove single parts, such as blocks or rows, of a list field of a record; all other parts stay and are not sent.',
  guidance: 'In a list of several parts use change_parts instead of update_record.',
  parameters: z.strictObject({
    table: TableName,
    uid: Target,
    parts: z.array(Part).min(1).max(20),
  }),
  suits: ({ parts }) => parts,
  write: ({ table, uid, parts }) => ({ table, uid, parts }),
})

/** `attach_media`: sets a file of the site in a media field of a record, after an approval. */
export const attachMedia = writes({
  name: 'attach_media',
  sign: 'image',
  en: {
    title: 'Attach a picture or file',
    did: 'Attached a file',
    doing: 'Attaching a file',
    asked: 'Proposed a file',
    heading: 'Attach a file to “{title}”',
    stored: '{record} has the file.',
  },
  description:
    'Proposes a file of the site for a field of kind media of a record, such as its picture. find_media finds files.',
  parameters: z.strictObject({
    table: TableName,
    uid: Target,
    field: FieldName,
    file: Uid.describe('Uid of the file'),
  }),
  suits: ({ media }) => media,
  write: ({ table, uid, field, file }) => ({ table, uid, fields: { [field]: file } }),
})
