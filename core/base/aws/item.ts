import type * as z from 'zod'
import { parsedJson } from '../json.ts'
import * as Log from '../log.ts'
import type { Row } from './table.ts'

/**
 * Declares each kind of stored item once; its `noun` names the kind. Each field has its attribute, its reader, and its
 * value for a missing attribute. The type, the decoder, the encoder and the attribute names come from this declaration.
 * A value that cannot be read becomes the field's empty value, and the log names its attribute. The rest of the item
 * stays usable. Attributes of later releases are ignored.
 */

/** The value of an attribute; `isWhole` is false if a part of it could not be read. */
export type ItemReading<T> = { value: T; isWhole: boolean }

/** Reads and writes one attribute. */
export type Field<T> = {
  attribute: string
  /** The value if the attribute is missing or unreadable. */
  empty: T
  /** True if an item without the attribute is damaged; false if older items do not have the attribute. */
  isRequired: boolean
  /** True if an item without the attribute gives a value without this key. */
  isOmitted: boolean
  read(stored: unknown): ItemReading<T>
  write(value: T): unknown
}
type Omitted = { isOmitted: true }

/** Fields by their name in the code. */
export type Fields = Record<string, Field<unknown>>

type ValueOf<F> = F extends Field<infer T> ? T : never

/** The type of the value of an item with these fields. */
export type Of<F extends Fields> = {
  [K in keyof F as F[K] extends Omitted ? never : K]: ValueOf<F[K]>
} & { [K in keyof F as F[K] extends Omitted ? K : never]?: ValueOf<F[K]> | undefined }

/** The fields of a type; a declaration that `satisfies` this type must have all of them. */
export type FieldsOf<T> = { [K in keyof T]-?: Field<T[K]> | Field<T[K] | undefined> }

/**
 * The value of a row, and the stored values that could not be read, by attribute. For a required attribute that is
 * missing, `unread` contains undefined.
 */
export type Read<T> = { value: T; unread: Row }

/** The attribute that holds the schema number of every stored item. */
export const schemaAttribute = 'schema'

/**
 * Declares a kind of stored item: its fields, and the conversion between its row and its value. `noun` is its name in
 * the log.
 */
export function item<F extends Fields>(noun: string, schema: number, fields: F) {
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
    /** Version of the form that this release writes. Later forms only add attributes. */
    schema,
    fields,
    /** The attribute of each field. */
    attributes: Object.fromEntries(entries.map(([name, { attribute }]) => [name, attribute])) as {
      [K in keyof F]: string
    },
    /** The value of an item without any attribute. */
    empty: Object.fromEntries(
      entries.flatMap(([name, field]) => (field.isOmitted ? [] : [[name, field.empty]])),
    ) as Of<F>,
    /** Reads the value of a row. Never throws: a damaged attribute is logged and reads as the field's empty value. */
    decode: (row: Row) => read(row).value,
    /** Works like `decode`, and also returns the values that could not be read. */
    read,
    /** Returns all attributes of a value, and the schema number. */
    encode: (value: Of<F>): Row => ({ ...changed(value), [schemaAttribute]: schema }),
    /** Returns the attributes of the fields in `changes`, for an update. */
    changed,
  }
}

const missing = ({ empty, isRequired }: Field<unknown>): ItemReading<unknown> => ({
  value: empty,
  isWhole: !isRequired,
})

/**
 * Declares a field of one attribute that is stored as it is. `read` returns undefined for a value that it cannot read.
 */
function storedField<T>(
  attribute: string,
  empty: T,
  isRequired: boolean,
  read: (stored: unknown) => T | undefined,
): Field<T> {
  return {
    attribute,
    empty,
    isRequired,
    isOmitted: false,
    read: (stored) => {
      const value = read(stored)
      return value === undefined ? { value: empty, isWhole: false } : { value, isWhole: true }
    },
    write: (value) => value,
  }
}

/** Declares a field that a schema reads as a whole. */
export const field = <T>(attribute: string, schema: z.ZodType<T>, empty: T, isRequired = true): Field<T> =>
  storedField(attribute, empty, isRequired, (stored) => schema.safeParse(stored).data)

// The fields below use no zod schema: building one for each of a hundred plain fields would take longer than a request.

/** Declares a text field. `absent` replaces a missing attribute; without `absent`, a missing attribute is damage. */
export const text = (attribute: string, absent?: string): Field<string> =>
  storedField(attribute, absent ?? '', absent === undefined, textOf)

/** Declares a number field. `absent` replaces a missing attribute; without `absent`, a missing attribute is damage. */
export const number = (attribute: string, absent?: number): Field<number> =>
  storedField(attribute, absent ?? 0, absent === undefined, (stored) =>
    typeof stored === 'number' && Number.isFinite(stored) ? stored : undefined,
  )

/** Declares a boolean field. `absent` replaces a missing attribute; without `absent`, a missing attribute is damage. */
export const flag = (attribute: string, absent?: boolean): Field<boolean> =>
  storedField(attribute, absent ?? false, absent === undefined, (stored) =>
    typeof stored === 'boolean' ? stored : undefined,
  )

/**
 * Declares a field for a time, ISO 8601. `absent` replaces a missing attribute; without `absent`, a missing attribute
 * is damage.
 */
export const time = (attribute: string, absent?: string): Field<string> =>
  storedField(attribute, absent ?? new Date(0).toISOString(), absent === undefined, (stored) => {
    const text = textOf(stored)
    return text === absent || !Number.isNaN(Date.parse(text ?? '')) ? text : undefined
  })

const textOf = (stored: unknown) => (typeof stored === 'string' ? stored : undefined)

/** Declares a field for a value of an enumeration; a value of a later release reads as `empty`. */
export const choice = <T extends string>(attribute: string, schema: z.ZodType<T>, empty: T): Field<T> =>
  field(attribute, schema, empty)

/**
 * Declares a list field that is read member by member; unreadable members are left out. An item without the list is not
 * damaged.
 */
export function list<T>(attribute: string, member: z.ZodType<T>): Field<T[]> {
  return {
    ...storedField<T[]>(attribute, [], false, () => undefined),
    read: (stored) => {
      if (!Array.isArray(stored)) return { value: [], isWhole: false }
      const members = stored.map((one) => member.safeParse(one))
      return {
        value: members.flatMap(({ success, data }) => (success ? [data] : [])),
        isWhole: members.every(({ success }) => success),
      }
    },
  }
}

/** Declares a field for a set of texts; an empty set is not stored. A missing set is no damage. */
export function members(attribute: string): Field<string[]> {
  return {
    ...storedField<string[]>(attribute, [], false, (stored) =>
      stored instanceof Set && [...stored].every((one) => typeof one === 'string') ? [...stored] : undefined,
    ),
    write: (list) => (list.length > 0 ? new Set(list) : undefined),
  }
}

/** Declares a field that is stored as JSON text: the table could refuse a number or a nesting depth of a model. */
export function json<T>(attribute: string, schema: z.ZodType<T>, empty: T): Field<T> {
  return {
    ...storedField(attribute, empty, true, (stored) => {
      const parsed = parsedJson(stored)
      return parsed === undefined ? undefined : schema.safeParse(parsed).data
    }),
    write: (value) => JSON.stringify(value),
  }
}

/** Makes a field optional: its value is undefined if the attribute is missing or unreadable. */
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

/** Makes a field optional: its key is left out if the attribute is missing or unreadable. */
export function omitted<T>(of: Field<T>): Field<T | undefined> & Omitted {
  return { ...optional(of), isOmitted: true }
}
