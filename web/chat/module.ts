import { html } from 'lit'
import { ChatElement } from './view.ts'

/**
 * The full-page chat: history and one conversation side by side, below 896 px one of both. It fills the box that the
 * page gives it. The attributes, properties, events and methods are those of `ChatElement`.
 */
export class ChatModule extends ChatElement {
  override render(): unknown {
    return html`<section class="chat"></section>`
  }
}
