import { ignorable } from '../../core/base/safety/confusables.ts'

/** The characters that markers contain. */
const markerCharacters = '<>/\\-_abcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Returns the look-alikes of each marker character, as hexadecimal code points, from Unicode's `confusables.txt`.
 * Leaves out characters that NFKD and lower case already unify. If a letter and its capital look like different
 * characters, the look-alike of the small letter counts.
 */
export function lookalikes(text: string): { version: string; characters: Record<string, string> } {
  const version = /^# Version: (\S+)/m.exec(text)?.[1]
  if (!version) throw new Error('This is no confusables.txt of Unicode.')
  const rows = [...text.matchAll(/^([0-9A-F]{4,6})\s*;\s*([0-9A-F ]+?)\s*;/gm)].map(([, from, to]) => ({
    from: decoded(from as string),
    to: decoded(to as string),
  }))
  const capitalsFirst = rows.toSorted((a, b) => Number(isFolded(a.from)) - Number(isFolded(b.from)))
  const known = new Map<string, string>()
  for (const { from, to } of capitalsFirst) {
    const [other, like] = [folded(from), folded(to)]
    if (other.length !== 1 || like.length !== 1 || other[0] === like[0]) continue
    if (/^[\0-\x7f]$/.test(other[0] as string) || !markerCharacters.includes(like[0] as string)) continue
    known.set(other[0] as string, like[0] as string)
  }
  const byLike = Map.groupBy(known.keys(), (other) => known.get(other))
  const characters = [...markerCharacters].flatMap((like): [string, string][] => {
    const points = (byLike.get(like) ?? []).map((other) => other.codePointAt(0) as number)
    const sorted = points.toSorted((a, b) => a - b).map((point) => point.toString(16))
    return sorted.length === 0 ? [] : [[like, sorted.join(' ')]]
  })
  return { version, characters: Object.fromEntries(characters) }
}

const decoded = (points: string): string =>
  String.fromCodePoint(...points.split(' ').map((point) => Number.parseInt(point, 16)))

const folded = (character: string): string[] =>
  [...character.normalize('NFKD').toLowerCase()].filter((one) => !ignorable.test(one))

const isFolded = (character: string): boolean => folded(character).join('') === character
