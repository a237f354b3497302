import type { Answer } from './model.ts'

/**
 * Checks the calls of an answer where they arrive: incomplete servers of the Messages API leave out ids and names, or
 * send arguments as text. A call that cannot be repaired keeps its place, with arguments that every tool refuses, so
 * that the model reads the mistake.
 */

type Call = Answer['calls'][number]

/** Replaces a missing name; no tool has this name. */
const unnamed = 'unnamed_tool'
/** Longer than any id that a known server makes, also with signatures inside it; in characters. */
export const maxIdLength = 8_000
/** Arguments with deeper nesting are dropped: the code that stores and sends them is recursive. */
const maxNesting = 50

/** Reads a call of the server at its position among the calls of the answer. */
export function callOf(use: Record<string, unknown>, at: number): Call {
  return { id: idOf(use.id, at), name: toolName(use.name), arguments: argumentsOf(use) }
}

/** Keeps the server's own id if it is usable; a stored id is unique within its run. */
function idOf(id: unknown, at: number): string {
  const given = typeof id === 'number' ? `call_${id}` : id
  const isUsable = typeof given === 'string' && given !== '' && given.length <= maxIdLength
  // An inherited name would be found on a plain object where no call of that id was stored.
  if (!isUsable || given in Object.prototype) return `call_${at + 1}`
  return given.toWellFormed()
}

function toolName(name: unknown): string {
  return typeof name === 'string' && name.trim() !== '' ? name.trim().toWellFormed().slice(0, 128) : unnamed
}

function argumentsOf({ input }: Record<string, unknown>): Call['arguments'] {
  const value = unquoted(input)
  // PHP writes an object without members as a list without members.
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return {}
  if (typeof value !== 'object' || Array.isArray(value)) return fault('no JSON object')
  if (isDeeper(value, maxNesting)) return fault('nested too deep')
  return value as Call['arguments']
}

/** Arguments are JSON text; some servers encode them as JSON twice, so they are parsed twice. */
function unquoted(input: unknown): unknown {
  let value = input
  for (let layer = 0; layer < 3 && typeof value === 'string'; layer++) {
    if (value.trim() === '') return {}
    try {
      value = JSON.parse(value)
    } catch {
      return value
    }
  }
  return value
}

/** Every tool refuses and names an unknown field, so this field tells the model the mistake. */
const fault = (what: string): Call['arguments'] => ({ [`(the arguments were ${what})`]: true })

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((item) => isDeeper(item, levels - 1))
}
