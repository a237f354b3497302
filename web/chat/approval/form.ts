import { html, nothing } from 'lit'
import type { FieldChange } from '../../../core/conversation/schema.ts'
import type { View } from '../view/view.ts'
import { shown } from './shown.ts'

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
export function readableText(view: View, text: string, isMarked: boolean): unknown {
  const isOpen = isMarked && !text.includes('⟦') && !text.includes('⟧')
  if (isOpen) return html`<span class="told">${shown(view, text)}</span>`
  return text
    .split(/(⟦[^⟧]*⟧?|^[^⟦⟧]*⟧)/)
    .map((part, at) =>
      at % 2 === 1 ? html`<span class="told">${shown(view, part)}</span>` : shown(view, part),
    )
}

/** Answers if the text after this one begins inside brackets. */
export function endsMarked(text: string, isMarked: boolean): boolean {
  const [opened, closed] = [text.lastIndexOf('⟦'), text.lastIndexOf('⟧')]
  return opened === closed ? isMarked : opened > closed
}
