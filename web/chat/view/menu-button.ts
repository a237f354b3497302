import { html, type TemplateResult } from 'lit'
import { type Icon, icon } from '../icon.ts'
import type { View } from './view.ts'

/** The part that draws a menu; it is loaded before the menu opens. */
type MenuPart = { load(): Promise<void> }

/** Returns the icon button that opens and closes a menu of the chat; `label` is its name. */
export function menuButton(
  view: View,
  menu: 'more' | 'add',
  sign: Icon,
  label: string,
  part: MenuPart,
): TemplateResult {
  return html`<button class="icon-btn" type="button" data-menu=${menu} aria-label=${label} title=${label}
      aria-haspopup="menu" aria-expanded=${String(view.ui.menu === menu)} @click=${() => toggleMenu(view, menu, part)}>
    ${icon(sign)}
  </button>`
}

/** Opens the menu, loaded first, with the focus on its first item, or closes it. */
export async function toggleMenu(view: View, name: 'more' | 'add' | 'switch', part: MenuPart): Promise<void> {
  await part.load()
  view.ui.set({ menu: view.ui.menu === name ? null : name })
  await view.focusDrawn(`#menu-${name} [role=menuitem]`)
}
