import type { FlattenedField } from 'payload'
import { ToolError } from '../../error.ts'
import { isTree } from '../lexical.ts'
import { type Acting, asUser } from './acting.ts'
import { described, type NamedField, optionsOf } from './field.ts'
import { complete, ofMarkdown, toMarkdown, unknownNodes } from './richtext.ts'

/** The value as Payload stores it. Throws ToolError where the form of the admin panel would not take it. */
export async function checked(acting: Acting, named: NamedField, value: unknown): Promise<unknown> {
  const { required, max, kind } = described(named)
  const { name, field } = named
  const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0)
  if (required && isEmpty && kind !== 'boolean') throw new ToolError(`The field ${name} has to have a value.`)
  if (value === null) return null
  const kept = await kinds[kind](acting, named, value)
  if (kept === undefined) throw new ToolError(`The field ${name} takes ${expected(named)}.`)
  if (typeof kept === 'string' && max !== null && [...kept].length > max)
    throw new ToolError(`The field ${name} takes at most ${max} characters; these are ${[...kept].length}.`)
  if (field.type === 'richText') refuseUnknown(named, kept)
  return kept
}

type Check = (acting: Acting, named: NamedField, value: unknown) => unknown

const ofWords: Check = (_, __, value) => (typeof value === 'string' ? value : undefined)

/** What is stored for a value of each kind; undefined where it is none. */
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
  relation: related,
  media: related,
  blocks: parts,
}

/** The value, or each of a list where the field takes several, through a check. */
function everyOne(field: FlattenedField, value: unknown, check: (one: unknown) => unknown): unknown {
  if (!('hasMany' in field && field.hasMany)) return check(value)
  if (!Array.isArray(value)) return undefined
  const kept = value.map(check)
  return kept.includes(undefined) ? undefined : kept
}

/** Ids of records that are there for the user. */
async function related(acting: Acting, { field }: NamedField, value: unknown): Promise<unknown> {
  const target = 'relationTo' in field ? field.relationTo : undefined
  const wanted: { relationTo: string; id: number | string }[] = []
  const kept = everyOne(field, value, (one) => {
    const named = one as { relationTo?: unknown; value?: unknown } | null
    const [relationTo, id] = Array.isArray(target) ? [named?.relationTo, named?.value] : [target, one]
    const isKnown = typeof relationTo === 'string' && [target].flat().includes(relationTo)
    if (!isKnown || (typeof id !== 'number' && typeof id !== 'string')) return undefined
    wanted.push({ relationTo, id })
    return one
  })
  if (kept === undefined) return undefined
  for (const { relationTo, id } of wanted) {
    const found = await acting.payload.findByID({
      ...(await asUser(acting)),
      collection: relationTo,
      id,
      draft: true,
      disableErrors: true,
    })
    if (!found) throw new ToolError(`There is no record ${id} in ${relationTo}.`)
  }
  return kept
}

const isObject = (it: unknown): it is Record<string, unknown> =>
  typeof it === 'object' && it !== null && !Array.isArray(it)

/** Rich text, rows, blocks, lists and other JSON. */
async function parts(_: Acting, { field }: NamedField, value: unknown): Promise<unknown> {
  switch (field.type) {
    case 'richText':
      if (typeof value === 'string') return ofMarkdown(field, value)
      return isTree(value) ? complete(value) : undefined
    case 'array':
      return Array.isArray(value) && value.every(isObject) ? value : undefined
    case 'blocks': {
      const known = field.blocks.map(({ slug }) => slug).concat((field.blockReferences ?? []).map(slugOf))
      const isBlock = (it: unknown) => isObject(it) && known.includes(String(it.blockType))
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

const slugOf = (block: string | { slug: string }): string => (typeof block === 'string' ? block : block.slug)

function refuseUnknown({ name, field }: NamedField, value: unknown): void {
  const unknown = unknownNodes(field, value)
  if (unknown.length === 0) return
  throw new ToolError(`The field ${name} has no nodes of the type ${unknown.join(', ')}.`)
}

/** What a field takes, in words for the model. */
function expected({ kind, field }: NamedField): string {
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
    const slugs = field.blocks.map(({ slug }) => slug).concat((field.blockReferences ?? []).map(slugOf))
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
