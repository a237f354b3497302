import { type ChangeObject, diffWordsWithSpace } from 'diff'
import type { FieldChange } from '../conversation/schema.ts'

/** Values that are this short together are shown whole. */
const shortEnough = 1_000
/** What is shown of the unchanged text on either side of a change. */
const context = 160
/**
 * Two texts that differ in more words than this are a rewrite: all between their first and last change is shown. The
 * time of a comparison grows with the square of this number.
 */
const maxEditLength = 500

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

function difference(before: string, after: string): Part[] {
  return diffWordsWithSpace(before, after, { maxEditLength }) ?? rewrite(before, after)
}

/** One passage, from the first difference to the last. */
function rewrite(before: string, after: string): Part[] {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const middle = (text: string) => text.slice(head, text.length - tail)
  return [
    { value: before.slice(0, head), added: false, removed: false },
    { value: middle(before), added: false, removed: true },
    { value: middle(after), added: true, removed: false },
    { value: before.slice(before.length - tail), added: false, removed: false },
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
