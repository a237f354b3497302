import { html } from 'lit'
import type { Mention } from '../../../core/conversation/schema.ts'
import { act, chat } from '../conversation/chat.ts'
import { actions, title } from '../conversation/header.ts'
import { history, showList } from '../history/list.ts'
import { icon } from '../icon.ts'
import { mention } from '../mention/on-demand.ts'
import { ChatElement } from './element.ts'
import { moduleStyles } from './style.ts'

/**
 * The full-page chat: history and one conversation side by side, below 896 px one of both. It fills the box that the
 * page gives it. Attributes, properties, events, parts and methods are those of `ChatElement`.
 */
export class ChatModule extends ChatElement {
  static override styles = moduleStyles

  override get isShowing(): boolean {
    return this.isConnected
  }

  override pressed(shortcut: string): boolean {
    return act(this, shortcut)
  }

  /** Puts something of the site to the message being written, and the cursor behind it. */
  mention(it: Mention): void {
    this.ui.set({ side: 'conversation' })
    void mention(this, it)
  }

  override render(): unknown {
    const { t, ui } = this
    const back = html`<button
      class="icon-btn narrow-only"
      type="button"
      aria-label=${t('history.back')}
      title=${t('history.back')}
      @click=${() => showList(this)}
    >
      ${icon('back')}
    </button>`
    const head = html`<div class="chat-head" part="header">${back} ${title(this)} ${actions(this)}</div>`
    return html`<div class="module module-${ui.side}">
      <button class="skip" type="button" @click=${() => this.focusMessage()}>${t('app.skip')}</button>
      ${history(this)} ${chat(this, head)}
    </div>`
  }
}
