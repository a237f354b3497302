import { html, svg, type TemplateResult } from 'lit'
import { type Icon as ChatIcon, icon as chatIcon } from '../chat/icon.ts'

/** Icons that the chat does not have. Their grid has 16 units; the grid of `mark` has 20. */
const signs = {
  mark: svg`<path d="M3.75 12.75a6.25 6.25 0 0 1 12.5 0M1.75 16.25h16.5" /><path d="M7.25 12.75a2.75 2.75 0 0 1 5.5 0" />`,
  usage: svg`<path d="M2.25 13.75h11.5M4 11.25V8M8 11.25v-8M12 11.25V5.5" />`,
  hidden: svg`<path d="M2.25 2.25l11.5 11.5M6.4 4.1A6.6 6.6 0 0 1 8 3.9c3.2 0 5.3 2.5 6.25 4.1a10.6 10.6 0 0 1-1.9 2.35M4.25 5.15A10.6 10.6 0 0 0 1.75 8C2.7 9.6 4.8 12.1 8 12.1c1 0 1.95-.25 2.75-.65M6.6 6.65a1.95 1.95 0 0 0 2.75 2.75" />`,
  theme: svg`<circle cx="8" cy="8" r="5.5" /><path d="M8 2.5v11a5.5 5.5 0 0 0 0-11Z" fill="currentColor" stroke="none" />`,
  menu: svg`<path d="M2.5 4.25h11M2.5 8h11M2.5 11.75h11" />`,
  logout: svg`<path d="M6.25 2.75h-3.5v10.5h3.5M10 5l3 3-3 3M12.75 8H6" />`,
}

export type Icon = ChatIcon | keyof typeof signs

const isOwn = (name: Icon): name is keyof typeof signs => Object.hasOwn(signs, name)

/** Returns a decorative icon in the colour of its text. The class `i-d` mirrors it from right to left. */
export function icon(name: Icon, className = ''): TemplateResult {
  if (!isOwn(name)) return chatIcon(name, className)
  const size = name === 'mark' ? 20 : 16
  return html`<svg class="i ${className}" viewBox="0 0 ${size} ${size}" aria-hidden="true">${signs[name]}</svg>`
}
