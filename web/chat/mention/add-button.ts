import { html, nothing, type TemplateResult } from 'lit'
import { menuButton } from '../view/menu-button.ts'
import type { View } from '../view/view.ts'
import { addMenu, toggleAdd } from './on-demand.ts'

/** The menu of further things to add to a message. */
export function addButton(view: View): TemplateResult {
  return html`${menuButton(view, 'add', 'plus', view.t('mention.menu'), () => toggleAdd(view))}
  ${view.ui.menu === 'add' ? addMenu(view) : nothing}`
}
