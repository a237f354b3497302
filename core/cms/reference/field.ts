import type { English } from '../../base/language.ts'
import type { FieldKind } from '../schema.ts'

/** The specification of a table and of a field of the reference CMS. */

export type FieldSpec = {
  name: string
  label: English
  kind: FieldKind
  /** Most characters (code points) of a text. */
  max?: number
  required?: boolean
  searchable?: boolean
  /** Only for users whose groups name `table:field` in their non-exclude fields. */
  exclude?: boolean
  /** Only for administrators and for the owner of the page. */
  ownerOnly?: boolean
  readOnly?: boolean
  options?: string[]
  /** Lowest and highest number. */
  range?: [number, number]
  /** The table that the uid of a relation, or each uid of a list, refers to. */
  relation?: string
  /** Several values, separated by commas. */
  list?: boolean
  /** Says something else in each language; what all other fields hold, translations have in common. */
  translated?: boolean
  /** No two records have the same value. */
  unique?: boolean
  /** The value of a new record that gives none. */
  initial: string | number | boolean | null
}

export type TableSpec = {
  name: string
  label: English
  /** The field that names a record to a person. */
  labelField: string
  /** The field that hides a record or switches it off. */
  hiddenField?: string
  adminOnly?: boolean
  readOnly?: boolean
  /** Its records come to the site as files: no form makes one. */
  isUploaded?: boolean
  /** Order of a list: by hand, or the newest first. */
  order: 'sorting' | 'newest'
  fields: FieldSpec[]
}

type More = Partial<Omit<FieldSpec, 'name' | 'label' | 'kind'>>

/** A maker of fields of one kind; `usual` is what they have in common. */
const making =
  (usual: Pick<FieldSpec, 'kind' | 'initial'> & More) =>
  (name: string, en: string, more: More = {}): FieldSpec => ({
    name,
    label: { en },
    ...usual,
    ...more,
  })

/** A field of one line of text. */
export const text = making({ kind: 'text', max: 255, initial: '' })
/** A field of plain text over several lines. */
export const longtext = making({ kind: 'longtext', max: 2_000, initial: '' })
/** A field of formatted text. Its limit keeps a record with its history below what an item may hold. */
export const html = making({ kind: 'html', max: 20_000, initial: '' })
/** A field of a whole number. */
export const number = making({ kind: 'number', initial: 0 })
/** A switch. */
export const flag = making({ kind: 'boolean', initial: false })
/** A field of a moment, ISO 8601 in UTC, or null. */
export const moment = making({ kind: 'date', initial: null })
/** A field of the uid of a record of the table `relation`, or null. */
export const relation = making({ kind: 'relation', initial: null })
/** A field of the uid of a file of the site, or null. */
export const medium = making({ kind: 'media', relation: 'media', initial: null })
/** A field of several values, separated by commas: uids of `relation`, or the `options` named. */
export const list = making({ kind: 'text', list: true, max: 1_000, initial: '' })

/** A field of one of a few values; the first is what a new record has. */
export const select = (name: string, en: string, options: string[], more: More = {}): FieldSpec =>
  making({ kind: 'select', options, initial: options[0] ?? '' })(name, en, more)
