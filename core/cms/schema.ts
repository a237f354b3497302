import * as z from 'zod'
import { objectOf, strictObjectOf } from '../base/lazy-schema.ts'
import { FieldChange, RecordId, TextId } from '../conversation/schema.ts'

/** A page. `path` has the titles from the root page down to the page itself. */
export const Page = objectOf(() => ({
  uid: RecordId,
  title: z.string(),
  slug: z.string(),
  /** Paths at which visitors open the page, each beginning with `/`, the canonical path first. */
  addresses: z.array(z.string()).default([]),
  parent: RecordId,
  hidden: z.boolean(),
  language: z.int(),
  path: z.array(z.object({ uid: RecordId, title: z.string() })),
  mayEdit: z.boolean(),
  changedAt: z.iso.datetime(),
  changedBy: z.string().nullable(),
}))
export type Page = z.infer<typeof Page>

/** A language of the site; `id` is the number of the language in records. */
export const Language = objectOf(() => ({ id: z.int(), title: z.string(), locale: z.string() }))
export type Language = z.infer<typeof Language>

/** A page in the tree; `depth` counts from the requested page: 1 is directly below it. */
export const TreePage = objectOf(() => ({
  uid: RecordId,
  title: z.string(),
  parent: RecordId,
  depth: z.int(),
  hidden: z.boolean(),
  hasChildren: z.boolean(),
  mayEdit: z.boolean(),
}))
export type TreePage = z.infer<typeof TreePage>

/** The kind of control that a field needs. */
export const FieldKind = z.enum([
  'text',
  'longtext',
  /** Formatted text as HTML. */
  'html',
  /** A list of parts of different kinds, in the form of the CMS. */
  'blocks',
  'number',
  'boolean',
  'date',
  /** One of the `options`. */
  'select',
  'relation',
  /** A file or picture of the CMS. */
  'media',
])
export type FieldKind = z.infer<typeof FieldKind>

/** A field of a table as a form needs it, labelled in the reader's language. */
export const Field = objectOf(() => ({
  name: z.string(),
  label: z.string(),
  kind: FieldKind,
  required: z.boolean(),
  /** The maximum number of code points; null: no maximum of its own. */
  max: z.int().nullable(),
  readOnly: z.boolean(),
  options: z.array(z.string()).optional(),
  /** True if no two records may have the same value, so that a copy needs another value. */
  unique: z.boolean().optional(),
  /** The table that a relation refers to, if the CMS names it. */
  target: z.string().optional(),
  /** True if the field has a separate value in each language. */
  translated: z.boolean().optional(),
}))
export type Field = z.infer<typeof Field>

/** A table with its fields, as the reader may see them. */
export const Table = objectOf(() => ({
  name: z.string(),
  label: z.string(),
  fields: z.array(Field),
  mayModify: z.boolean(),
}))
export type Table = z.infer<typeof Table>

/** The value of a field: any JSON. The reference CMS has only numbers, booleans and text. */
export const Value = z.lazy(() =>
  z.union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(z.unknown()),
    z.record(z.string(), z.unknown()),
  ]),
)
export type Value = z.infer<typeof Value>

/** A record as the actor may see it: values by field name, in the order of the table's fields. */
export const CmsRecord = objectOf(() => ({
  table: z.string(),
  uid: RecordId,
  pid: RecordId,
  /** The title that names the record to a person: its label field, or `[uid]`. */
  title: z.string(),
  hidden: z.boolean(),
  language: z.int(),
  fields: z.record(z.string(), Value),
  /** Paths at which visitors open it, each beginning with `/`, the canonical one first. */
  addresses: z.array(z.string()).default([]),
  changedAt: z.iso.datetime(),
  /** Opaque; differs after every change. */
  version: z.string(),
  mayEdit: z.boolean(),
  /** The reason, for a model, why a copy would differ from its original; absent if the record may be copied. */
  copyRefusal: z.string().optional(),
}))
export type CmsRecord = z.infer<typeof CmsRecord>

/** A change of a record, with the user who made it. */
export const HistoryEntry = objectOf(() => ({
  at: z.iso.datetime(),
  user: z.string(),
  action: z.enum(['add', 'modify', 'move', 'delete', 'undelete']),
  changes: z.array(FieldChange),
  /** The run of the chat that made the change, or null. */
  correlationId: z.string().nullable(),
  /** Identifies the state after this change, if `record` can return that state. */
  revision: z.string().optional(),
}))
export type HistoryEntry = z.infer<typeof HistoryEntry>

/** The levels from lowest to highest; a query for a level includes all higher levels. */
export const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical'] as const
/** A level of the log. */
export const LogLevel = z.enum(levels)
export type LogLevel = z.infer<typeof LogLevel>

/** An entry of the log, with its exception if there was one. */
export const LogEntry = objectOf(() => ({
  uid: z.int(),
  at: z.iso.datetime(),
  level: LogLevel,
  component: z.string(),
  message: z.string(),
  user: z.string().nullable(),
  exception: z
    .object({
      class: z.string(),
      code: z.int(),
      file: z.string(),
      line: z.int(),
      trace: z.string(),
      /** The number of times that the same exception happened. */
      count: z.int(),
    })
    .optional(),
}))
export type LogEntry = z.infer<typeof LogEntry>

const number = (max: number, least = 0) =>
  z
    .string()
    .regex(/^(0|[1-9][0-9]{0,15})$/)
    .transform(Number)
    .pipe(z.int().min(least).max(max))
    .meta({ minimum: least, maximum: max })
const textId = z.lazy(() => TextId.regex(/[^0-9.-]/))
/** The id of a record as text in an address. */
export const uid = z.lazy(() => number(Number.MAX_SAFE_INTEGER, 1).or(textId))
const tableName = z.lazy(() => z.string().regex(/^[a-z][a-z0-9_]{0,63}$/))

/** Query for the page tree that a backend shows: the whole tree, or the part below one page. */
export const PagesQuery = strictObjectOf(() => ({
  root: number(Number.MAX_SAFE_INTEGER).or(textId).default(0),
}))
/** Pages in the order of the tree. */
export const PagesAnswer = objectOf(() => ({ pages: z.array(TreePage) }))
export type PagesAnswer = z.infer<typeof PagesAnswer>

/** One page by its uid. */
export const PageQuery = strictObjectOf(() => ({ uid }))
/** A page, its content elements (also hidden ones), and the languages that elements can have. */
export const PageAnswer = objectOf(() => ({
  page: Page,
  content: z.array(CmsRecord),
  languages: z.array(Language),
}))
export type PageAnswer = z.infer<typeof PageAnswer>

/** Asks for all tables. */
export const TablesQuery = strictObjectOf(() => ({}))
/** The tables that the reader may select. */
export const TablesAnswer = objectOf(() => ({ tables: z.array(Table) }))
export type TablesAnswer = z.infer<typeof TablesAnswer>

/** Query for a part of a table, optionally only for records on `page`. 50 records by default, at most 100. */
export const RecordsQuery = strictObjectOf(() => ({
  table: tableName,
  page: uid.optional(),
  limit: number(100, 1).default(50),
  offset: number(1_000_000).default(0),
}))
/** A part of a table's records; `total` counts all records that the reader may see. */
export const RecordsAnswer = objectOf(() => ({ table: Table, records: z.array(CmsRecord), total: z.int() }))
export type RecordsAnswer = z.infer<typeof RecordsAnswer>

/** The query for one record. */
export const RecordQuery = strictObjectOf(() => ({ table: tableName, uid }))
/** A record with its table, its page if it has one, and its latest changes. */
export const RecordAnswer = objectOf(() => ({
  table: Table,
  record: CmsRecord,
  page: Page.nullable(),
  history: z.array(HistoryEntry),
}))
export type RecordAnswer = z.infer<typeof RecordAnswer>

const RecordFields = z.lazy(() =>
  z.record(z.string().max(64), z.union([z.string().max(200_000), z.number(), z.boolean(), z.null()])),
)

/** A new record on a page; it is always made hidden. */
export const RecordDraft = strictObjectOf(() => ({
  table: tableName,
  pid: RecordId.refine((pid) => pid !== 0),
  fields: RecordFields,
}))
export type RecordDraft = z.infer<typeof RecordDraft>

/** A change of a record; refused if the record has changed since the form was filled. */
export const RecordEdit = strictObjectOf(() => ({
  table: tableName,
  uid,
  version: z.string().min(1).max(200),
  fields: RecordFields,
}))
export type RecordEdit = z.infer<typeof RecordEdit>

/** Query for entries of a level and higher; returns 100 entries by default, at most 500. */
export const LogQuery = strictObjectOf(() => ({
  level: LogLevel.default('info'),
  limit: number(500, 1).default(100),
}))
/** Log entries, newest first; empty for users who may not read the log. */
export const LogAnswer = objectOf(() => ({ entries: z.array(LogEntry) }))
export type LogAnswer = z.infer<typeof LogAnswer>
