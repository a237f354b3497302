import { html, nothing } from 'lit'
import type { FieldChange } from '../../../core/conversation/schema.ts'
import type { View } from '../view/view.ts'
import type { Piece } from './diff.ts'
import { withMarks } from './hidden.ts'
import { pencil, rewording, type Wording } from './wording.ts'

/** A change in one of its forms. */
export type Sides = Pick<FieldChange, 'before' | 'after' | 'original'>

/** The form of a change that its reader wants to see: the readable one unless they asked for the stored one. */
export function form({ ui }: View, change: FieldChange, key: string): Sides {
  return change.readable && !ui.stored.has(key) ? change.readable : change
}

/** The button for the stored form, where a change has a readable one. */
export function formButton(view: View, { readable, label }: FieldChange, key: string): unknown {
  const { t, ui } = view
  if (!readable) return nothing
  const turn = () => {
    if (!ui.stored.delete(key)) ui.stored.add(key)
    view.requestUpdate()
  }
  return html`<button class="btn btn-sm source" type="button" aria-pressed=${ui.stored.has(key)} aria-label=${`${label}: ${t('approval.source')}`} @click=${turn}>${t('approval.source')}</button>`
}

/**
 * Text of a readable form. Marks between brackets are not the person's own text, and look different. `isMarked`: the
 * text begins within brackets.
 */
function readableText(view: View, text: string, isMarked: boolean): unknown {
  const isOpen = isMarked && !text.includes('⟦') && !text.includes('⟧')
  if (isOpen) return html`<span class="told">${withMarks(view, text)}</span>`
  return text
    .split(/(⟦[^⟧]*⟧?|^[^⟦⟧]*⟧)/)
    .map((part, at) =>
      at % 2 === 1 ? html`<span class="told">${withMarks(view, part)}</span>` : withMarks(view, part),
    )
}

/** Answers if the text after this one begins inside brackets. */
function endsMarked(text: string, isMarked: boolean): boolean {
  const [opened, closed] = [text.lastIndexOf('⟦'), text.lastIndexOf('⟧')]
  return opened === closed ? isMarked : opened > closed
}

type Cell = {
  /** The side of the change: the old value, the new value, or an unchanged one. */
  side: 'was' | 'will' | 'same'
  name: string
  value: string | null
  /** The value is a readable form. */
  isReadable: boolean
  pieces: Piece[]
  key: string
  /** All of the value is the change; no words of it are marked. */
  isChange?: boolean
  /** The text that the user can replace with other words. */
  wording?: Wording | undefined
}

/** A longer value, or one of more lines, is folded until its reader opens it. */
const longValue = 1_200
const manyLines = 24

/** One side of a changed field, with what changes marked. A long one is folded, with a button that shows all of it. */
export function cell(view: View, it: Cell): unknown {
  const { side, name, value, isReadable, pieces, key, isChange = false, wording } = it
  const { t, ui } = view
  if (wording && ui.wording === key) return rewording(view, wording)
  const label = html`<span class="vh">${name}: </span>`
  if (!value)
    return html`<td class="${side} unset" ?data-change=${isChange}>${label}<span class="none">${t('approval.empty')}</span></td>`
  const isOpen = ui.passages.has(key)
  const showAll = () => {
    ui.passages.add(key)
    view.requestUpdate()
  }
  let isMarked = false
  const text = (part: string) => {
    if (!isReadable) return withMarks(view, part)
    const marked = readableText(view, part, isMarked)
    isMarked = endsMarked(part, isMarked)
    return marked
  }
  // Written without spaces between the pieces: the cell keeps white space as it is.
  const words = html`${label}${pieces.map((piece) => {
    if (piece.changed)
      return side === 'was'
        ? html`<del data-change>${text(piece.text)}</del>`
        : html`<ins data-change>${text(piece.text)}</ins>`
    if (isOpen || piece.short === null) return text(piece.text)
    return html`${text(piece.short[0])}<button class="cut" type="button" title=${t('approval.whole')} aria-label=${t('approval.whole')} @click=${showAll}>…</button>${text(piece.short[1])}`
  })}`
  const seen = pieces.map((piece) => (piece.short && !isOpen ? piece.short.join('…') : piece.text)).join('')
  // Beside the first line: the row of a short text is no taller for the button.
  const beside = (content: unknown) =>
    wording ? html`<div class="worded"><div>${content}</div>${pencil(view, wording, key)}</div>` : content
  if (isOpen || !isLong(seen))
    return html`<td class=${side} dir="auto" ?data-change=${isChange}>${beside(words)}</td>`
  // Unfolds the visible text for the keyboard: a button inside must not have the focus while it is hidden.
  const folded = html`<div class="fold" @focusin=${showAll}>${words}</div>`
  return html`<td class=${side} dir="auto" ?data-change=${isChange}>${beside(folded)}<button class="btn btn-sm" type="button" aria-label=${`${name}: ${t('approval.whole')}`} @click=${showAll}>${t('approval.whole')}</button></td>`
}

function isLong(text: string): boolean {
  return text.length > longValue || text.split('\n', manyLines + 1).length > manyLines
}
