import type { Translated } from '../../base/language.ts'
import type { FieldKind } from '../schema.ts'

/** The specification of a table and of a field of the reference CMS. */

export type FieldSpec = {
  name: string
  label: Translated
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
  label: Translated
  /** The field that names a record to a person. */
  labelField: string
  /** The field that hides a record or switches it off. */
  hiddenField?: string
  adminOnly: boolean
  readOnly: boolean
  /** Its records come to the site as files: no form makes one. */
  isUploaded?: boolean
  /** Order of a list: by hand, or the newest first. */
  order: 'sorting' | 'newest'
  fields: FieldSpec[]
}
