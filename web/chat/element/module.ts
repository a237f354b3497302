import { html } from 'lit'
import type { Mention } from '../../../core/conversation/schema.ts'
import { chat, runShortcut } from '../conversation/chat.ts'
import { actions, historySidebar, showList, title } from '../conversation/header.ts'
import { iconButton } from '../icon.ts'
import { mention } from '../mention/mention.ts'
import { ChatElement } from './element.ts'
import { moduleStyles } from './style.ts'

/**
 * The full-page chat: history and conversation side by side; below 896 px only one of them is visible. It fills the box
 * that the page gives it. Attributes, properties, events, parts and methods are those of `ChatElement`.
 */
export class ChatModule extends ChatElement {
  static override styles = moduleStyles

  override get isShowing(): boolean {
    return this.isConnected
  }

  override pressed(shortcut: string): boolean {
    return runShortcut(this, shortcut)
  }

  /** Adds a record, file or user of the site to the message that the user writes, and focuses the field. */
  mention(it: Mention): void {
    this.ui.set({ side: 'conversation' })
    void mention(this, it)
  }

  override render(): unknown {
    const { t, ui } = this
    const back = iconButton('back', t('history.back'), () => showList(this), 'narrow-only')
    const head = html`<div class="chat-head" part="header">${back} ${title(this)} ${actions(this)}</div>`
    return html`<div class="module module-${ui.side}">
      <button class="skip" type="button" @click=${() => this.focusMessage()}>${t('app.skip')}</button>
      ${historySidebar(this)} ${chat(this, head)}
    </div>`
  }
}
