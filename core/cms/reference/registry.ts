import * as z from 'zod'
import { inLanguage, languages } from '../../base/language.ts'
import { version } from '../../base/version.ts'
import type { Capabilities } from '../capabilities.ts'
import { everyKind } from '../put.ts'
import { type Field, FieldKind, levels, type Table } from '../schema.ts'
import type { Value } from './item.ts'
import data from './tables.json' with { type: 'json' }

/**
 * The tables and fields of the reference CMS, and the rules for each. All reads and writes use this list: a table or
 * field outside it does not exist for any user.
 */

let known: TableSpec[] | undefined

/** Returns all tables in display order; system tables are only for administrators. */
export function tables(): TableSpec[] {
  known ??= z.array(TableSpec).parse(data)
  return known
}

/** Returns the table with a name; undefined if no table has it. */
export function tableNamed(name: string): TableSpec | undefined {
  return tables().find((table) => table.name === name)
}

/** Returns the table with a name; throws if no table has it. */
export function tableOf(name: string): TableSpec {
  const table = tableNamed(name)
  if (!table) throw new Error(`There is no table ${name}`)
  return table
}

/** Returns the field of a table; undefined if the table does not have it. */
export function fieldOf(table: TableSpec, name: string): FieldSpec | undefined {
  return table.fields.find((field) => field.name === name)
}

/** Returns a table in the form of the port, with the given fields. */
export function describe(table: TableSpec, fields: FieldSpec[], lang: string, mayModify: boolean): Table {
  return {
    name: table.name,
    label: inLanguage(table.label, lang),
    fields: fields.map((field) => describeField(field, lang, mayModify)),
    mayModify,
  }
}

function describeField(field: FieldSpec, lang: string, mayModify: boolean): Field {
  return {
    name: field.name,
    label: inLanguage(field.label, lang),
    kind: field.kind,
    required: field.required ?? false,
    max: field.max ?? null,
    readOnly: !mayModify || (field.readOnly ?? false),
    ...(field.options && { options: field.options }),
    ...(field.relation && { target: field.relation }),
    ...(field.translated && { translated: true }),
    ...(field.unique && { unique: true }),
  }
}

const isSo = z.boolean().exactOptional()
const Label = z.string().transform((en) => ({ en }))

/** Length limits of texts by kind; an HTML text with its history stays below the size limit of an item. */
const lengths = new Map<FieldKind, number>([
  ['text', 255],
  ['longtext', 2_000],
  ['html', 20_000],
])
/** The initial value of a field by kind; a select starts with its first option, any other kind with null. */
const initials = new Map<FieldKind, Value>([
  ['text', ''],
  ['longtext', ''],
  ['html', ''],
  ['number', 0],
  ['boolean', false],
])
const lists = { languages, levels }

/** A field as `tables.json` specifies it; missing properties get the defaults of its kind. */
export const FieldSpec = z
  .strictObject({
    name: z.string(),
    label: Label,
    kind: FieldKind,
    /** Limit of a text in characters (code points). */
    max: z.int().exactOptional(),
    required: isSo,
    searchable: isSo,
    /** Only for users whose groups name `table:field` in their non-exclude fields. */
    exclude: isSo,
    /** Only for administrators and for the owner of the page. */
    ownerOnly: isSo,
    readOnly: isSo,
    /** The values of a select or list field; `languages` or `levels` names a constant with the values. */
    options: z
      .array(z.string())
      .or(z.literal(['languages', 'levels']).transform((name) => [...lists[name]]))
      .exactOptional(),
    /** Lowest and highest number. */
    range: z.tuple([z.int(), z.int()]).exactOptional(),
    /** The table that the uid of a relation, or each uid of a list, refers to. */
    relation: z.string().exactOptional(),
    /** Several values, separated by commas. */
    list: isSo,
    /** True if each language has its own value; translations share the values of all other fields. */
    translated: isSo,
    /** No two records have the same value. */
    unique: isSo,
  })
  .transform(({ max, ...field }) => {
    const length = max ?? lengths.get(field.kind)
    const initial = field.kind === 'select' ? field.options?.[0] : initials.get(field.kind)
    return { ...field, ...(length !== undefined && { max: length }), initial: initial ?? null }
  })
export type FieldSpec = z.infer<typeof FieldSpec>

/** A table with its fields. */
export const TableSpec = z.strictObject({
  name: z.string(),
  label: Label,
  /** The field that names a record to a person. */
  labelField: z.string(),
  /** The field that hides a record or switches it off. */
  hiddenField: z.string().exactOptional(),
  adminOnly: isSo,
  readOnly: isSo,
  /** True if its records come from uploaded files, so that no form creates them. */
  isUploaded: isSo,
  /** True if some writes, such as a login, do not change the version of a record. */
  isUnversioned: isSo,
  /** Order of a list: manual, or newest first. */
  order: z.literal(['sorting', 'newest']),
  fields: z.array(FieldSpec),
})
export type TableSpec = z.infer<typeof TableSpec>

/** The states that a record can be given. */
export const states = ['visible', 'hidden', 'scheduled'] as const

/** The tables whose records accept every kind of put. */
export const keptTables: readonly string[] = ['pages', 'content', 'news']

/**
 * Returns the capabilities of the reference CMS. Tables that only administrators see are not among its types: a chat
 * never edits them.
 */
export function capabilities(): Capabilities {
  return {
    name: 'Reference CMS',
    version,
    ids: 'number',
    userIds: 'number',
    types: tables()
      .filter(({ adminOnly }) => !adminOnly)
      .map((table) => describe(table, table.fields, 'en', true))
      .map(({ name, label, fields }) => ({ name, label, fields })),
    tree: { pages: 'pages', content: 'content' },
    home: { table: 'pages', uid: 1 },
    locales: 'record',
    states: [...states],
    publishing: { field: 'hidden', states: ['visible', 'scheduled'], draft: null },
    writes: { ...everyKind([...keptTables]), restore: [...keptTables, 'media'] },
    addresses: { origins: [], types: ['pages'] },
    history: true,
    revisions: true,
    locks: false,
    media: true,
    pictures: true,
    log: true,
    exceptions: true,
    users: true,
    abilities: false,
    parts: false,
    compareAndSet: true,
  }
}
