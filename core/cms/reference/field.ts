import * as z from 'zod'
import { languages } from '../../base/language.ts'
import { FieldKind, levels } from '../schema.ts'
import type { Value } from './item.ts'

/** The specification of a table and of a field of the reference CMS, as `tables.json` has them. */

const isSo = z.boolean().exactOptional()
const Label = z.string().transform((en) => ({ en }))

/** The longest texts of a kind; a text in HTML with its history stays below what an item may hold. */
const lengths = new Map<FieldKind, number>([
  ['text', 255],
  ['longtext', 2_000],
  ['html', 20_000],
])
/** The value of a new record that gives none, by kind; of a select the first option, of all others null. */
const initials = new Map<FieldKind, Value>([
  ['text', ''],
  ['longtext', ''],
  ['html', ''],
  ['number', 0],
  ['boolean', false],
])
const lists = { languages, levels }

/** A field; what is not given is as usual for its kind. */
export const FieldSpec = z
  .strictObject({
    name: z.string(),
    label: Label,
    kind: FieldKind,
    /** Most characters (code points) of a text. */
    max: z.int().exactOptional(),
    required: isSo,
    searchable: isSo,
    /** Only for users whose groups name `table:field` in their non-exclude fields. */
    exclude: isSo,
    /** Only for administrators and for the owner of the page. */
    ownerOnly: isSo,
    readOnly: isSo,
    /** The values of a select or of a list; the name of a list that the code has stands for it. */
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
    /** Says something else in each language; what all other fields hold, translations have in common. */
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
  /** Its records come to the site as files: no form makes one. */
  isUploaded: isSo,
  /** Order of a list: by hand, or the newest first. */
  order: z.literal(['sorting', 'newest']),
  fields: z.array(FieldSpec),
})
export type TableSpec = z.infer<typeof TableSpec>
