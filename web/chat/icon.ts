import { html, type TemplateResult } from 'lit'
import paths from './icons.json' with { type: 'json' }

/** Icons on a grid of 16, one path each: drawn with a stroke of 1.5, or filled. */
export type Icon = keyof typeof paths

const filled: ReadonlySet<string> = new Set(['stop', 'more'])
/** Icons with a direction: they are mirrored if the text runs from right to left. */
const directed: ReadonlySet<string> = new Set(['right', 'left', 'back', 'undo'])
/** The faint track on which the ring of the icon `spin` turns. */
const track = 'M2.25 8a5.75 5.75 0 1 0 11.5 0a5.75 5.75 0 1 0 -11.5 0'

const iconClass = (name: Icon, more: string) =>
  `i${filled.has(name) ? ' i-fill' : ''}${directed.has(name) ? ' i-d' : ''}${name === 'spin' ? ' spin' : ''}${more && ` ${more}`}`

/** Returns a decorative icon: a label beside it or on its button always gives the meaning. */
export function icon(name: Icon, more = ''): TemplateResult {
  if (name === 'spin')
    // The template has no space before the tag, because the browser would render the space before the label.
    return html`<svg class=${iconClass(name, more)} viewBox="0 0 16 16" aria-hidden="true"><path class="i-track" d=${track}></path><path d=${paths.spin}></path></svg>`
  return html`<svg class=${iconClass(name, more)} viewBox="0 0 16 16" aria-hidden="true"><path d=${paths[name]}></path></svg>`
}

/** Returns a button that shows only an icon; `label` is its name. `more` adds classes. */
export function iconButton(
  sign: Icon,
  label: string,
  act: (event: Event) => unknown,
  more = '',
): TemplateResult {
  return html`<button class="icon-btn ${more}" type="button" aria-label=${label} title=${label} @click=${act}>${icon(sign)}</button>`
}
