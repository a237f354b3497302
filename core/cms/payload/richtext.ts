import type { FlattenedField } from 'payload'
import { isRecord } from '../../json.ts'
import { isTree, usual } from '../lexical.ts'

/**
 * Rich text of Payload is a tree of nodes (Lexical). The bridge gives and takes the nodes themselves, without what has
 * its usual value, so that formats, links and blocks inside a text stay as they are. A text is taken as Markdown.
 */

type NodeClass = { getType(): string }
type Editor = {
  editorConfig?: { features?: { nodes?: { node: NodeClass | { replace: NodeClass } }[] } }
}

/** A rich text with its nodes without what is usual; every other value as it is. */
export function compact(value: unknown): unknown {
  return isTree(value) ? slim(value) : value
}

function slim(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(slim)
  if (!isRecord(value)) return value
  const isOwn = 'type' in value
  const kept = Object.entries(value).filter(
    ([name, it]) => !isOwn || !(usual[name] === it || name === 'direction' || plain(name, it)),
  )
  return Object.fromEntries(kept.map(([name, it]) => [name, slim(it)]))
}

/** Lexical gives formats of texts and of paragraphs in fields that are usually zero. */
function plain(name: string, value: unknown): boolean {
  return (name === 'format' || name === 'textFormat') && value === 0
}

/** The nodes with what is usual put back; blocks keep their own fields. */
export function complete(value: unknown): unknown {
  if (!isTree(value)) return value
  const node = (it: unknown): unknown => {
    if (!isRecord(it)) return it
    const children = Array.isArray(it.children) ? { children: it.children.map(node) } : {}
    const common =
      it.type === 'text'
        ? { version: 1, format: 0, mode: 'normal', style: '', textStyle: '', detail: 0 }
        : Array.isArray(it.children)
          ? { version: 1, format: '', indent: 0, direction: 'ltr' }
          : { version: 1 }
    return { ...common, ...it, ...children }
  }
  return { ...value, root: node({ type: 'root', ...value.root }) }
}

/** Markdown as nodes, by the features of the field's own editor; undefined where the editor is not Lexical. */
export async function ofMarkdown(field: FlattenedField, markdown: string): Promise<unknown> {
  const editorConfig = configOf(field)
  if (!editorConfig) return undefined
  const { convertMarkdownToLexical } = await import('@payloadcms/richtext-lexical')
  return convertMarkdownToLexical({ editorConfig, markdown })
}

/** Nodes as Markdown, for the history; undefined where the editor is not Lexical. What Markdown lacks is not in it. */
export async function toMarkdown(field: FlattenedField, value: unknown): Promise<string | undefined> {
  const editorConfig = configOf(field)
  if (!editorConfig || !isTree(value)) return undefined
  const { convertLexicalToMarkdown } = await import('@payloadcms/richtext-lexical')
  return convertLexicalToMarkdown({ editorConfig, data: complete(value) as never })
}

function configOf(field: FlattenedField): never | undefined {
  const editor = 'editor' in field ? (field.editor as Editor | undefined) : undefined
  return editor?.editorConfig as never | undefined
}

/** Nodes of the core of Lexical, which every editor has. */
const everywhere = ['root', 'paragraph', 'text', 'linebreak', 'tab']

/** Types of nodes in a value that the field's editor does not have, and could not open. */
export function unknownNodes(field: FlattenedField, value: unknown): string[] {
  const editor = 'editor' in field ? (field.editor as Editor | undefined) : undefined
  const nodes = editor?.editorConfig?.features?.nodes
  if (!nodes || !isTree(value)) return []
  const known = nodes.map(({ node }) => ('replace' in node ? node.replace : node).getType())
  const types = (node: unknown): string[] =>
    isRecord(node)
      ? [String(node.type), ...(Array.isArray(node.children) ? node.children.flatMap(types) : [])]
      : ['?']
  return [...new Set(types(value.root))].filter((type) => !everywhere.includes(type) && !known.includes(type))
}

/** How often a passage is in the texts of a value, and the value with it replaced: nodes and blocks stay as they are. */
export function replaced(value: unknown, find: string, replace: string): { times: number; value: unknown } {
  if (typeof value === 'string')
    return { times: value.split(find).length - 1, value: value.split(find).join(replace) }
  if (typeof value !== 'object' || value === null) return { times: 0, value }
  let times = 0
  const inside = (name: string, it: unknown) => {
    // Names of nodes and of blocks, ids and addresses are no words of a person.
    if (typeof it === 'string' && unspoken.has(name)) return it
    const result = replaced(it, find, replace)
    times += result.times
    return result.value
  }
  const changed = Array.isArray(value)
    ? value.map((it) => inside('', it))
    : Object.fromEntries(Object.entries(value).map(([name, it]) => [name, inside(name, it)]))
  return { times, value: changed }
}

const unspoken = new Set(['type', 'tag', 'listType', 'mode', 'style', 'id', 'blockType', 'relationTo'])
