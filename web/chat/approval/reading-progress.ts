import type { FieldChange, PendingCall } from '../../../core/conversation/schema.ts'
import type { View, ViewState } from '../view/view.ts'
import { type Comparison, compare } from './diff.ts'

/** The maximum time of comparisons without a break, in milliseconds; the browser draws in the break. */
const sliceMs = 8

/** The values of a change in its stored or its readable form. */
export type Sides = Pick<FieldChange, 'before' | 'after' | 'original'>

type Compare = (before: string, after: string) => Comparison

/** Compares texts: each pair once, outside of drawing, in short slices of time. */
export class Comparisons {
  readonly #compare: Compare
  readonly #changed: () => void
  readonly #made = new Map<string, Map<string, Comparison>>()
  #due: { before: string; after: string }[] = []

  /** Calls `changed` after each slice of comparisons. */
  constructor(compare: Compare, changed: () => void) {
    this.#compare = compare
    this.#changed = changed
  }

  /**
   * Returns the comparison of both values, with an empty text for a missing value; null until the comparison is made.
   */
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

/** The distance from the visible part of the log, in pixels, within which a row is drawn whole. */
const aheadPx = 800

/** The observers of rows and changes, with the log and the height of the foot for which they were created. */
type RowObservers = { log: Element; covered: number; near: IntersectionObserver; shown: IntersectionObserver }

/**
 * The user's progress through a proposal. A row close to the visible part is drawn whole. A row counts as read when
 * every change in it has been on the screen. A row has the attribute `data-row`, and a change in it has `data-change`.
 */
class ReadingProgress {
  readonly #changed: () => void
  readonly #near: Set<string>
  readonly #read = new Set<string>()
  readonly #shown = new WeakSet<Element>()
  readonly comparisons: Comparisons
  #observers: RowObservers | undefined

  /** `before` is the reading of the proposal that this proposal replaces. */
  constructor(changed: () => void, before?: ReadingProgress) {
    this.#changed = changed
    this.#near = new Set(before ? before.#near : [])
    this.comparisons = before?.comparisons ?? new Comparisons(compare, changed)
  }

  /** True if the row is drawn whole. */
  isNear(row: string): boolean {
    return this.#near.has(row)
  }

  /** Returns the rows of a call that contain a change which has not been on the screen yet. */
  unread(call: PendingCall): string[] {
    const rows = call.preview?.changes.map(({ field }) => rowOf(call, field)) ?? [call.id]
    return rows.filter((row) => !this.#read.has(row))
  }

  /** Observes the rows and changes that were drawn since the last call. */
  look(card: HTMLElement | null): void {
    const log = card?.closest('.log')
    if (!card || !log) return
    const covered = card.querySelector<HTMLElement>('.approval-foot')?.offsetHeight ?? 0
    const { near, shown } = this.#observersIn(log, covered)
    for (const row of card.querySelectorAll<HTMLElement>('[data-row]')) {
      if (!this.isNear(keyOf(row))) near.observe(row)
      else if (!this.#read.has(keyOf(row)))
        for (const change of row.querySelectorAll('[data-change]'))
          if (!this.#shown.has(change)) shown.observe(change)
    }
  }

  #observersIn(log: Element, covered: number): RowObservers {
    const known = this.#observers
    if (known?.log === log && known.covered === covered) return known
    known?.near.disconnect()
    known?.shown.disconnect()
    this.#observers = {
      log,
      covered,
      near: new IntersectionObserver(this.#came, { root: log, rootMargin: `${aheadPx}px 0px` }),
      shown: new IntersectionObserver(this.#met, { root: log, rootMargin: `0px 0px -${covered}px` }),
    }
    return this.#observers
  }

  readonly #came: IntersectionObserverCallback = (entries, observer) => {
    const rows = entries.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => target)
    for (const row of rows) {
      observer.unobserve(row)
      this.#near.add(keyOf(row))
    }
    if (rows.length > 0) this.#changed()
  }

  readonly #met: IntersectionObserverCallback = (entries, observer) => {
    const before = this.#read.size
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue
      observer.unobserve(target)
      this.#shown.add(target)
      const row = target.closest('[data-row]')
      const changes = [...(row?.querySelectorAll('[data-change]') ?? [])]
      if (row && changes.every((change) => this.#shown.has(change))) this.#read.add(keyOf(row))
    }
    if (this.#read.size > before) this.#changed()
  }
}

const keyOf = (row: Element): string => (row as HTMLElement).dataset.row ?? ''

const readings = new WeakMap<ViewState, { of: ViewState['proposal']; reading: ReadingProgress }>()

/**
 * Returns the reading progress of the shown proposal. If a proposal replaces another proposal of the same run, the
 * comparisons are kept.
 */
export function readingOf(view: View): ReadingProgress {
  const { proposal } = view.ui
  const known = readings.get(view.ui)
  if (known && known.of === proposal) return known.reading
  const before = known?.of?.runId === proposal?.runId ? known?.reading : undefined
  const reading = new ReadingProgress(() => view.requestUpdate(), before)
  readings.set(view.ui, { of: proposal, reading })
  return reading
}

/** Returns the key of a changed field's row. */
export const rowOf = ({ id }: PendingCall, field: string): string => `${id} ${field}`
