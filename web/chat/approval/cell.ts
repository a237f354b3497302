import { html } from 'lit'
import type { View } from '../view/view.ts'
import type { Comparison, Piece } from './diff.ts'
import { endsMarked, readableText, type Sides } from './form.ts'
import { shown } from './shown.ts'
import { pencil, rewording, type Wording } from './wording.ts'

type Cell = {
  /** What was there, what will be, or what stays as it is. */
  side: 'was' | 'will' | 'same'
  name: string
  value: string | null
  /** The value is a readable form. */
  isReadable: boolean
  pieces: Piece[]
  key: string
  /** What the user may put other words into. */
  wording?: Wording | undefined
}

/** Longer than this, or of more lines, a value is folded until its reader opens it. */
const longValue = 1_200
const manyLines = 24

/** One side of a changed field, with what changes marked. A long one is folded, with a button that shows all of it. */
export function cell(view: View, it: Cell): unknown {
  const { side, name, value, isReadable, pieces, key, wording } = it
  const { t, ui } = view
  if (wording && ui.wording === key) return rewording(view, wording)
  const label = html`<span class="vh">${name}: </span>`
  if (!value)
    return html`<td class="${side} unset">${label}<span class="none">${t('approval.empty')}</span></td>`
  const isWhole = ui.passages.has(key)
  const showAll = () => {
    ui.passages.add(key)
    view.requestUpdate()
  }
  let isMarked = false
  const text = (part: string) => {
    if (!isReadable) return shown(view, part)
    const marked = readableText(view, part, isMarked)
    isMarked = endsMarked(part, isMarked)
    return marked
  }
  // Written without spaces between the pieces: the cell keeps white space as it is.
  const words = html`${label}${pieces.map((piece) => {
    if (piece.changed)
      return side === 'was' ? html`<del>${text(piece.text)}</del>` : html`<ins>${text(piece.text)}</ins>`
    if (isWhole || piece.short === null) return text(piece.text)
    return html`${text(piece.short[0])}<button class="cut" type="button" title=${t('approval.whole')} aria-label=${t('approval.whole')} @click=${showAll}>…</button>${text(piece.short[1])}`
  })}`
  const seen = pieces.map((piece) => (piece.short && !isWhole ? piece.short.join('…') : piece.text)).join('')
  // Beside the first line: the row of a short text is no taller for the button.
  const beside = (content: unknown) =>
    wording ? html`<div class="worded"><div>${content}</div>${pencil(view, wording, key)}</div>` : content
  if (isWhole || !isLong(seen)) return html`<td class=${side} dir="auto">${beside(words)}</td>`
  // What is in view opens itself for the keyboard: no button may have the focus where it is not seen.
  const folded = html`<div class="fold" @focusin=${showAll}>${words}</div>`
  return html`<td class=${side} dir="auto">${beside(folded)}<button class="btn btn-sm" type="button" aria-label=${`${name}: ${t('approval.whole')}`} @click=${showAll}>${t('approval.whole')}</button></td>`
}

function isLong(text: string): boolean {
  return text.length > longValue || text.split('\n', manyLines + 1).length > manyLines
}

const made = new WeakMap<Sides, Comparison>()

/** The words that change, marked; until the comparison is loaded, the values as they are. */
export function compared(view: View, change: Sides): Comparison {
  const known = made.get(change)
  if (known) return known
  import('./diff.ts').then(
    ({ compare }) => {
      made.set(change, compare(change.before ?? '', change.after ?? ''))
      view.requestUpdate()
    },
    () => {
      // There is no connection. The values are shown as they are until the next drawing fetches it again.
    },
  )
  return whole(change)
}

/** Both values as they are. */
export function whole({ before, after }: Sides): Comparison {
  const piece = (text: string | null): Piece[] => [{ text: text ?? '', changed: false, short: null }]
  return { was: piece(before), will: piece(after) }
}
