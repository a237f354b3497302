import type { FlattenedBlock, FlattenedField } from 'payload'
import { ToolError } from '../../../core/base/error.ts'
import { isRecord } from '../../../core/base/json.ts'
import { isUndo } from '../../../core/cms/cms.ts'
import { isTree } from '../../../core/cms/lexical.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import { type Acting, asUser } from './acting.ts'
import { describeField, isMany, localesOf, type NamedField, optionsOf, targetOf } from './field.ts'
import { complete, ofMarkdown, toMarkdown, unknownNodes } from './richtext.ts'

/**
 * The value as Payload stores it, for a record that says `present` there. Throws ToolError where the form of the admin panel
 * would not take it.
 */
export async function checkValue(
  acting: Acting,
  named: NamedField,
  value: unknown,
  present: unknown,
): Promise<unknown> {
  const { required, max, kind } = describeField(named)
  const { name, field, locale } = named
  const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0)
  // A further language may lack what the first one needs.
  const isNeeded =
    !isUndo(acting.run ?? '') && required && kind !== 'boolean' && locale === localesOf(acting.payload)[0]
  if (isNeeded && isEmpty) throw new ToolError(`The field ${name} has to have a value.`)
  if (value === null) return null
  const kept = await kinds[kind](acting, named, value)
  if (kept === undefined) throw new ToolError(`The field ${name} takes ${expected(acting, named)}.`)
  if (typeof kept === 'string' && max !== null && [...kept].length > max)
    throw new ToolError(`The field ${name} takes at most ${max} characters; these are ${[...kept].length}.`)
  const unknown = unknownNodes(field, kept)
  if (unknown.length > 0)
    throw new ToolError(`The field ${name} has no nodes of the type ${unknown.join(', ')}.`)
  await refuseUnseen(acting, field, kept, present)
  return kept
}

type Check = (acting: Acting, named: NamedField, value: unknown) => unknown

const isText = (value: unknown) => typeof value === 'string'
const ofWords: Check = (_, __, value) => (isText(value) ? value : undefined)
const ofIds: Check = (_, { field }, value) =>
  everyOne(field, value, (one) => {
    const [target] = targetsOf(targetOf(field), one)
    return target && [targetOf(field)].flat().includes(target.relationTo) ? one : undefined
  })

/** The stored form of a value of each kind; undefined if the value does not fit. */
const kinds: Record<NamedField['kind'], Check> = {
  text: ofWords,
  longtext: ofWords,
  html: ofWords,
  number: (_, __, value) => (Number.isFinite(value) ? value : undefined),
  boolean: (_, __, value) => (typeof value === 'boolean' ? value : undefined),
  date: (_, __, value) =>
    typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? new Date(value).toISOString() : undefined,
  select: (_, { field }, value) =>
    everyOne(field, value, (one) => optionsOf(field).find((option) => option === one)),
  relation: ofIds,
  media: ofIds,
  blocks: parts,
}

/** The value, or each of a list where the field takes several, through a check. */
function everyOne(field: FlattenedField, value: unknown, check: (one: unknown) => unknown): unknown {
  if (!isMany(field)) return check(value)
  const kept = Array.isArray(value) ? value.map(check) : [undefined]
  return kept.includes(undefined) ? undefined : kept
}

const listOf = (value: unknown, fits: (one: unknown) => boolean) =>
  Array.isArray(value) && value.every(fits) ? value : undefined

/** Rich text, rows, blocks, lists and other JSON. */
async function parts(acting: Acting, { field }: NamedField, value: unknown): Promise<unknown> {
  switch (field.type) {
    case 'richText':
      if (typeof value === 'string') return ofMarkdown(field, value)
      return isTree(value) ? complete(value) : undefined
    case 'array':
      return listOf(value, isRecord)
    case 'blocks': {
      const known = blocksOf(acting, field).map(({ slug }) => slug)
      return listOf(value, (it) => isRecord(it) && known.includes(String(it.blockType)))
    }
    case 'text':
      return listOf(value, isText)
    case 'number':
      return listOf(value, Number.isFinite)
    case 'point':
      return listOf(value, Number.isFinite)?.length === 2 ? value : undefined
    default:
      return value
  }
}

const plain: Partial<Record<NamedField['kind'], string>> = {
  text: 'a text',
  longtext: 'a text',
  html: 'a text',
  number: 'a number',
  boolean: 'true or false',
  date: 'a time in ISO 8601',
}

/** The values that a field accepts, in words for the model. */
function expected(acting: Acting, { kind, field }: NamedField): string {
  const target = targetOf(field)
  if (kind === 'select')
    return `${isMany(field) ? 'a list of these' : 'one of these'}: ${optionsOf(field).join(', ')}`
  if (target !== undefined) {
    const one = isText(target)
      ? `the id of ${target}`
      : `{ relationTo, value } of ${[target].flat().join(', ')}`
    return isMany(field) ? `a list of ${one}` : one
  }
  if (field.type === 'richText') return 'the nodes of Lexical ({ root: { children } }), or Markdown'
  if (field.type === 'array') return 'a list of rows'
  if (field.type !== 'blocks') return plain[kind] ?? 'another value'
  const slugs = blocksOf(acting, field).map(({ slug }) => slug)
  return `a list of blocks, each with its blockType: ${slugs.join(', ')}`
}

/** A value as a person reads it in the history; null: it is empty. */
export async function words(field: FlattenedField, value: unknown): Promise<string | null> {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  return (await toMarkdown(field, value)) ?? JSON.stringify(value)
}

/** A record that a value points at. */
type Target = { relationTo: string; id: RecordId }

/** Throws ToolError where a value points at a record that the user does not see, and the `present` value does not. */
async function refuseUnseen(acting: Acting, field: FlattenedField, value: unknown, present: unknown) {
  const name = ({ relationTo, id }: Target) => `${relationTo}:${id}`
  const known = new Set(targetsIn(acting, field, present).map(name))
  const wanted = new Map(targetsIn(acting, field, value).map((target) => [name(target), target]))
  for (const [key, { relationTo, id }] of wanted) {
    if (known.has(key)) continue
    const as = { ...(await asUser(acting)), draft: true, disableErrors: true }
    const isThere = acting.payload.collections[relationTo] !== undefined
    if (!isThere || !(await acting.payload.findByID({ ...as, collection: relationTo, id })))
      throw new ToolError(`There is no record ${id} in ${relationTo}.`)
  }
}

/** The records that a value points at, also inside of rows, blocks and rich text. */
function targetsIn(acting: Acting, field: FlattenedField, value: unknown): Target[] {
  const inside = (fields: FlattenedField[] = [], row: unknown) =>
    isRecord(row) ? fields.flatMap((it) => targetsIn(acting, it, row[it.name])) : []
  switch (field.type) {
    case 'relationship':
    case 'upload':
      return [value].flat().flatMap((one) => targetsOf(field.relationTo, one))
    case 'group':
    case 'tab':
    case 'array':
      return [value].flat().flatMap((row) => inside(field.flattenedFields, row))
    case 'blocks': {
      const known = new Map(blocksOf(acting, field).map((block) => [block.slug, block.flattenedFields]))
      return [value].flat().flatMap((row) => inside(known.get(Object(row).blockType), row))
    }
    case 'richText':
      return nodesIn(value)
    default:
      return []
  }
}

/** The blocks of a field, those that the site shares among fields included. */
function blocksOf(
  { payload }: Acting,
  { blocks, blockReferences }: Extract<FlattenedField, { type: 'blocks' }>,
): FlattenedBlock[] {
  const shared = (blockReferences ?? []).flatMap(
    (it) => (typeof it === 'string' ? payload.blocks[it] : it) ?? [],
  )
  return [...blocks, ...shared] as FlattenedBlock[]
}

function targetsOf(relationTo: unknown, one: unknown): Target[] {
  const [to, id] =
    Array.isArray(relationTo) && isRecord(one) ? [one.relationTo, one.value] : [relationTo, one]
  return typeof to === 'string' && (typeof id === 'number' || typeof id === 'string')
    ? [{ relationTo: to, id }]
    : []
}

/** Pictures, records and links of a rich text: nodes that name a collection beside an id. */
function nodesIn(value: unknown): Target[] {
  if (typeof value !== 'object' || value === null) return []
  const own = isRecord(value) ? targetsOf([], value) : []
  return [...own, ...Object.values(value).flatMap(nodesIn)]
}
