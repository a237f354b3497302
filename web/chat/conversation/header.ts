import { html, nothing, type TemplateResult } from 'lit'
import { icon } from '../icon.ts'
import type { MenuItem } from '../view/menu.ts'
import { menuButton } from '../view/menu-button.ts'
import type { View } from '../view/view.ts'
import { actionMenu, renaming, toggleMenu } from './on-demand.ts'

/** The title, or the field for a new one, and what needs to be known of the conversation. */
export function title(view: View): unknown {
  const { t, conversation, ui } = view
  if (ui.isRenaming) return renaming(view)
  return html`<div class="chat-title">
    <h2 dir="auto" title=${conversation.title ?? ''}>${conversation.title ?? t('app.new')}</h2>
    ${badges(view)}
  </div>`
}

/** Waiting, archived, instructed: each in words. */
export function badges({ t, conversation }: View): unknown {
  const { summary, systemPrompt } = conversation.transcript
  return html`${
    conversation.status === 'awaiting_approval'
      ? html`<span class="badge badge-warn badge-optional">${icon('clock')}${t('badge.waiting')}</span>`
      : nothing
  }${
    summary?.archived
      ? html`<span class="badge badge-optional">${icon('archive')}${t('badge.archived')}</span>`
      : nothing
  }${
    systemPrompt
      ? html`<span class="badge badge-optional">${icon('sliders')}${t('badge.instructions')}</span>`
      : nothing
  }`
}

/** Instructions and the menu with everything that can be done to the conversation. */
export function actions(view: View, more: MenuItem[] = []): TemplateResult {
  const { t, ui } = view
  return html`<button
      class="btn btn-sm btn-quiet hide-narrow"
      type="button"
      @click=${() => ui.set({ dialog: 'instructions' })}
    >
      ${icon('sliders')}${t('menu.instructions')}
    </button>
    ${moreMenu(view, more)}`
}

/** The menu `More actions` of a conversation. */
export function moreMenu(view: View, more: MenuItem[] = []): TemplateResult {
  const { t, ui } = view
  return html`<div class="menu-home">
    ${menuButton(view, 'more', 'more', t('menu.more'), () => toggleMenu(view, 'more'))}
    ${ui.menu === 'more' ? actionMenu(view, more) : nothing}
  </div>`
}
