import { html, nothing, type TemplateResult } from 'lit'
import { icon } from '../icon.ts'
import type { View } from '../view/view.ts'
import { addMenu, toggleAdd } from './on-demand.ts'

/** What else can go with a message, in a menu. */
export function addButton(view: View): TemplateResult {
  const { t, ui } = view
  return html`<button
      class="icon-btn"
      type="button"
      data-menu="add"
      aria-label=${t('mention.menu')}
      title=${t('mention.menu')}
      aria-haspopup="menu"
      aria-expanded=${String(ui.menu === 'add')}
      @click=${() => toggleAdd(view)}
    >
      ${icon('plus')}
    </button>
    ${ui.menu === 'add' ? addMenu(view) : nothing}`
}
