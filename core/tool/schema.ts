import * as z from 'zod'
import type { Sentence } from '../base/languages/sentence.ts'
import { objectOf } from '../base/lazy-schema.ts'
import { Value } from '../cms/schema.ts'
import { Name, TextId } from '../conversation/schema.ts'

/** The maximum number of entries that a list returns: 1 to 100, default 20. */
export const Limit = z.int().min(1).max(100).default(20)

/** The id of a record or page; the schema for the model allows only the type (number or text) that the CMS uses. */
export const Uid = z.union([z.int().positive(), TextId]).meta({ of: 'record' })

/** A record that an earlier call of the same reply creates: `new:1` is the first one. */
const NewRecord = z.string().regex(/^new:[1-9][0-9]{0,2}$/)

/** The id of a record, or a record that the same reply creates. */
export const Target = z.union([z.int().positive(), TextId, NewRecord]).meta({ of: 'target' })

/** The same as `Target`; 0 means no record. */
export const RootTarget = z.union([z.int().min(0), TextId, NewRecord]).meta({ of: 'target' })

/** The guidance of each tool that creates a record: `new:1` is the first record that calls of the reply create. */
export const creating =
  'Propose what belongs together in one reply: new:1 is the first record that the reply creates, copies and translations included, new:2 the second; later calls take it as uid, page or parent.'

/** A state of the CMS; the model's schema lists the possible states. */
export const State = z.string().min(1).max(64).meta({ of: 'state' })

/** An ISO 8601 time with its offset. */
export const Moment = z.iso.datetime({ offset: true }).describe('With the offset of the user’s time zone')

/** The id of the page to begin at; 0 begins above all pages. */
export const Root = z.union([z.int().min(0), TextId]).meta({ of: 'record' })

/** The name of a field; the CMS checks that it exists and may be changed. */
export const FieldName = Name

/** New values of a record, by field. */
export const FieldValues = z
  .record(FieldName, Value)
  .refine((fields) => Object.keys(fields).length > 0, 'name at least one field')
  .meta({ of: 'fields' })
  .describe('Values by field name')

/** The name of a table; the CMS checks that it exists and may be read. */
export const TableName = Name

/** The icons of tools; the interface has a picture for each. */
export const Sign = z.enum([
  'clock',
  'copy',
  'folder',
  'image',
  'info',
  'list',
  'log',
  'page',
  'pencil',
  'plus',
  'record',
  'search',
  'trash',
  'user',
  'warning',
])
export type Sign = z.infer<typeof Sign>

/**
 * The kind of source that a call gives to the answer: its first record (`record`), the records that the answer names
 * (`named`), or a whole list with its number of entries. A history, log, page tree or folder counts as a list.
 */
export const Source = z.enum(['record', 'named', 'list', 'history', 'log', 'tree', 'files'])
export type Source = z.infer<typeof Source>

/** A tool as listed by `GET /status`. */
export const ToolStatus = objectOf(() => ({
  name: z.string(),
  title: z.string(),
  sign: Sign,
  /** The kind of source in the tool's results that an answer can cite; null without one. */
  source: Source.nullable(),
  /** The words for a step that ran, that is running, and that did not run, in the user's language. */
  did: z.string(),
  doing: z.string(),
  asked: z.string(),
  /** The sentence about a stored write; null for a tool that only reads. */
  stored: z.union([z.string(), z.object({ one: z.string(), other: z.string() })]).nullable(),
  writes: z.boolean(),
  available: z.boolean(),
  /** The reason why the user cannot use the tool; null if the tool is available. */
  reason: z.string().nullable(),
}))
export type ToolStatus = z.infer<typeof ToolStatus>

/** The words of the interface for a tool, in one language. */
export type ToolWords = {
  /** The title in lists of tools: `Page content`. */
  title: string
  /** A step that ran: `Read page content`. */
  did: string
  /** A running step: `Reading page content`. */
  doing: string
  /** A step that did not run, or was refused: `Looked for a record`; defaults to `did`. */
  asked?: string
}

/** The additional words for a tool that writes. */
export type WriteWords = ToolWords & {
  /** The heading of the proposal; `{title}` is the record's name, `{count}` the number of changed fields. */
  heading: Sentence
  /** Headings that replace `heading`, by the argument `state`. */
  headings?: Readonly<Record<string, Sentence>>
  /**
   * The sentence after the write is stored. In addition to the heading's placeholders, `{record}` is name and uid,
   * `{page}` the uid of the record's page.
   */
  stored: Sentence
}
