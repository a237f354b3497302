import { html, nothing, type PropertyValues } from 'lit'
import { send } from './events.ts'
import { ChatElement } from './view.ts'

/**
 * The chat at the bottom of the page: bar, half or full height, or what the user dragged it to; below 896 px a modal
 * dialog. Closed it shows no region, but goes on counting busy conversations for `ai-chat-busy`.
 *
 * Where the page does nothing, it floats over the bottom edge. A page that lays it out itself (say, in a row of its
 * grid, so that nothing is covered) overrides `position` from outside: `ai-chat-panel { position: relative }`; the
 * height then follows the parent element's box, and `ai-chat-toggle` tells it in pixels after every change.
 *
 * @attr {boolean} open - shown or not; set by the page's button, reflected when the user closes it
 * @fires ai-chat-toggle - `{ open, height, size }` after opening, closing and resizing
 * @fires ai-chat-open-module - `{ conversationId }` when the user wants the full page
 * @cssprop --aic-panel-height - the height now, set by the element
 */
export class ChatPanel extends ChatElement {
  static override properties = { ...ChatElement.properties, open: { type: Boolean, reflect: true } }
  declare open: boolean

  constructor() {
    super()
    this.open = false
  }

  /** Opens or closes the panel, as the toolbar button does. */
  toggle(open = !this.open): void {
    this.open = open
  }

  override updated(changed: PropertyValues): void {
    if (changed.has('open') && changed.get('open') !== undefined)
      send(this, 'ai-chat-toggle', { open: this.open, height: this.offsetHeight, size: 'half' })
  }

  override render(): unknown {
    return this.open ? html`<section class="panel" aria-label="AI Chat"></section>` : nothing
  }
}
