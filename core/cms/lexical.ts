import { isRecord } from '../json.ts'

/** A node of Lexical as JSON. */
export type Node = Record<string, unknown>

/** What a node has where nothing else is said; `version` is that of Lexical's own nodes. */
export const usual: Node = {
  version: 1,
  format: '',
  indent: 0,
  mode: 'normal',
  style: '',
  textStyle: '',
  detail: 0,
}

/** Whether a value is a tree of nodes, with its root. */
export function isTree(value: unknown): value is { root: Node & { children: unknown[] } } {
  return isRecord(value) && isRecord(value.root) && Array.isArray(value.root.children)
}
