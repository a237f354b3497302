import { isRecord } from '../base/json.ts'

/** A node of Lexical as JSON. */
export type Node = Record<string, unknown>

/** The default fields of a node; `version` is the version of Lexical's own nodes. */
const defaultNodeFields: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['version', 1],
  ['format', ''],
  ['indent', 0],
  ['mode', 'normal'],
  ['style', ''],
  ['textStyle', ''],
  ['detail', 0],
])

/** True if the value is the default of this field of a node. */
export const isDefault = (name: string, value: unknown): boolean =>
  defaultNodeFields.has(name) && defaultNodeFields.get(name) === value

/** True if a value is a tree of nodes with a root. */
export function isTree(value: unknown): value is { root: Node & { children: unknown[] } } {
  return isRecord(value) && isRecord(value.root) && Array.isArray(value.root.children)
}

/**
 * Returns a tree of nodes without default values, so that only formats, links and blocks show; returns any other value
 * unchanged.
 */
export function compact(value: unknown): unknown {
  return isTree(value) ? slim(value) : value
}

function slim(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(slim)
  if (!isRecord(value)) return value
  const kept = Object.entries(value).filter(([name, it]) => !('type' in value && isUsual(name, it)))
  return Object.fromEntries(kept.map(([name, it]) => [name, slim(it)]))
}

/** True for a field with its usual value: a default, any direction, or a format without bits. */
const isUsual = (name: string, value: unknown) =>
  isDefault(name, value) || name === 'direction' || (/^(f|textF)ormat$/.test(name) && value === 0)

const ofText = { version: 1, format: 0, mode: 'normal', style: '', textStyle: '', detail: 0 }
const ofParent = { version: 1, format: '', indent: 0, direction: 'ltr' }

/**
 * Returns a tree of nodes with their default values; blocks keep their own fields. Returns any other value unchanged.
 */
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

/** Nodes of the core of Lexical, which every editor has. */
const everywhere = ['root', 'paragraph', 'text', 'linebreak', 'tab']

/**
 * Returns the types of nodes in a tree that an editor with the `known` nodes lacks; `?` stands for a value that is no
 * node.
 */
export function unknownTypes(value: unknown, known: string[]): string[] {
  const types = (node: unknown): string[] =>
    isRecord(node)
      ? [String(node.type), ...(Array.isArray(node.children) ? node.children.flatMap(types) : [])]
      : ['?']
  const all = isTree(value) ? types(value.root) : []
  return [...new Set(all)].filter((type) => !everywhere.includes(type) && !known.includes(type))
}
