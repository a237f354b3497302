import * as z from 'zod'
import { Value } from '../cms/schema.ts'
import { Name, TextId } from '../conversation/schema.ts'
import type { Sentence } from '../languages/sentence.ts'

/** How many entries a list returns: 1-100, 20 when the model does not say. */
export const Limit = z.int().min(1).max(100).default(20).describe('How many at most, 1-100')

/** The id of a record or page; the model is asked for that of the two which its CMS has. */
export const Uid = z.union([z.int().positive(), TextId]).meta({ of: 'record' })

/** One of the states of the CMS, which the schema for the model names. */
export const State = z.string().min(1).max(64).meta({ of: 'state' })

/** A time that a person means, with its offset; in UTC. */
export const Moment = z.iso.datetime({ offset: true }).describe('ISO 8601 with an offset')

/** The id of a page to begin at; 0: above all pages. */
export const Root = z.union([z.int().min(0), TextId]).meta({ of: 'record' })

/** A field by its name; whether it is there and may be changed, the CMS says. */
export const FieldName = Name

/** New values of a record, by field. */
export const FieldValues = z
  .record(FieldName, Value)
  .refine((fields) => Object.keys(fields).length > 0, 'name at least one field')
  .describe('New values by field name')

/** A table by its name; whether it is there and may be read, the CMS says. */
export const TableName = Name.meta({ of: 'table' }).describe(
  'Name of the table, for example pages, content or news',
)

/** The signs that a tool may have; an interface has a picture for each. */
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
 * How an interface names what a call has read as a source of the answer: the first of its records, those of them that
 * the answer names, or as one list, history, log, page tree or folder with its number of entries.
 */
export const Source = z.enum(['record', 'named', 'list', 'history', 'log', 'tree', 'files'])
export type Source = z.infer<typeof Source>

/** What people read of a tool in one language. */
export type ToolWords = {
  /** In lists of tools: `Page content`. */
  title: string
  /** A step that ran: `Read page content`. */
  did: string
  /** The step that runs now: `Reading page content`. */
  doing: string
  /** A step that did not run, or was refused: `Looked for a record`; as `did` when absent. */
  asked?: string
}

/** What people also read of a tool that writes. */
export type WriteWords = ToolWords & {
  /** Over the proposal; `{title}` is the name of the record, `{count}` the number of fields that change. */
  heading: Sentence
  /** When it is stored; beside those of the heading, `{record}` is name and uid, `{page}` the uid of the record's page. */
  stored: Sentence
}
