import { isRecord } from '../base/json.ts'

/** A passage of a text that is there exactly once, and what takes its place. */
export type PassageEdit = { field: string; find: string; replace: string }

/**
 * Replaces a passage in the texts of a value: a text, or the nodes and blocks of a rich text. `times` says how often
 * it was there, overlaps counted: use the value only if that is 1.
 */
export function replacePassage(
  value: unknown,
  { find, replace }: Pick<PassageEdit, 'find' | 'replace'>,
): { times: number; value: unknown } {
  if (typeof value === 'string') return replaceInText(value, { find, replace })
  if (typeof value !== 'object' || value === null) return { times: 0, value }
  let times = 0
  const inside = (name: string, it: unknown) => {
    // Names of nodes and of blocks, ids and addresses are no words of a person.
    if (typeof it === 'string' && unspoken.has(name)) return it
    const result = replacePassage(it, { find, replace })
    times += result.times
    return result.value
  }
  const changed = Array.isArray(value)
    ? value.map((it) => inside('', it))
    : Object.fromEntries(Object.entries(value).map(([name, it]) => [name, inside(name, it)]))
  return { times, value: changed }
}

function replaceInText(text: string, { find, replace }: Pick<PassageEdit, 'find' | 'replace'>) {
  const places: number[] = []
  for (let at = text.indexOf(find); at >= 0; at = text.indexOf(find, at + 1)) places.push(at)
  const [place = 0] = places
  const isOnce = places.length === 1
  const value = isOnce ? text.slice(0, place) + replace + text.slice(place + find.length) : text
  return { times: places.length, value }
}

const unspoken = new Set(['type', 'tag', 'listType', 'mode', 'style', 'id', 'blockType', 'relationTo'])

/** One part of a list (a block, a row), found by its id; where it is there more or less often than once, nothing is done. */
export type PartEdit = {
  field: string
  /** `change` replaces the fields of the part that `value` names, `insert` puts `value` in behind it. */
  act: 'change' | 'insert' | 'remove'
  /** Id of the part; empty for one that is put in before all others. */
  at: string
  value?: Record<string, unknown>
}

type Part = Record<string, unknown>

/** Parts of parts are looked through to this depth. */
const maxDepth = 30

/**
 * A list of parts with one of them changed, removed, or put in behind it; all others stay as they are. A part is
 * found by its `id`, in this list or in one inside of its parts. `times` says how often it was found: use the value
 * only if that is 1.
 */
export function withPart(value: unknown, edit: PartEdit): { times: number; value: unknown } {
  if (edit.at !== '') return changed(value, edit, 0)
  const isFirst = edit.act === 'insert' && (Array.isArray(value) || value === null || value === undefined)
  return isFirst ? { times: 1, value: [edit.value, ...(value ?? [])] } : { times: 0, value }
}

function changed(value: unknown, edit: PartEdit, depth: number): { times: number; value: unknown } {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return { times: 0, value }
  let times = 0
  const inside = (it: unknown) => {
    const result = changed(it, edit, depth + 1)
    times += result.times
    return result.value
  }
  if (!Array.isArray(value)) {
    const entries = Object.entries(value).map(([name, it]) => [name, inside(it)])
    return { times, value: Object.fromEntries(entries) }
  }
  const list = value.flatMap((part: unknown) => {
    if (!isRecord(part) || String(part.id) !== edit.at) return [inside(part)]
    times++
    return resultOf(part, edit)
  })
  return { times, value: list }
}

/** The parts that replace a part. A changed part keeps its id, and the fields that are not named. */
function resultOf(part: Part, { act, value = {} }: PartEdit): unknown[] {
  if (act === 'remove') return []
  return act === 'insert' ? [part, value] : [{ ...part, ...value, id: part.id }]
}
