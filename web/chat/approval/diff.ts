import { diffWordsWithSpace } from 'diff'

/** A passage of one side of a comparison. */
export type Piece = {
  text: string
  changed: boolean
  /** Start and end of a long passage that does not change; null: short enough to be shown whole. */
  short: [string, string] | null
}

const longPassage = 320
const shownEnd = 120
/** Beyond this the comparison by words takes too long, and says too little. */
const maxWordDiff = 20_000

/** What a value loses and what it gets, word by word. Together the pieces of a side are always its whole value. */
export function compare(before: string, after: string): { was: Piece[]; will: Piece[] } {
  if (before.length + after.length > maxWordDiff * 2)
    return { was: [changed(before)], will: [changed(after)] }
  const parts = diffWordsWithSpace(before, after)
  const last = parts.length - 1
  const side = (kind: 'added' | 'removed') =>
    joined(
      parts.flatMap((part, index) => {
        if (part[kind]) return [changed(part.value)]
        return part.added || part.removed ? [] : [same(part.value, index === 0, index === last)]
      }),
    ).flatMap(bare)
  return { was: side('removed'), will: side('added') }
}

/** Between two words: spaces, and with them at most a mark or two. */
const gap = /^\s*(?:[^\p{L}\p{N}\s]{1,2}\s*)?$/u

/** Changed words with nothing to read between them are one change: a date is not three. */
function joined(pieces: Piece[]): Piece[] {
  const result: Piece[] = []
  for (const [index, piece] of pieces.entries()) {
    const before = result.at(-1)
    const isGap = !piece.changed && gap.test(piece.text) && pieces[index + 1]?.changed === true
    if (before?.changed && (piece.changed || isGap)) before.text += piece.text
    else result.push({ ...piece })
  }
  return result
}

/** The mark is on the words and not on the space around them, unless the space is all that changes. */
function bare(piece: Piece): Piece[] {
  const [, before = '', words = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(piece.text) ?? []
  if (!piece.changed || !words) return [piece]
  const space = (text: string): Piece[] => (text ? [{ text, changed: false, short: null }] : [])
  return [...space(before), changed(words), ...space(after)]
}

const changed = (text: string): Piece => ({ text, changed: true, short: null })

function same(text: string, isFirst: boolean, isLast: boolean): Piece {
  if (text.length <= longPassage) return { text, changed: false, short: null }
  const start = isFirst ? '' : text.slice(0, shownEnd).replace(/\S*$/, '')
  const end = isLast ? '' : text.slice(-shownEnd).replace(/^\S*/, '')
  return { text, changed: false, short: [start, end] }
}
