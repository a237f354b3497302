import * as z from 'zod'
import { inLanguage } from '../../base/language.ts'
import type { Field, Table } from '../schema.ts'
import { type FieldSpec, TableSpec } from './field.ts'
import data from './tables.json' with { type: 'json' }

/**
 * The tables and fields that the reference CMS knows, and what holds for each of them. Everything that reads or
 * writes a record goes by this list: what is not in it does not exist for anybody.
 */

let known: TableSpec[] | undefined

/** All tables, in the order in which they are listed; those of the system are for administrators alone. */
export function tables(): TableSpec[] {
  known ??= z.array(TableSpec).parse(data)
  return known
}

/** The table of a name, undefined where there is none. */
export function tableNamed(name: string): TableSpec | undefined {
  return tables().find((table) => table.name === name)
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

/** A table as a reader of the port gets it, with the fields named. */
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
