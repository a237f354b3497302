import type { FlattenedField } from 'payload'
import { complete, isTree, unknownTypes } from '../../../core/cms/lexical.ts'

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

/** Types of nodes in a rich text that the field's editor does not have, and could not open. */
export function unknownNodes(field: FlattenedField, value: unknown): string[] {
  const nodes = configOf(field)?.features?.nodes
  const known = nodes?.map(({ node }) => ('replace' in node ? node.replace : node).getType())
  return known ? unknownTypes(value, known) : []
}
