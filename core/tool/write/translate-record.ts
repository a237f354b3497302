import * as z from 'zod'
import { FieldValues, TableName, Uid } from '../schema.ts'
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
    de: {
      title: 'Datensatz übersetzen',
      did: 'Datensatz übersetzt',
      doing: 'Übersetzt einen Datensatz',
      asked: 'Übersetzung vorgeschlagen',
      heading: '„{title}“ übersetzen',
      stored: '{record} ist als Übersetzung gespeichert.',
    },
  },
  description:
    'Proposes a translation of a page or another record into a language of the site. The original stays as it is; the translation is a draft beside it. Read the record with get_record first, and translate each of its texts, with its markup; describe_table says which fields are translated. A page and the elements on it are records of their own: call it for each. The user sees original and translation side by side and approves or denies; only then is it stored.',
  parameters: z.strictObject({
    table: TableName,
    uid: Uid.describe('Uid of the original'),
    locale: z
      .string()
      .min(1)
      .max(35)
      .describe('Language of the translation, as the languages of the site are named, for example de'),
    fields: FieldValues.describe('The translated texts by field name, as in the original'),
  }),
  dataClass: 'internal',
  adminOnly: false,
  suits: ({ locales }) => locales !== 'none',
  write: ({ table, uid, locale, fields }) => ({ table, uid, locale, fields }),
})
