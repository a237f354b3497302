import type { Answer } from './model.ts'

/**
 * The calls of an answer, checked where they arrive: servers that only nearly speak the Messages API leave out ids and
 * names, or send arguments as text. A call that cannot be mended keeps its place, with arguments that no tool takes, so
 * that the model reads what was wrong with it.
 */

type Call = Answer['calls'][number]

/** Stands for a name that is missing; no tool has it. */
const unnamed = 'unnamed_tool'
/** Longer than any id that a server is known to make, signatures within it included; in characters. */
const maxIdLength = 8_000
/** Arguments that are nested deeper than this are not kept: what stores and sends them works by recursion. */
const maxDepth = 50

/** A call as the server gave it, at its place among the calls of the answer. */
export function callOf(use: Record<string, unknown>, at: number): Call {
  return { id: idOf(use.id, at), name: nameOf(use.name), arguments: argumentsOf(use) }
}

/** The server's own id wherever it is one; it is unique within the run only once it is stored. */
function idOf(id: unknown, at: number): string {
  const given = typeof id === 'number' ? `call_${id}` : id
  const isUsable = typeof given === 'string' && given !== '' && given.length <= maxIdLength
  // The names of what every object inherits would be found where no call of that id was stored.
  if (!isUsable || given in Object.prototype) return `call_${at + 1}`
  return given.toWellFormed()
}

function nameOf(name: unknown): string {
  return typeof name === 'string' && name.trim() !== '' ? name.trim().toWellFormed().slice(0, 128) : unnamed
}

function argumentsOf({ input }: Record<string, unknown>): Call['arguments'] {
  const value = unquoted(input)
  // PHP writes an object without members as a list without members.
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return {}
  if (typeof value !== 'object' || Array.isArray(value)) return fault('no JSON object')
  if (isDeeper(value, maxDepth)) return fault('nested too deep')
  return value as Call['arguments']
}

/** Arguments come as JSON text; those that a server wrote as JSON twice are read twice. */
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

/** Every tool refuses a field that it does not know, and names it: the model then reads what was wrong. */
const fault = (what: string): Call['arguments'] => ({ [`(the arguments were ${what})`]: true })

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((item) => isDeeper(item, levels - 1))
}
