import { html, nothing, type TemplateResult } from 'lit'
import { icon, menuButton } from '../icon.ts'
import { lazy, loadAhead } from '../lazy.ts'
import type { MenuItem } from '../view/popup-menu.ts'
import type { View } from '../view/view.ts'

/** The field for a new title, loaded with the menu that leads to it. */
const renaming = lazy(async () => (await import('./actions.ts')).renaming)

/** The menu `More actions`, loaded when it opens. */
const actionMenu = loadAhead(
  lazy(async () => {
    const [part] = await Promise.all([import('./actions.ts'), renaming.load()])
    return part.actionMenu
  }),
)

/** The menu of conversations behind the title of the panel, loaded when it opens. */
export const switchMenu = loadAhead(lazy(async () => (await import('./actions.ts')).switchMenu))

/** Opens the menu with the focus on its first item, or closes it. */
export async function toggleMenu(view: View, name: 'more' | 'switch'): Promise<void> {
  await (name === 'more' ? actionMenu : switchMenu).load()
  view.ui.set({ menu: view.ui.menu === name ? null : name })
  await view.updateComplete
  view.find<HTMLElement>(`#menu-${name} [role=menuitem]`)?.focus()
}

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
  return html`<button class="btn btn-sm btn-quiet hide-narrow" type="button"
      @click=${() => ui.set({ dialog: 'instructions' })}>
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
