import type { PendingCall } from '../../../core/conversation/schema.ts'
import type { View } from '../view/view.ts'
import type { ViewState } from '../view/view-state.ts'
import { Comparisons } from './comparisons.ts'
import { compare } from './diff.ts'

/** So far above and below the log, in pixels, a row is drawn whole before it can be seen. */
const aheadPx = 800

/**
 * The progress of a person through a proposal: a row becomes whole when it comes near the screen, and read once every
 * change in it has been on the screen. Rows have `data-row`, changes within them `data-change`.
 */
export class Reading {
  readonly #changed: () => void
  readonly #near: Set<string>
  readonly #read = new Set<string>()
  readonly #shown = new WeakSet<Element>()
  readonly comparisons: Comparisons
  #watched = new WeakSet<Element>()
  #observers: { near: IntersectionObserver; shown: IntersectionObserver } | undefined
  /** The log and the height of the foot that the observers are made for. */
  #frame: { log: Element; covered: number } | undefined

  /** `before`: of the proposal that this one takes the place of. */
  constructor(changed: () => void, before?: Reading) {
    this.#changed = changed
    this.#near = new Set(before ? before.#near : [])
    this.comparisons = before?.comparisons ?? new Comparisons(compare, changed)
  }

  /** The row is drawn with all that belongs to it. */
  isNear(row: string): boolean {
    return this.#near.has(row)
  }

  /** Rows of a call with a change that has not been on the screen. */
  unread(call: PendingCall): string[] {
    return rowsOf(call).filter((row) => !this.#read.has(row))
  }

  /** After a drawing: looks at the rows and changes that are new on the card. */
  look(card: HTMLElement | null): void {
    const log = card?.closest('.log')
    if (!card || !log) return
    const covered = card.querySelector<HTMLElement>('.approval-foot')?.offsetHeight ?? 0
    if (this.#frame?.log !== log || this.#frame.covered !== covered) this.#frameBy(log, covered)
    for (const row of card.querySelectorAll<HTMLElement>('[data-row]')) {
      if (!this.isNear(row.dataset.row ?? '')) this.#watch('near', row)
      else if (!this.#read.has(row.dataset.row ?? ''))
        for (const change of row.querySelectorAll('[data-change]')) this.#watch('shown', change)
    }
  }

  #frameBy(log: Element, covered: number): void {
    this.#observers?.near.disconnect()
    this.#observers?.shown.disconnect()
    this.#watched = new WeakSet()
    this.#frame = { log, covered }
    this.#observers = {
      near: new IntersectionObserver(this.#came, { root: log, rootMargin: `${aheadPx}px 0px` }),
      shown: new IntersectionObserver(this.#met, { root: log, rootMargin: `0px 0px -${covered}px` }),
    }
  }

  #watch(by: 'near' | 'shown', element: Element): void {
    if (this.#watched.has(element)) return
    this.#watched.add(element)
    this.#observers?.[by].observe(element)
  }

  readonly #came = (entries: IntersectionObserverEntry[]): void => {
    const rows = entries.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => target)
    for (const row of rows) {
      this.#observers?.near.unobserve(row)
      this.#near.add((row as HTMLElement).dataset.row ?? '')
    }
    if (rows.length > 0) this.#changed()
  }

  readonly #met = (entries: IntersectionObserverEntry[]): void => {
    const before = this.#read.size
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue
      this.#observers?.shown.unobserve(target)
      this.#shown.add(target)
      const row = target.closest<HTMLElement>('[data-row]')
      const changes = [...(row?.querySelectorAll('[data-change]') ?? [])]
      if (changes.every((change) => this.#shown.has(change))) this.#read.add(row?.dataset.row ?? '')
    }
    if (this.#read.size > before) this.#changed()
  }
}

const readings = new WeakMap<ViewState, { of: ViewState['proposal']; reading: Reading }>()

/**
 * The reading of the proposal on the screen. A proposal that replaces another of the same run keeps the comparisons.
 */
export function readingOf(view: View): Reading {
  const { proposal } = view.ui
  const known = readings.get(view.ui)
  if (known && known.of === proposal) return known.reading
  const before = known?.of?.runId === proposal?.runId ? known?.reading : undefined
  const reading = new Reading(() => view.requestUpdate(), before)
  readings.set(view.ui, { of: proposal, reading })
  return reading
}

/** Names the row of a changed field. */
export const rowOf = ({ id }: PendingCall, field: string): string => `${id} ${field}`

function rowsOf(call: PendingCall): string[] {
  return call.preview?.changes.map(({ field }) => rowOf(call, field)) ?? [call.id]
}
