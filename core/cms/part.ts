import { isRecord } from '../base/json.ts'

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
