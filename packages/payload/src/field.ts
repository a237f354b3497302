import type { FlattenedField, Payload } from 'payload'
import type { Field, FieldKind } from '../../../core/cms/schema.ts'
import { flattened, type RecordType, textOf } from './type.ts'

/** A field as the bridge names it: one of a group is `group.field`, one in a further language `field:de`. */
export type NamedField = {
  name: string
  label: string
  /** The path of the value in a document of this locale. */
  path: string[]
  /** The locale to read and write it in; undefined on a site with one language. */
  locale: string | undefined
  kind: FieldKind
  isReadOnly: boolean
  /** Its value is that of the default locale, and each further locale has its own. */
  isTranslated: boolean
  field: FlattenedField
}

/** Fields that Payload keeps beside the fields of a person. */
const systemFields = new Set(['id', 'createdAt', 'updatedAt', 'deletedAt', 'changedBy', 'changedIn', 'sizes'])
/** Fields that Payload computes from the file of an upload. */
const uploadFields = new Set(
  'url thumbnailURL filename mimeType filesize width height focalX focalY prefix'.split(' '),
)
const nameable = /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/

/** The locales of a site, the default first; undefined alone on a site with one language. */
export function localesOf({ config }: Payload): (string | undefined)[] {
  if (!config.localization) return [undefined]
  const { defaultLocale, localeCodes } = config.localization
  return [defaultLocale, ...localeCodes.filter((code) => code !== defaultLocale)]
}

/** All fields of a type that the bridge names, the same for every user. */
export function fieldsOf(payload: Payload, type: RecordType): NamedField[] {
  const [first, ...others] = localesOf(payload)
  const isUpload = !type.isGlobal && Boolean(type.config.upload)
  return flattenFields(flattened(type), [], [], false)
    .flatMap(({ field, path, labels, isLocalized }) => {
      const named = {
        name: path.join('.'),
        label: labels.join(' › '),
        path,
        locale: first,
        kind: kindOf(field),
        isReadOnly:
          isReadOnly(field) || (isUpload && path.length === 1 && uploadFields.has(path[0] as string)),
        isTranslated: isLocalized && others.length > 0,
        field,
      }
      if (!isLocalized) return [named]
      return [
        named,
        ...others.map((code) => ({
          ...named,
          name: `${named.name}:${code}`,
          label: `${named.label} (${code})`,
          locale: code,
          isTranslated: false,
        })),
      ]
    })
    .filter(({ name }) => nameable.test(name))
}

type FlatField = { field: FlattenedField; path: string[]; labels: string[]; isLocalized: boolean }

function flattenFields(
  fields: FlattenedField[],
  above: string[],
  labelsAbove: string[],
  isInLocalized: boolean,
): FlatField[] {
  return fields.flatMap((field): FlatField[] => {
    const isHidden = 'hidden' in field && field.hidden === true
    if (isHidden || field.type === 'join' || (above.length === 0 && systemFields.has(field.name))) return []
    const path = [...above, field.name]
    const label = 'label' in field ? textOf(field.label) : ''
    const labels = [...labelsAbove, label || field.name]
    const isLocalized = isInLocalized || ('localized' in field && field.localized === true)
    if (field.type === 'group' || field.type === 'tab')
      return flattenFields(field.flattenedFields, path, labels, isLocalized)
    return [{ field, path, labels, isLocalized: isLocalized || hasLocalized(field) }]
  })
}

/** True if a field of rows or blocks has a localized field inside, so that its value differs by locale. */
function hasLocalized(field: FlattenedField): boolean {
  const inside =
    field.type === 'array'
      ? field.flattenedFields
      : field.type === 'blocks'
        ? field.blocks.flatMap((block) => ('flattenedFields' in block ? block.flattenedFields : []))
        : []
  return inside.some((it) => ('localized' in it && it.localized === true) || hasLocalized(it))
}

function isReadOnly(field: FlattenedField): boolean {
  const admin = ('admin' in field ? field.admin : undefined) as { readOnly?: boolean } | undefined
  return Boolean(admin?.readOnly) || ('virtual' in field && Boolean(field.virtual))
}

const kinds: Partial<Record<FlattenedField['type'], FieldKind>> = {
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
  const isList = 'hasMany' in field && field.hasMany === true
  if (isList && (field.type === 'text' || field.type === 'number')) return 'blocks'
  return kinds[field.type] ?? 'blocks'
}

/** The field as the bridge describes it. `mayChange` is the user's right; true for what holds for all users. */
export function describeField(
  { name, label, kind, field, isReadOnly, isTranslated }: NamedField,
  mayChange = true,
): Field {
  const max = 'maxLength' in field ? field.maxLength : undefined
  const target = 'relationTo' in field && typeof field.relationTo === 'string' ? field.relationTo : undefined
  return {
    name,
    label,
    kind,
    required: 'required' in field && field.required === true,
    max: max ?? null,
    readOnly: isReadOnly || !mayChange,
    ...(kind === 'select' && { options: optionsOf(field) }),
    ...(target !== undefined && { target }),
    ...(isTranslated && { translated: true }),
    ...('unique' in field && field.unique && { unique: true }),
  }
}

/** The options of a select. */
export function optionsOf(field: FlattenedField): string[] {
  const options = 'options' in field ? field.options : []
  return options.map((option) => (typeof option === 'string' ? option : option.value))
}

/** The value at a path. */
export function valueAt(document: Record<string, unknown>, path: string[]): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[step] : undefined,
    document,
  )
}

/** Puts a value at a path, making the groups above it. */
export function putAt(document: Record<string, unknown>, path: string[], value: unknown): void {
  const [step, ...below] = path as [string, ...string[]]
  if (below.length === 0) {
    document[step] = value
    return
  }
  const group = (document[step] ?? {}) as Record<string, unknown>
  document[step] = group
  putAt(group, below, value)
}
