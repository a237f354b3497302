import type { FlattenedBlock, FlattenedField, Payload } from 'payload'
import type { Field, FieldKind } from '../../../core/cms/schema.ts'
import { isUpload, type RecordType, textOf } from './type.ts'

/**
 * A field with its name on the bridge: `group.field` for a field of a group, `field:de` for a field in a further
 * language.
 */
export type NamedField = {
  name: string
  label: string
  /** The path of the value in a document of this locale. */
  path: string[]
  /** The locale in which to read and write the value; undefined on a site with one language. */
  locale: string | undefined
  kind: FieldKind
  isReadOnly: boolean
  /** True if the value is for the default locale, and each further locale has its own value. */
  isTranslated: boolean
  /** True if the rows of the list are the same in every locale, and only values inside them differ. */
  sharesRows: boolean
  field: FlattenedField
}

/** Payload's own fields, which no person fills in. */
const systemFields = new Set('id createdAt updatedAt deletedAt changedBy changedIn sizes'.split(' '))
/** Fields that Payload computes from the file of an upload. */
const uploadFields = new Set(
  'url thumbnailURL filename mimeType filesize width height focalX focalY prefix'.split(' '),
)
const nameable = /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/

/**
 * Returns the locales of a site, the default first. On a site with one language, the only element is undefined.
 */
export function localesOf({ config }: Payload): (string | undefined)[] {
  if (!config.localization) return [undefined]
  const { defaultLocale, localeCodes } = config.localization
  return [defaultLocale, ...localeCodes.filter((code) => code !== defaultLocale)]
}

/** Returns all fields of a type that the bridge can name, the same for every user. */
export function fieldsOf(payload: Payload, type: RecordType): NamedField[] {
  const [first, ...others] = localesOf(payload)
  const computed = isUpload(type) ? uploadFields : new Set()
  return flattenFields(payload, type.config.flattenedFields, { path: [], labels: [], isLocalized: false })
    .flatMap(({ field, path, labels, isLocalized, sharesRows }) => {
      const [name, label] = [path.join('.'), labels.join(' › ')]
      const isTranslated = isLocalized && others.length > 0
      const more = { isReadOnly: isReadOnly(field) || computed.has(name), sharesRows, isTranslated }
      const whole = { name, label, path, locale: first, kind: kindOf(field), field, ...more }
      const inOthers = others.map((locale) => {
        const names = { name: `${name}:${locale}`, label: `${label} (${locale})` }
        return { ...whole, ...names, locale, isTranslated: false }
      })
      return isLocalized ? [whole, ...inOthers] : [whole]
    })
    .filter(({ name }) => nameable.test(name))
}

type Above = { path: string[]; labels: string[]; isLocalized: boolean }

type Flat = Above & Pick<NamedField, 'field' | 'sharesRows'>

function flattenFields(payload: Payload, fields: FlattenedField[], above: Above): Flat[] {
  return fields.flatMap((field) => {
    const isHidden = 'hidden' in field && field.hidden === true
    const isSystem = above.path.length === 0 && systemFields.has(field.name)
    if (isHidden || isSystem || field.type === 'join') return []
    const label = 'label' in field ? textOf(field.label) : ''
    const at = {
      path: [...above.path, field.name],
      labels: [...above.labels, label || field.name],
      isLocalized: above.isLocalized || isLocalized(field),
    }
    if (field.type === 'group' || field.type === 'tab')
      return flattenFields(payload, field.flattenedFields, at)
    const sharesRows = hasRows(field) && !at.isLocalized
    return [{ ...at, field, sharesRows, isLocalized: at.isLocalized || hasLocalized(payload, field) }]
  })
}

/** True if a field has a value of its own in each locale. */
export const isLocalized = (field: FlattenedField) => 'localized' in field && field.localized === true

/**
 * True if a field of a group, of rows or of blocks is localized: the value as a whole then differs by locale. `seen` has
 * the fields so far, because blocks may contain each other.
 */
function hasLocalized(payload: Payload, field: FlattenedField, seen = new Set<FlattenedField>()): boolean {
  if (seen.has(field)) return false
  seen.add(field)
  const list = field.type === 'blocks' ? blocksOf({ payload }, field) : [field]
  const inside = list.flatMap((it) => ('flattenedFields' in it ? it.flattenedFields : []))
  return inside.some((it) => isLocalized(it) || hasLocalized(payload, it, seen))
}

/** Returns the blocks of a field, with the blocks that the site shares among fields. */
export function blocksOf(
  { payload }: { payload: Payload },
  { blocks, blockReferences = [] }: Extract<FlattenedField, { type: 'blocks' }>,
): FlattenedBlock[] {
  const all = [...blocks, ...blockReferences]
  return all.flatMap((it) => (typeof it === 'string' ? payload.blocks[it] : it) ?? []) as FlattenedBlock[]
}

function isReadOnly(field: FlattenedField): boolean {
  const admin = ('admin' in field ? field.admin : undefined) as { readOnly?: boolean } | undefined
  return Boolean(admin?.readOnly) || isVirtual(field)
}

/** True if a field has no value in the database. */
export const isVirtual = (field: FlattenedField): boolean => 'virtual' in field && Boolean(field.virtual)
/** True if the value of a field is a list of rows or blocks, each with fields. */
export const hasRows = ({ type }: FlattenedField): boolean => type === 'array' || type === 'blocks'
/** True if the value of a field is a list. */
export const isMany = (field: FlattenedField): boolean => 'hasMany' in field && field.hasMany === true

/** The kinds of fields by their types in Payload; any other type is a list of blocks. */
export const kinds: Partial<Record<FlattenedField['type'], FieldKind>> = {
  text: 'text',
  email: 'text',
  textarea: 'longtext',
  code: 'longtext',
  number: 'number',
  checkbox: 'boolean',
  date: 'date',
  select: 'select',
  radio: 'select',
  relationship: 'relation',
  upload: 'media',
}

function kindOf(field: FlattenedField): FieldKind {
  if (isMany(field) && (field.type === 'text' || field.type === 'number')) return 'blocks'
  return kinds[field.type] ?? 'blocks'
}

/**
 * Returns the field in the form of the bridge. `mayChange` is the user's right; true in a description for all users.
 */
export function describeField(named: NamedField, mayChange = true): Field {
  const { name, label, kind, field, isReadOnly, isTranslated } = named
  const max = 'maxLength' in field ? field.maxLength : undefined
  const target = targetOf(field)
  return {
    name,
    label,
    kind,
    required: 'required' in field && field.required === true,
    max: max ?? null,
    readOnly: isReadOnly || !mayChange,
    ...(kind === 'select' && { options: optionsOf(field) }),
    ...(typeof target === 'string' && { target }),
    ...(isTranslated && { translated: true }),
    ...('unique' in field && field.unique && { unique: true }),
  }
}

/** Returns the options of a select. */
export function optionsOf(field: FlattenedField): string[] {
  const options = 'options' in field ? field.options : []
  return options.map((option) => (typeof option === 'string' ? option : option.value))
}

/** Returns the collection of a relation, or its collections. */
export const targetOf = (field: FlattenedField): string | string[] | undefined =>
  'relationTo' in field ? field.relationTo : undefined
