import type { FlattenedField } from 'payload'
import { ToolError } from '../../../core/base/error.ts'
import { isRecord } from '../../../core/base/json.ts'
import { isTree } from '../../../core/cms/lexical.ts'
import type { Acting } from './acting.ts'
import { describeField, localesOf, type NamedField, optionsOf } from './field.ts'
import { blocksOf, refuseUnseen } from './relation.ts'
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
  const isNeeded = required && kind !== 'boolean' && locale === localesOf(acting.payload)[0]
  if (isNeeded && isEmpty) throw new ToolError(`The field ${name} has to have a value.`)
  if (value === null) return null
  const kept = await kinds[kind](acting, named, value)
  if (kept === undefined) throw new ToolError(`The field ${name} takes ${expected(acting, named)}.`)
  if (typeof kept === 'string' && max !== null && [...kept].length > max)
    throw new ToolError(`The field ${name} takes at most ${max} characters; these are ${[...kept].length}.`)
  const unknown = field.type === 'richText' ? unknownNodes(field, kept) : []
  if (unknown.length > 0)
    throw new ToolError(`The field ${name} has no nodes of the type ${unknown.join(', ')}.`)
  await refuseUnseen(acting, field, kept, present)
  return kept
}

type Check = (acting: Acting, named: NamedField, value: unknown) => unknown

const ofWords: Check = (_, __, value) => (typeof value === 'string' ? value : undefined)

/** The stored form of a value of each kind; undefined if the value does not fit. */
const kinds: Record<NamedField['kind'], Check> = {
  text: ofWords,
  longtext: ofWords,
  html: ofWords,
  number: (_, __, value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined),
  boolean: (_, __, value) => (typeof value === 'boolean' ? value : undefined),
  date: (_, __, value) =>
    typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? new Date(value).toISOString() : undefined,
  select: (_, { field }, value) =>
    everyOne(field, value, (one) => (optionsOf(field).includes(one as string) ? one : undefined)),
  relation: idsIn,
  media: idsIn,
  blocks: parts,
}

/** The value, or each of a list where the field takes several, through a check. */
function everyOne(field: FlattenedField, value: unknown, check: (one: unknown) => unknown): unknown {
  if (!('hasMany' in field && field.hasMany)) return check(value)
  if (!Array.isArray(value)) return undefined
  const kept = value.map(check)
  return kept.includes(undefined) ? undefined : kept
}

/** Ids of records; of several types with the name of each. */
function idsIn(_: Acting, { field }: NamedField, value: unknown): unknown {
  const target = 'relationTo' in field ? field.relationTo : undefined
  return everyOne(field, value, (one) => {
    const [to, id] = Array.isArray(target) && isRecord(one) ? [one.relationTo, one.value] : [target, one]
    const isKnown = [target].flat().some((slug) => slug === to)
    return isKnown && (typeof id === 'number' || typeof id === 'string') ? one : undefined
  })
}

/** Rich text, rows, blocks, lists and other JSON. */
async function parts(acting: Acting, { field }: NamedField, value: unknown): Promise<unknown> {
  switch (field.type) {
    case 'richText':
      if (typeof value === 'string') return ofMarkdown(field, value)
      return isTree(value) ? complete(value) : undefined
    case 'array':
      return Array.isArray(value) && value.every(isRecord) ? value : undefined
    case 'blocks': {
      const known = blocksOf(acting, field).map(({ slug }) => slug)
      const isBlock = (it: unknown) => isRecord(it) && known.includes(String(it.blockType))
      return Array.isArray(value) && value.every(isBlock) ? value : undefined
    }
    case 'text':
      return Array.isArray(value) && value.every((it) => typeof it === 'string') ? value : undefined
    case 'number':
      return Array.isArray(value) && value.every(Number.isFinite) ? value : undefined
    case 'point':
      return Array.isArray(value) && value.length === 2 && value.every(Number.isFinite) ? value : undefined
    default:
      return value
  }
}

/** The values that a field accepts, in words for the model. */
function expected(acting: Acting, { kind, field }: NamedField): string {
  const isMany = 'hasMany' in field && field.hasMany === true
  if (kind === 'select')
    return `${isMany ? 'a list of these' : 'one of these'}: ${optionsOf(field).join(', ')}`
  if (kind === 'relation' || kind === 'media') {
    const target = 'relationTo' in field ? field.relationTo : ''
    const one = Array.isArray(target)
      ? `{ relationTo, value } of ${target.join(', ')}`
      : `the id of ${target}`
    return isMany ? `a list of ${one}` : one
  }
  if (field.type === 'richText') return 'the nodes of Lexical ({ root: { children } }), or Markdown'
  if (field.type === 'array') return 'a list of rows'
  if (field.type === 'blocks') {
    const slugs = blocksOf(acting, field).map(({ slug }) => slug)
    return `a list of blocks, each with its blockType: ${slugs.join(', ')}`
  }
  return (
    { text: 'a text', longtext: 'a text', html: 'a text', number: 'a number', boolean: 'true or false' }[
      kind as 'text'
    ] ?? (kind === 'date' ? 'a time in ISO 8601' : 'another value')
  )
}

/** A value as a person reads it in the history; null: it is empty. */
export async function words(field: FlattenedField, value: unknown): Promise<string | null> {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  return (await toMarkdown(field, value)) ?? JSON.stringify(value)
}
