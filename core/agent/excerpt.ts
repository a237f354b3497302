import { type ChangeObject, diffWordsWithSpace } from 'diff'
import type { FieldChange } from '../conversation/schema.ts'

/** Values with at most this many characters together are shown whole. */
const shortEnough = 1_000
/** Characters of unchanged text that are shown on either side of a change. */
const context = 160
/**
 * Two texts that differ in more words than this are a rewrite: all between their first and last change is shown. The
 * time of a comparison grows with the square of this number.
 */
const maxEditLength = 500
/** Characters of both texts between their first and last difference above which they are a rewrite, too. */
const maxCompared = 200_000

/** Stands for unchanged text that is not shown, at the same places of both texts. */
export const gap = '[…]'

/**
 * A change as a person can judge it: of long values every changed passage with its context, before and after. Nothing
 * that changes is ever left out, only what is the same on both sides.
 */
export function passages(change: FieldChange): FieldChange {
  const { before, after } = change
  if (before === null || after === null || before.length + after.length <= shortEnough) return change
  const parts = difference(before, after)
  const sides = { before: '', after: '' }
  for (const [at, part] of parts.entries()) {
    const isSame = !part.added && !part.removed
    const text = isSame ? shortened(part.value, at === 0, at === parts.length - 1) : part.value
    if (!part.added) sides.before += text
    if (!part.removed) sides.after += text
  }
  return { ...change, ...sides }
}

type Part = Pick<ChangeObject<string>, 'value' | 'added' | 'removed'>

/** The parts of both texts in order; what is the same is one part wherever it meets. */
function difference(before: string, after: string): Part[] {
  // Words are compared between the first and the last difference alone: a long text has few of them.
  const { head, tail } = ends(before, after)
  const [old, fresh] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)]
  const isLong = old.length + fresh.length > maxCompared
  const compared = isLong ? undefined : diffWordsWithSpace(old, fresh, { maxEditLength })
  const between = compared ?? rewrite(old, fresh)
  const parts = [same(before.slice(0, head)), ...between, same(before.slice(before.length - tail))]
  return parts.filter(({ value }) => value !== '').reduce(joined, [])
}

const same = (value: string): Part => ({ value, added: false, removed: false })

function joined(parts: Part[], part: Part): Part[] {
  const last = parts.at(-1)
  const isSame = last && !last.added && !last.removed && !part.added && !part.removed
  if (isSame) last.value += part.value
  else parts.push({ ...part })
  return parts
}

/** How much is the same at the beginning and at the end of both texts, in whole words. */
function ends(before: string, after: string): { head: number; tail: number } {
  const isSpace = (at: number) => before.charCodeAt(at) <= 32
  let { head, tail } = shared(before, after)
  while (head > 0 && !isSpace(head - 1)) head--
  while (tail > 0 && !isSpace(before.length - tail)) tail--
  return { head, tail }
}

/** How many characters are the same at the beginning and at the end; none is in both. */
function shared(before: string, after: string): { head: number; tail: number } {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  return { head, tail }
}

/** One passage, from the first difference to the last. */
function rewrite(before: string, after: string): Part[] {
  const { head, tail } = shared(before, after)
  const middle = (text: string) => text.slice(head, text.length - tail)
  return [
    same(before.slice(0, head)),
    { value: middle(before), added: false, removed: true },
    { value: middle(after), added: true, removed: false },
    same(before.slice(before.length - tail)),
  ]
}

/** Unchanged text without its middle; at the edge of the value only the side next to a change is kept. */
function shortened(text: string, isFirst: boolean, isLast: boolean): string {
  const head = isFirst ? 0 : context
  const tail = isLast ? 0 : context
  if (text.length <= head + tail + 2 * gap.length) return text
  const start = text.slice(0, head).replace(/\S{0,40}$/u, '')
  const end = text.slice(text.length - tail).replace(/^\S{0,40}/u, '')
  return `${start}${gap}${tail === 0 ? '' : end}`
}
