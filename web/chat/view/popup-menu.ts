import { html, nothing, type TemplateResult } from 'lit'
import { type Icon, icon } from '../icon.ts'
import { adoptStyles } from '../style/sheet.ts'
import css from './menu.css?inline'
import type { View } from './view.ts'

export type MenuItem =
  | { label: string; icon?: Icon; run: () => void; disabled?: boolean; danger?: boolean; current?: boolean }
  /** A note among the actions; the arrow keys reach it, so that a screen reader reads it. */
  | { note: string }
  | 'line'

/** A menu with its items; an item that is not available now is false or undefined. */
export type Menu = {
  name: 'more' | 'switch' | 'add'
  label: string
  items: (MenuItem | false | undefined)[]
  look?: string
}

/**
 * Draws the open menu below its button. Arrow keys move in it; Escape returns to the button; a click elsewhere closes
 * it.
 */
export function menu(view: View, { name, label, items, look = '' }: Menu): TemplateResult {
  adoptStyles(view, css)
  return html`<div class="menu ${look}" role="menu" id="menu-${name}" aria-label=${label}
      @keydown=${(event: KeyboardEvent) => move(view, event)}
      @focusout=${(event: FocusEvent) => left(view, event)}>${items.map((item) => (item ? one(view, item) : nothing))}</div>`
}

function one(view: View, item: MenuItem): TemplateResult {
  if (item === 'line') return html`<hr role="separator" />`
  if ('note' in item)
    return html`<div class="note" role="menuitem" tabindex="-1" aria-disabled="true">${item.note}</div>`
  return menuEntry(view, item)
}

function menuEntry(view: View, item: Extract<MenuItem, { label: string }>): TemplateResult {
  const run = () => {
    if (item.disabled) return
    close(view)
    item.run()
  }
  return html`<button type="button" role="menuitem" tabindex="-1" class=${item.danger ? 'danger' : ''}
      aria-disabled=${item.disabled ? 'true' : nothing} aria-current=${item.current ? 'true' : nothing}
      @click=${run}>${item.icon ? icon(item.icon) : nothing}<span dir="auto">${item.label}</span></button>`
}

/** Closes the open menu; its button gets the focus. */
function close(view: View): void {
  const { menu } = view.ui
  view.ui.set({ menu: null })
  view.find(`[data-menu="${menu}"]`)?.focus()
}

function move(view: View, event: KeyboardEvent): void {
  const items = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role=menuitem]')]
  const at = items.indexOf(event.target as HTMLElement)
  const to = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[event.key]
  if (event.key === 'Escape') close(view)
  else if (event.key === 'Tab') view.ui.set({ menu: null })
  else if (to !== undefined) items[to % items.length]?.focus()
  else if (letter(event, items, at)) event.stopPropagation()
  if (to === undefined && event.key !== 'Escape') return
  event.preventDefault()
  event.stopPropagation()
}

/** Moves the focus to the next item that starts with the typed letter; returns false if there is no such item. */
function letter(event: KeyboardEvent, items: HTMLElement[], at: number): boolean {
  if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey || event.key === ' ')
    return false
  const wanted = event.key.toLowerCase()
  const order = [...items.slice(at + 1), ...items.slice(0, at + 1)]
  const found = order.find((item) => item.textContent?.trim().toLowerCase().startsWith(wanted))
  found?.focus()
  return found !== undefined
}

function left(view: View, event: FocusEvent): void {
  const menu = event.currentTarget as HTMLElement
  const to = event.relatedTarget as HTMLElement | null
  // The menu's button already closes the menu when the user clicks on it.
  if (menu.contains(to) || to?.dataset.menu === view.ui.menu) return
  // If another window gets the focus, the menu stays open.
  if (!document.hasFocus()) return
  view.ui.set({ menu: null })
}
