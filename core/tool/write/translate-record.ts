import * as z from 'zod'
import { creating, FieldValues, TableName, Target } from '../schema.ts'
import { writes } from '../tool.ts'

/** `translate_record`: the texts of a record in another language, as a draft beside it, after an approval. */
export const translateRecord = writes({
  name: 'translate_record',
  sign: 'copy',
  words: {
    en: {
      title: 'Translate a record',
      did: 'Translated a record',
      doing: 'Translating a record',
      asked: 'Proposed a translation',
      heading: 'Translate “{title}”',
      stored: '{record} is stored as a translation.',
    },
  },
  description:
    'Proposes a translation of a page or another record into a language of the site, as a draft beside the original. Translate each text that describe_table marks as translated, with its markup. A page and the elements on it are records of their own: call it for each.',
  guidance: creating,
  parameters: z.strictObject({
    table: TableName,
    uid: Target,
    locale: z.string().min(1).max(35).describe('Of the translation, for example de'),
    fields: FieldValues,
  }),
  dataClass: 'internal',
  adminOnly: false,
  suits: ({ locales }) => locales !== 'none',
  creates: ({ locales }) => locales === 'record',
  write: ({ table, uid, locale, fields }) => ({ table, uid, locale, fields }),
})
