import { html, type TemplateResult } from 'lit'
import { type Icon, icon } from '../icon.ts'
import type { View } from './view.ts'

/** The button with a sign that opens and closes a menu of the chat; `label` is its name. */
export function menuButton(
  { ui }: View,
  menu: 'more' | 'add',
  sign: Icon,
  label: string,
  toggle: () => unknown,
): TemplateResult {
  return html`<button
    class="icon-btn"
    type="button"
    data-menu=${menu}
    aria-label=${label}
    title=${label}
    aria-haspopup="menu"
    aria-expanded=${String(ui.menu === menu)}
    @click=${toggle}
  >
    ${icon(sign)}
  </button>`
}

/** The time to undo an act with one click, in milliseconds. */
const offerMs = 10_000

/** Reports an act for a while with an undo button, in the list or above the field. */
export function offer(view: View, text: string, undo: () => void, inList = false): void {
  const take = () => {
    view.ui.set({ offer: null })
    undo()
  }
  view.ui.set({ offer: { text, undo: take, until: Date.now() + offerMs, inList } })
}
