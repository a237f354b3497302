import type { Comparison } from './diff.ts'
import type { Sides } from './form.ts'

/** Comparisons run for this time without a break, in milliseconds; then the browser renders and handles clicks. */
const sliceMs = 8

type Compare = (before: string, after: string) => Comparison

/** Comparisons of texts: each is made once, outside of drawing, a few at a stretch. */
export class Comparisons {
  readonly #compare: Compare
  readonly #changed: () => void
  readonly #made = new Map<string, Map<string, Comparison>>()
  #due: { before: string; after: string }[] = []

  /** Calls `changed` after each stretch of comparisons. */
  constructor(compare: Compare, changed: () => void) {
    this.#compare = compare
    this.#changed = changed
  }

  /** The comparison of both values, a missing one as an empty text; null while it is due. */
  of(sides: Sides): Comparison | null {
    const [before, after] = [sides.before ?? '', sides.after ?? '']
    const made = this.#made.get(before)?.get(after)
    if (made) return made
    if (this.#due.length === 0) setTimeout(this.#work)
    if (!this.#due.some((one) => one.before === before && one.after === after))
      this.#due.push({ before, after })
    return null
  }

  readonly #work = (): void => {
    const end = performance.now() + sliceMs
    while (this.#due[0] && performance.now() < end) {
      const { before, after } = this.#due[0]
      const others = this.#made.get(before) ?? new Map<string, Comparison>()
      this.#made.set(before, others.set(after, this.#compare(before, after)))
      this.#due.shift()
    }
    if (this.#due.length > 0) setTimeout(this.#work)
    this.#changed()
  }
}
