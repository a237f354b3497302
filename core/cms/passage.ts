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
