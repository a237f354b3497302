import { html } from 'lit'
import type { FieldChange } from '../../../core/conversation/schema.ts'
import type { View } from '../view/view.ts'
import type { Comparison, Piece } from './diff.ts'
import { shown } from './shown.ts'
import { pencil, rewording, type Wording } from './wording.ts'

type Cell = {
  /** What was there, what will be, or what stays as it is. */
  side: 'was' | 'will' | 'same'
  name: string
  value: string | null
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
  const { side, name, value, pieces, key, wording } = it
  const { t, ui } = view
  if (wording && ui.wording === key) return rewording(view, wording, value ?? '')
  const label = html`<span class="vh">${name}: </span>`
  if (!value)
    return html`<td class="${side} unset">${label}<span class="none">${t('approval.empty')}</span></td>`
  const isWhole = ui.passages.has(key)
  const showAll = () => {
    ui.passages.add(key)
    view.requestUpdate()
  }
  // Written without spaces between the pieces: the cell keeps white space as it is.
  const words = html`${label}${pieces.map((piece) => {
    if (piece.changed)
      return side === 'was'
        ? html`<del>${shown(view, piece.text)}</del>`
        : html`<ins>${shown(view, piece.text)}</ins>`
    if (isWhole || piece.short === null) return shown(view, piece.text)
    return html`${shown(view, piece.short[0])}<button class="cut" type="button" title=${t('approval.whole')} aria-label=${t('approval.whole')} @click=${showAll}>…</button>${shown(view, piece.short[1])}`
  })}`
  const text = pieces.map((piece) => (piece.short && !isWhole ? piece.short.join('…') : piece.text)).join('')
  // Beside the first line: the row of a short text is no taller for the button.
  const beside = (content: unknown) =>
    wording ? html`<div class="worded"><div>${content}</div>${pencil(view, wording, key)}</div>` : content
  if (isWhole || !isLong(text)) return html`<td class=${side} dir="auto">${beside(words)}</td>`
  // What is in view opens itself for the keyboard: no button may have the focus where it is not seen.
  const folded = html`<div class="fold" @focusin=${showAll}>${words}</div>`
  return html`<td class=${side} dir="auto">${beside(folded)}<button class="btn btn-sm" type="button" aria-label=${`${name}: ${t('approval.whole')}`} @click=${showAll}>${t('approval.whole')}</button></td>`
}

function isLong(text: string): boolean {
  return text.length > longValue || text.split('\n', manyLines + 1).length > manyLines
}

const made = new WeakMap<FieldChange, Comparison>()

/** The words that change, marked; until the comparison is loaded, the values as they are. */
export function compared(view: View, change: FieldChange): Comparison {
  const known = made.get(change)
  if (known) return known
  void import('./diff.ts').then(({ compare }) => {
    made.set(change, compare(change.before ?? '', change.after ?? ''))
    view.requestUpdate()
  })
  return whole(change)
}

/** Both values as they are. */
export function whole({ before, after }: FieldChange): Comparison {
  const piece = (text: string | null): Piece[] => [{ text: text ?? '', changed: false, short: null }]
  return { was: piece(before), will: piece(after) }
}
