import type { FlattenedField } from 'payload'
import { ToolError } from '../../../core/base/error.ts'
import { isRecord } from '../../../core/base/json.ts'
import { isUndo } from '../../../core/cms/cms.ts'
import { complete, isTree, unknownTypes } from '../../../core/cms/lexical.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import { isListOf, keepValue, type Rule, ruleFor, ruleOf } from '../../node/src/value.ts'
import { type Acting, asUser } from './acting.ts'
import type { NamedField } from './field.ts'
import { blocksOf, describeField, isMany, kinds, localesOf, optionsOf, targetOf } from './field.ts'

/**
 * Returns the value as Payload stores it, for a record whose current value is `present`. Throws ToolError if the form
 * of the admin panel would not accept it.
 */
export async function checkValue(
  acting: Acting,
  named: NamedField,
  value: unknown,
  present: unknown,
): Promise<unknown> {
  const { required, max, kind } = describeField(named)
  const { name, field, locale } = named
  // A further language may lack a value that the first language requires.
  const isNeeded =
    !isUndo(acting.run ?? '') && required && kind !== 'boolean' && locale === localesOf(acting.payload)[0]
  const kept = await keepValue({ name, required: isNeeded, max }, ruleIn(acting, named), value)
  if (kept === null) return null
  const unknown = unknownNodes(field, kept)
  if (unknown.length > 0)
    throw new ToolError(`The field ${name} has no nodes of the type ${unknown.join(', ')}.`)
  await refuseUnseen(acting, field, kept, present)
  return kept
}

const ofIds = (field: FlattenedField) => {
  const to = targetOf(field)
  const slugs = [to ?? []].flat()
  const takes = typeof to === 'string' ? `the id of ${to}` : `{ relationTo, value } of ${slugs.join(', ')}`
  return ruleFor(takes, (one) => targetsOf(to, one).some(({ relationTo }) => slugs.includes(relationTo)))
}

/** The rules of field types that only Payload has. */
const rules: {
  [T in FlattenedField['type']]?: (field: Extract<FlattenedField, { type: T }>, acting: Acting) => Rule
} = {
  relationship: ofIds,
  upload: ofIds,
  richText: (field) => ({
    takes: 'the nodes of Lexical ({ root: { children } }), or Markdown',
    keep(value) {
      if (typeof value === 'string') return ofMarkdown(field, value)
      return isTree(value) ? complete(value) : undefined
    },
  }),
  array: () => ruleFor('a list of rows', (value) => isListOf(value, isRecord)),
  blocks: (field, acting) => {
    const slugs = blocksOf(acting, field).map(({ slug }) => slug)
    const isBlock = (it: unknown) => isRecord(it) && slugs.includes(String(it.blockType))
    const takes = `a list of blocks, each with its blockType: ${slugs.join(', ')}`
    return ruleFor(takes, (value) => isListOf(value, isBlock))
  },
  point: () =>
    ruleFor('two numbers', (value) => isListOf(value, Number.isFinite) && Object(value).length === 2),
}

/**
 * Returns the rule of a field; for a field with several values, a rule for a list. A type without a rule accepts any
 * value.
 */
function ruleIn(acting: Acting, { field }: NamedField): Rule {
  const kind = kinds[field.type]
  const byKind = kind && ruleOf(kind, optionsOf(field))
  const rule = rules[field.type]?.(field as never, acting) ?? byKind ?? ruleFor('another value', () => true)
  if (!isMany(field)) return rule
  return ruleFor(`a list, each ${rule.takes}`, (value) =>
    isListOf(value, (one) => rule.keep(one) !== undefined),
  )
}

/** Returns a value as text for the history; null if it is empty. */
export async function words(field: FlattenedField, value: unknown): Promise<string | null> {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  return (await toMarkdown(field, value)) ?? JSON.stringify(value)
}

/** A record to which a value points. */
type Target = { relationTo: string; id: RecordId }

/**
 * Throws ToolError if a value points to a record that the user does not see. Links that the `present` value has stay
 * valid.
 */
async function refuseUnseen(acting: Acting, field: FlattenedField, value: unknown, present: unknown) {
  const { collections } = acting.payload
  const name = ({ relationTo, id }: Target) => `${relationTo}:${id}`
  const known = new Set(targetsIn(acting, field, present).map(name))
  const wanted = new Map(targetsIn(acting, field, value).map((target) => [name(target), target]))
  for (const [key, { relationTo, id }] of wanted) {
    if (known.has(key)) continue
    const as = { ...(await asUser(acting)), draft: true, disableErrors: true }
    if (!collections[relationTo] || !(await acting.payload.findByID({ ...as, collection: relationTo, id })))
      throw new ToolError(`There is no record ${id} in ${relationTo}.`)
  }
}

/** Returns the records to which a value points, also inside rows, blocks and rich text. */
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

function targetsOf(relationTo: unknown, one: unknown): Target[] {
  const [to, id] =
    Array.isArray(relationTo) && isRecord(one) ? [one.relationTo, one.value] : [relationTo, one]
  return typeof to === 'string' && (typeof id === 'number' || typeof id === 'string')
    ? [{ relationTo: to, id }]
    : []
}

/** Returns the pictures, records and links in a rich text: nodes that contain a collection and an id. */
function nodesIn(value: unknown): Target[] {
  if (typeof value !== 'object' || value === null) return []
  const named = isRecord(value) ? targetsOf([], value) : []
  return [...named, ...Object.values(value).flatMap(nodesIn)]
}

/**
 * Rich text of Payload is a tree of nodes (Lexical). The bridge reads and writes the nodes themselves, without default
 * values: formats, links and blocks inside a text stay unchanged. The bridge also accepts a text as Markdown.
 */
type NodeClass = { getType(): string }
type EditorConfig = { features?: { nodes?: { node: NodeClass | { replace: NodeClass } }[] } }

/** Returns the configuration of the field's own editor; undefined if the editor is not Lexical. */
function configOf(field: FlattenedField): EditorConfig | undefined {
  const editor = 'editor' in field ? field.editor : undefined
  return (editor as { editorConfig?: EditorConfig } | undefined)?.editorConfig
}

/**
 * Returns Markdown as nodes without ids, with the features of the field's own editor; undefined if the editor is not
 * Lexical. A conversion makes other ids each time, and the editor adds ids that are missing.
 */
async function ofMarkdown(field: FlattenedField, markdown: string): Promise<unknown> {
  const editorConfig = configOf(field) as never
  if (!editorConfig) return undefined
  const { convertMarkdownToLexical } = await import('@payloadcms/richtext-lexical')
  const nodes = JSON.stringify(convertMarkdownToLexical({ editorConfig, markdown }))
  return JSON.parse(nodes, (name, inside: unknown) => (name === 'id' ? undefined : inside))
}

/**
 * Returns nodes as Markdown, for the history; undefined if the editor is not Lexical. Formats that Markdown lacks are
 * lost.
 */
async function toMarkdown(field: FlattenedField, value: unknown): Promise<string | undefined> {
  const editorConfig = configOf(field) as never
  if (!editorConfig || !isTree(value)) return undefined
  const { convertLexicalToMarkdown } = await import('@payloadcms/richtext-lexical')
  return convertLexicalToMarkdown({ editorConfig, data: complete(value) as never })
}

/** Returns the node types in a rich text that the field's editor does not know, and therefore could not open. */
function unknownNodes(field: FlattenedField, value: unknown): string[] {
  const nodes = configOf(field)?.features?.nodes
  const known = nodes?.map(({ node }) => ('replace' in node ? node.replace : node).getType())
  return known ? unknownTypes(value, known) : []
}
