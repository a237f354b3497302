import { type ChangeObject, diffWordsWithSpace } from 'diff'

/** A passage of the old or the new text in a comparison. */
export type Piece = {
  text: string
  changed: boolean
  /** The start and end of a long unchanged passage; null if the passage is short enough to be shown whole. */
  short: [string, string] | null
}

/**
 * The pieces of the old text (`was`) and of the new text (`will`). The pieces of each side together are its whole text.
 */
export type Comparison = { was: Piece[]; will: Piece[] }

/**
 * The length above which an unchanged passage is folded (about two lines), and the length that stays visible beside a
 * change. Both are in characters.
 */
const longPassage = 160
const shownEnd = 60
/**
 * If two texts differ in more words than this, the text is treated as rewritten. The time to compare the texts grows
 * with the square of this number.
 */
const maxEditLength = 200
/**
 * Two texts with more than `shortText` characters together count as rewritten if more than the share `mostChanged`
 * differs.
 */
const shortText = 160
const mostChanged = 0.6

type DiffPart = Pick<ChangeObject<string>, 'value' | 'added' | 'removed'>

/**
 * Compares a value before and after, word by word. A mostly rewritten text becomes one passage on each side. The time
 * to compare is bounded for texts of any length.
 */
export function compare(before: string, after: string): Comparison {
  const parts = diffWordsWithSpace(before, after, { maxEditLength })
  if (!parts) return rewritten(before, after)
  const groups = grouped(parts)
  const changedLength = groups.reduce(
    (sum, { was, will, isSame }) => sum + (isSame ? 0 : was.length + will.length),
    0,
  )
  const length = before.length + after.length
  if (length > shortText && changedLength > length * mostChanged) return rewritten(before, after)
  const last = groups.length - 1
  const side = (of: 'was' | 'will') =>
    groups.flatMap((group, index) =>
      group.isSame ? [same(group[of], index === 0, index === last)] : bare(group[of]),
    )
  return { was: side('was'), will: side('will') }
}

/** A stretch of both texts: the same in both, or an old passage and its replacement. */
type Group = { was: string; will: string; isSame: boolean }

/**
 * Groups the parts into stretches, in order. One or two unchanged words between two changes become part of one change.
 */
function grouped(parts: DiffPart[]): Group[] {
  const groups: Group[] = []
  for (const [index, { value, added, removed }] of parts.entries()) {
    const before = groups.at(-1)
    const isSame = !added && !removed
    const isIsland = isSame && before !== undefined && index < parts.length - 1 && island.test(value)
    const group = { was: added ? '' : value, will: removed ? '' : value, isSame: isSame && !isIsland }
    if (before && !before.isSame && !group.isSame) {
      before.was += group.was
      before.will += group.will
    } else groups.push(group)
  }
  return groups
}

/** Matches at most two words in one line, each with up to four other characters around it. */
const island = /^[^\p{L}\p{N}\n]{0,4}(?:[\p{L}\p{N}_'’]+(?:[^\p{L}\p{N}\n]{1,4}|$)){0,2}$/u

/** Returns one changed passage on each side, from the first different word to the last. */
function rewritten(before: string, after: string): Comparison {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  while (head > 0 && !isBreak(before[head - 1])) head--
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  while (tail > 0 && !isBreak(before.at(-tail))) tail--
  const side = (text: string): Piece[] =>
    [
      same(text.slice(0, head), true, false),
      ...bare(text.slice(head, text.length - tail)),
      same(text.slice(text.length - tail), false, true),
    ].filter(({ text: part }) => part)
  return { was: side(before), will: side(after) }
}

const isBreak = (character: string | undefined) => character !== undefined && /[ \n]/.test(character)

/** Marks the words but not the space around them; if only the space changes, marks the space. */
function bare(text: string): Piece[] {
  if (!text) return []
  const words = text.trim()
  if (!words) return [changed(text)]
  const start = text.indexOf(words)
  const space = (part: string): Piece[] => (part ? [{ text: part, changed: false, short: null }] : [])
  return [...space(text.slice(0, start)), changed(words), ...space(text.slice(start + words.length))]
}

const changed = (text: string): Piece => ({ text, changed: true, short: null })

function same(text: string, isFirst: boolean, isLast: boolean): Piece {
  if (text.length <= longPassage && text.trim().split('\n').length <= 2)
    return { text, changed: false, short: null }
  const [first = ''] = text.split('\n', 1)
  const start = first.length > shownEnd ? first.slice(0, shownEnd).replace(/\S{0,40}$/, '') : first
  const last = text.slice(text.lastIndexOf('\n') + 1)
  const end = last.length > shownEnd ? last.slice(-shownEnd).replace(/^\S{0,40}/, '') : last
  return { text, changed: false, short: [isFirst && !isLast ? '' : start, isLast ? '' : end] }
}
