import type * as z from 'zod'
import { parsedJson } from '../json.ts'
import * as Log from '../log.ts'
import type { Row } from './table.ts'

/**
 * One declaration per stored noun: each field names its attribute, how it is read and the value where it is missing.
 * From it come the type, the reading, the writing and the names. A value that cannot be read is replaced by the field's
 * empty value and named in the log, so that it takes nothing else down; attributes of later releases are left out.
 */

/** What was read of an attribute; not whole where a part of it could not be understood. */
export type Reading<T> = { value: T; isWhole: boolean }

/** How one attribute is read and written. */
export type Field<T> = {
  attribute: string
  /** The value where the attribute is missing or unreadable. */
  empty: T
  /** A missing attribute is damage, not an older form of the item. */
  isRequired: boolean
  /** A missing value leaves the key out. */
  isOmitted: boolean
  read(stored: unknown): Reading<T>
  write(value: T): unknown
}
type Omitted = { isOmitted: true }

/** Fields by the name that the code has for them. */
export type Fields = Record<string, Field<unknown>>

type ValueOf<F> = F extends Field<infer T> ? T : never

/** The type of an item with these fields. */
export type Of<F extends Fields> = {
  [K in keyof F as F[K] extends Omitted ? never : K]: ValueOf<F[K]>
} & { [K in keyof F as F[K] extends Omitted ? K : never]?: ValueOf<F[K]> | undefined }

/** The fields that a type needs, each of its type: a declaration that `satisfies` it forgets none. */
export type FieldsOf<T> = { [K in keyof T]-?: Field<T[K]> | Field<T[K] | undefined> }

/** What a row says, and as it is stored what could not be read of it, by attribute; undefined for what is missing. */
export type Read<T> = { value: T; unread: Row }

/** A stored noun: its fields, and the ways between its row and its value. */
export type Item<F extends Fields> = {
  noun: string
  /** Number of the form that this release writes. Forms with a later number only add attributes. */
  schema: number
  fields: F
  /** The attribute of each field. */
  attributes: { [K in keyof F]: string }
  /** The value of an item of which nothing is known. */
  empty: Of<F>
  /** The value of a row. Never throws: damage is logged by attribute and replaced by empty values. */
  decode(row: Row): Of<F>
  /** As `decode`, with what could not be read. */
  read(row: Row): Read<Of<F>>
  /** All attributes of a value, and the schema number. */
  encode(value: Of<F>): Row
  /** The attributes of those fields that `changes` names, for an update. */
  changed(changes: Partial<Of<F>>): Row
}

/** Attribute of the schema number, in every stored noun. */
export const schemaAttribute = 'schema'

/** Declares a stored noun. `noun` names it in the log. */
export function item<F extends Fields>(noun: string, schema: number, fields: F): Item<F> {
  const entries = Object.entries(fields)
  const read = (row: Row): Read<Of<F>> => {
    const unread: Row = {}
    const value: Row = {}
    for (const [name, field] of entries) {
      const stored = row[field.attribute]
      const reading = stored === undefined ? missing(field) : field.read(stored)
      if (!reading.isWhole) unread[field.attribute] = stored
      if (!(field.isOmitted && reading.value === undefined)) value[name] = reading.value
    }
    const attributes = Object.keys(unread)
    if (attributes.length > 0)
      Log.warn('A stored item is damaged', {
        noun,
        pk: String(row.pk),
        sk: String(row.sk),
        attributes: attributes.join(' '),
      })
    return { value: value as Of<F>, unread }
  }
  const changed = (changes: Partial<Of<F>>): Row =>
    Object.fromEntries(
      Object.entries(changes).flatMap(([name, value]) => {
        const field = fields[name]
        return field ? [[field.attribute, value === undefined ? undefined : field.write(value)]] : []
      }),
    )
  return {
    noun,
    schema,
    fields,
    attributes: Object.fromEntries(entries.map(([name, { attribute }]) => [name, attribute])) as {
      [K in keyof F]: string
    },
    empty: Object.fromEntries(
      entries.flatMap(([name, field]) => (field.isOmitted ? [] : [[name, field.empty]])),
    ) as Of<F>,
    decode: (row) => read(row).value,
    read,
    encode: (value) => ({ ...changed(value), [schemaAttribute]: schema }),
    changed,
  }
}

const missing = ({ empty, isRequired }: Field<unknown>): Reading<unknown> => ({
  value: empty,
  isWhole: !isRequired,
})

/** A field that a schema reads as a whole. With `absent`, a missing attribute is that value and no damage. */
export function field<T>(attribute: string, schema: z.ZodType<T>, empty: T, isRequired = true): Field<T> {
  return {
    attribute,
    empty,
    isRequired,
    isOmitted: false,
    read: (stored) => {
      const { success, data } = schema.safeParse(stored)
      return success ? { value: data, isWhole: true } : { value: empty, isWhole: false }
    },
    write: (value) => value,
  }
}

/** A field of one plain value. A schema for each of the hundred fields would take longer to make than a request to serve. */
function plain<T>(
  attribute: string,
  is: (stored: unknown) => stored is T,
  empty: T,
  isRequired: boolean,
): Field<T> {
  return {
    attribute,
    empty,
    isRequired,
    isOmitted: false,
    read: (stored) => (is(stored) ? { value: stored, isWhole: true } : { value: empty, isWhole: false }),
    write: (value) => value,
  }
}

const isText = (stored: unknown): stored is string => typeof stored === 'string'
const isNumber = (stored: unknown): stored is number => Number.isFinite(stored)
const isFlag = (stored: unknown): stored is boolean => typeof stored === 'boolean'

/** A text. With `absent`, a missing attribute is that text and no damage. */
export const text = (attribute: string, absent?: string): Field<string> =>
  plain(attribute, isText, absent ?? '', absent === undefined)

/** A number. With `absent`, a missing attribute is that number and no damage. */
export const number = (attribute: string, absent?: number): Field<number> =>
  plain(attribute, isNumber, absent ?? 0, absent === undefined)

/** Yes or no. With `absent`, a missing attribute is that value and no damage. */
export const flag = (attribute: string, absent?: boolean): Field<boolean> =>
  plain(attribute, isFlag, absent ?? false, absent === undefined)

/** A time, ISO 8601. With `absent`, a missing attribute is that text and no damage. */
export function time(attribute: string, absent?: string): Field<string> {
  const isTime = (stored: unknown): stored is string =>
    isText(stored) && (stored === absent || !Number.isNaN(Date.parse(stored)))
  return plain(attribute, isTime, absent ?? new Date(0).toISOString(), absent === undefined)
}

/** One of the values of an enumeration; a value of a later release reads as `empty`. */
export const choice = <T extends string>(attribute: string, schema: z.ZodType<T>, empty: T): Field<T> =>
  field(attribute, schema, empty)

const several = { empty: [], isRequired: false, isOmitted: false }

/** A list whose members are read one by one: those that cannot be read are left out. No damage where it is missing. */
export function list<T>(attribute: string, member: z.ZodType<T>): Field<T[]> {
  return {
    attribute,
    ...several,
    write: (value) => value,
    read: (stored) => {
      if (!Array.isArray(stored)) return { value: [], isWhole: false }
      const members = stored.map((one) => member.safeParse(one))
      return {
        value: members.flatMap(({ success, data }) => (success ? [data as T] : [])),
        isWhole: members.every(({ success }) => success),
      }
    },
  }
}

/** A set of texts; one without members is not stored. No damage where it is missing. */
export function members(attribute: string): Field<string[]> {
  return {
    attribute,
    ...several,
    read: (stored) => {
      const isWhole = stored instanceof Set && [...stored].every(isText)
      return { value: isWhole ? [...stored] : [], isWhole }
    },
    write: (list) => (list.length > 0 ? new Set(list) : undefined),
  }
}

/** A value stored as JSON text, so that no number and no depth that a model comes up with is refused by the table. */
export function json<T>(attribute: string, schema: z.ZodType<T>, empty: T): Field<T> {
  const whole = field(attribute, schema, empty)
  return {
    ...whole,
    read: (stored) => {
      const parsed = parsedJson(stored)
      return parsed === undefined ? { value: empty, isWhole: false } : whole.read(parsed)
    },
    write: (value) => JSON.stringify(value),
  }
}

/** A field that may be missing; undefined then, and where it cannot be read. */
export function optional<T>(of: Field<T>): Field<T | undefined> {
  return {
    ...of,
    empty: undefined,
    isRequired: false,
    read: (stored) => {
      const { value, isWhole } = of.read(stored)
      return isWhole ? { value, isWhole } : { value: undefined, isWhole }
    },
    write: (value) => (value === undefined ? undefined : of.write(value)),
  }
}

/** A field that may be missing: its key is left out then, and where it cannot be read. */
export function omitted<T>(of: Field<T>): Field<T | undefined> & Omitted {
  return { ...optional(of), isOmitted: true }
}
