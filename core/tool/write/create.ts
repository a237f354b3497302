import * as z from 'zod'
import { creating, FieldValues, RootTarget, TableName, Target, Uid } from '../schema.ts'
import { writes } from '../tool.ts'
import { maxBatch } from './fields.ts'

/** `create_page_draft`: creates a hidden page below another page, after an approval. */
export const createPageDraft = writes({
  name: 'create_page_draft',
  sign: 'pencil',
  en: {
    title: 'Create a hidden page',
    did: 'Created a hidden page',
    doing: 'Creating a hidden page',
    asked: 'Proposed a page',
    heading: 'Create hidden page “{title}”',
    stored: 'The hidden page “{title}” was created.',
  },
  description: 'Proposes a new page below another one, hidden.',
  guidance: creating,
  parameters: z.strictObject({
    parent: Target,
    title: z.string().trim().min(1).max(255),
    slug: z.string().trim().min(1).max(255).optional().describe('absent: made from the title'),
  }),
  suits: ({ tree, writes }) => tree?.pages === 'pages' && writes.create.includes('pages'),
  creates: () => true,
  write: ({ parent, title, slug }) => ({
    table: 'pages',
    uid: null,
    place: { pid: parent },
    fields: { title, ...(slug !== undefined && { slug }) },
  }),
})

/** `create_content_draft`: creates a hidden content element on a page, after an approval. */
export const createContentDraft = writes({
  name: 'create_content_draft',
  sign: 'pencil',
  en: {
    title: 'Create a hidden content element',
    did: 'Created hidden content',
    doing: 'Creating hidden content',
    asked: 'Proposed content',
    heading: 'Create hidden content element “{title}”',
    stored: 'The hidden content “{title}” was created on page [{page}].',
  },
  description:
    'Proposes a new content element on a page, hidden. text: paragraphs as HTML (<p>); header: a headline alone; list: plain text, one line per item; html: markup as it is.',
  guidance: creating,
  parameters: z
    .strictObject({
      page: Target,
      type: z.enum(['text', 'header', 'list', 'html']),
      header: z.string().trim().min(1).max(255).optional(),
      body: z.string().min(1).max(50_000).optional(),
    })
    .refine(({ type, header }) => type !== 'header' || header, {
      path: ['header'],
      message: 'an element of type header needs one',
    })
    .refine(({ header, body }) => header || body, {
      path: ['body'],
      message: 'give a body, a header or both',
    }),
  suits: ({ tree, writes }) => tree?.content === 'content' && writes.create.includes('content'),
  creates: () => true,
  write: ({ page, type, header, body }) => ({
    table: 'content',
    uid: null,
    place: { pid: page },
    fields: { type, ...(header !== undefined && { header }), ...(body !== undefined && { body }) },
  }),
})

/** `create_records`: creates records of one table, hidden or as drafts; the user decides on each record. */
export const createRecords = writes({
  name: 'create_records',
  sign: 'plus',
  en: {
    title: 'Create records',
    did: 'Created hidden records',
    doing: 'Creating hidden records',
    asked: 'Proposed new records',
    heading: 'Create “{title}”, hidden',
    stored: '{record} was created, hidden.',
  },
  description:
    'Proposes new records of one table at once, hidden or as drafts, which the user decides row by row.',
  guidance: creating,
  parameters: z.strictObject({
    table: TableName,
    page: RootTarget.optional().describe('Page that they come to, or below; absent: none'),
    records: z.array(FieldValues).min(1).max(maxBatch),
  }),
  suits: ({ writes: { create } }) => create.length > 0,
  creates: () => true,
  split: ({ records, ...place }) => records.map((record) => ({ ...place, records: [record] })),
  write: ({ table, page = 0, records: [fields] }) => ({
    table,
    uid: null,
    place: { pid: page === '0' ? 0 : page },
    fields: fields ?? {},
  }),
})

/** `translate_record`: stores the texts of a record in another language as a draft, after an approval. */
export const translateRecord = writes({
  name: 'translate_record',
  sign: 'copy',
  en: {
    title: 'Translate a record',
    did: 'Translated a record',
    doing: 'Translating a record',
    asked: 'Proposed a translation',
    heading: 'Translate “{title}”',
    stored: '{record} is stored as a translation.',
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
  suits: ({ locales }) => locales !== 'none',
  creates: ({ locales }) => locales === 'record',
  write: ({ table, uid, locale, fields }) => ({ table, uid, locale, fields }),
})

/** `duplicate_record`: creates a hidden copy of a record, placed after the original, after an approval. */
export const duplicateRecord = writes({
  name: 'duplicate_record',
  sign: 'copy',
  en: {
    title: 'Duplicate a record',
    did: 'Duplicated a record',
    doing: 'Duplicating a record',
    asked: 'Proposed a copy',
    heading: 'Duplicate “{title}”, hidden',
    stored: '{record} is the copy, hidden.',
  },
  description:
    'Proposes a copy of one record beside it, as a draft or hidden, with all its fields that this user may write; an address that no two records may share becomes another one. What lies on a page or below it is not copied.',
  guidance: creating,
  parameters: z.strictObject({
    table: TableName,
    uid: Uid,
    fields: FieldValues.optional().describe('Values that the copy has instead'),
  }),
  suits: ({ writes: { create } }) => create.length > 0,
  creates: () => true,
  write: ({ table, uid, fields }) => ({ table, uid: null, copy: uid, ...(fields && { fields }) }),
})
