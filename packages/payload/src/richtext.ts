import type { FlattenedField } from 'payload'
import { isRecord } from '../../../core/base/json.ts'
import { isDefault, isTree } from '../../../core/cms/lexical.ts'

/**
 * Rich text of Payload is a tree of nodes (Lexical). The bridge reads and writes the nodes themselves, without
 * default values, so that formats, links and blocks inside a text stay as they are. It accepts a text as Markdown.
 */

type NodeClass = { getType(): string }
type EditorConfig = { features?: { nodes?: { node: NodeClass | { replace: NodeClass } }[] } }

/** The configuration of the field's own editor; undefined where that is not Lexical. */
function configOf(field: FlattenedField): EditorConfig | undefined {
  const editor = 'editor' in field ? field.editor : undefined
  return (editor as { editorConfig?: EditorConfig } | undefined)?.editorConfig
}

/** A rich text whose nodes lack default values; every other value unchanged. */
export function compact(value: unknown): unknown {
  return isTree(value) ? slim(value) : value
}

function slim(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(slim)
  if (!isRecord(value)) return value
  const kept = Object.entries(value).filter(([name, it]) => !('type' in value && isUsual(name, it)))
  return Object.fromEntries(kept.map(([name, it]) => [name, slim(it)]))
}

/** Lexical gives formats of texts and of paragraphs in fields that are usually zero. */
const isUsual = (name: string, value: unknown) =>
  isDefault(name, value) || name === 'direction' || (/^(f|textF)ormat$/.test(name) && value === 0)

/** Restores the default values of the nodes; blocks keep their own fields. */
export function complete(value: unknown): unknown {
  if (!isTree(value)) return value
  const node = (it: unknown): unknown => {
    if (!isRecord(it)) return it
    if (it.type === 'text') return { ...ofText, ...it }
    if (!Array.isArray(it.children)) return { version: 1, ...it }
    return { ...ofParent, ...it, children: it.children.map(node) }
  }
  return { ...value, root: node({ type: 'root', ...value.root }) }
}

const ofText = { version: 1, format: 0, mode: 'normal', style: '', textStyle: '', detail: 0 }
const ofParent = { version: 1, format: '', indent: 0, direction: 'ltr' }

/** Markdown as nodes, by the features of the field's own editor; undefined where the editor is not Lexical. */
export async function ofMarkdown(field: FlattenedField, markdown: string): Promise<unknown> {
  const editorConfig = configOf(field) as never
  if (!editorConfig) return undefined
  const { convertMarkdownToLexical } = await import('@payloadcms/richtext-lexical')
  return convertMarkdownToLexical({ editorConfig, markdown })
}

/** Nodes as Markdown, for the history; undefined if the editor is not Lexical. Formats that Markdown lacks are lost. */
export async function toMarkdown(field: FlattenedField, value: unknown): Promise<string | undefined> {
  const editorConfig = configOf(field) as never
  if (!editorConfig || !isTree(value)) return undefined
  const { convertLexicalToMarkdown } = await import('@payloadcms/richtext-lexical')
  return convertLexicalToMarkdown({ editorConfig, data: complete(value) as never })
}

/** Nodes of the core of Lexical, which every editor has. */
const everywhere = ['root', 'paragraph', 'text', 'linebreak', 'tab']

/** Types of nodes in a rich text that the field's editor does not have, and could not open. */
export function unknownNodes(field: FlattenedField, value: unknown): string[] {
  const nodes = configOf(field)?.features?.nodes
  if (!nodes || !isTree(value)) return []
  const known = nodes.map(({ node }) => ('replace' in node ? node.replace : node).getType())
  const types = (node: unknown): string[] =>
    isRecord(node)
      ? [String(node.type), ...(Array.isArray(node.children) ? node.children.flatMap(types) : [])]
      : ['?']
  return [...new Set(types(value.root))].filter((type) => !everywhere.includes(type) && !known.includes(type))
}
