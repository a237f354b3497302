import { isRecord } from '../base/json.ts'

/** A node of Lexical as JSON. */
export type Node = Record<string, unknown>

/** The default fields of a node; `version` is the one of Lexical's own nodes. */
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
