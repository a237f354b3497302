import type { Field, FieldKind, Table } from '../cms.ts'
import { siteTables } from './site-tables.ts'
import { systemTables } from './system-tables.ts'

/**
 * The tables and fields that the reference CMS knows, and what holds for each of them. Everything that reads or
 * writes a record goes by this list: what is not in it does not exist for anybody.
 */

/** A name in the two languages of the interface. */
export type Label = { en: string; de: string }

export type FieldSpec = {
  name: string
  label: Label
  kind: FieldKind
  /** Most characters (code points) of a text. */
  max?: number
  required?: boolean
  searchable?: boolean
  /** Only for users whose groups name `table:field` in their non-exclude fields. */
  exclude?: boolean
  /** Only for administrators and whoever owns the page. */
  ownerOnly?: boolean
  readOnly?: boolean
  options?: string[]
  /** Lowest and highest number. */
  range?: [number, number]
  /** The table that the uid of a relation, or each uid of a list, lies in. */
  relation?: string
  /** Several values, separated by commas. */
  list?: boolean
  /** What a new record has where nothing is given. */
  initial: string | number | boolean | null
}

export type TableSpec = {
  name: string
  label: Label
  /** The field that names a record to a person. */
  labelField: string
  /** The field that hides a record or switches it off. */
  hiddenField?: string
  adminOnly: boolean
  readOnly: boolean
  /** Order of a list: by hand, or the newest first. */
  order: 'sorting' | 'newest'
  fields: FieldSpec[]
}

/** All tables, in the order in which they are listed. */
export const tables: TableSpec[] = [...siteTables, ...systemTables]

/** The table of a name, undefined where there is none. */
export function tableNamed(name: string): TableSpec | undefined {
  return tables.find((table) => table.name === name)
}

/** The table of a name that is known to exist. */
export function tableOf(name: string): TableSpec {
  const table = tableNamed(name)
  if (!table) throw new Error(`There is no table ${name}`)
  return table
}

/** The field of a table, undefined where there is none. */
export function fieldOf(table: TableSpec, name: string): FieldSpec | undefined {
  return table.fields.find((field) => field.name === name)
}

/** A label in the reader's language, English where the language is not known. */
export function labelIn(label: Label, lang: string): string {
  return label[lang === 'de' ? 'de' : 'en']
}

/** A table as a reader of the port gets it, with the fields named. */
export function describe(table: TableSpec, fields: FieldSpec[], lang: string, mayModify: boolean): Table {
  return {
    name: table.name,
    label: labelIn(table.label, lang),
    fields: fields.map((field) => describeField(field, lang, mayModify)),
    mayModify,
  }
}

function describeField(field: FieldSpec, lang: string, mayModify: boolean): Field {
  return {
    name: field.name,
    label: labelIn(field.label, lang),
    kind: field.kind,
    required: field.required ?? false,
    max: field.max ?? null,
    readOnly: !mayModify || (field.readOnly ?? false),
    ...(field.options && { options: field.options }),
  }
}
