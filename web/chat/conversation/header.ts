import { html, nothing, type TemplateResult } from 'lit'
import { type Icon, icon, iconButton } from '../icon.ts'
import { lazy, loadAhead } from '../lazy.ts'
import { isBusy } from '../store/known-transcript.ts'
import { instructions } from '../view/dialogs.ts'
import { menuButton, toggleMenu } from '../view/menu-button.ts'
import { startNew } from '../view/message-field.ts'
import type { MenuItem } from '../view/popup-menu.ts'
import type { Panel, View } from '../view/view.ts'

/** The field for a new title, loaded with the menu that opens it. */
const titleField = lazy(async () => (await import('./actions.ts')).titleField)

/** The menu `More actions`, loaded soon after the start. */
const actionMenu = loadAhead(
  lazy(async () => {
    const [part] = await Promise.all([import('./actions.ts'), titleField.load()])
    return part.actionMenu
  }),
)

/** The menu of conversations that the panel's title opens, loaded soon after the start. */
const switchMenu = loadAhead(lazy(async () => (await import('./actions.ts')).switchMenu))

/** The list of all conversations, loaded soon after the start. */
export const historySidebar = loadAhead(
  lazy(async () => (await import('../history/sidebar.ts')).historySidebar),
)

/** Draws the title, or the field for a new title, and the badges of the conversation. */
export function title(view: View): unknown {
  const { t, conversation, ui } = view
  if (ui.isRenaming) return titleField(view)
  return html`<div class="row chat-title">
    <h2 class="ellipsis" dir="auto" title=${conversation.title ?? ''}>${conversation.title ?? t('app.new')}</h2>
    ${badges(view)}
  </div>`
}

/** Draws a badge with words for a conversation that waits, that is archived, or that has instructions. */
function badges({ t, conversation }: View): unknown {
  const { summary, systemPrompt } = conversation.transcript
  const badge = (isShown: boolean | undefined, sign: Icon, words: string, look = '') =>
    isShown ? html`<span class="badge badge-optional ${look}">${icon(sign)}${words}</span>` : nothing
  return [
    badge(conversation.status === 'awaiting_approval', 'clock', t('badge.waiting'), 'badge-warn'),
    badge(summary?.archived, 'archive', t('badge.archived')),
    badge(systemPrompt !== '', 'sliders', t('badge.instructions')),
  ]
}

/** Draws the button for instructions, and the menu of all actions on the conversation. */
export function actions(view: View): TemplateResult {
  const { t, ui } = view
  return html`<button class="btn btn-sm btn-quiet hide-narrow" type="button"
      @click=${() => ui.set({ dialog: instructions })}>
      ${icon('sliders')}${t('menu.instructions')}
    </button>
    ${moreMenu(view)}`
}

/** Draws the button `More actions`, and the menu while it is open. */
function moreMenu(view: View, more: MenuItem[] = []): TemplateResult {
  const { t, ui } = view
  return html`<div class="menu-home">
    ${menuButton(view, 'more', 'more', t('menu.more'), actionMenu)}
    ${ui.menu === 'more' ? actionMenu(view, more) : nothing}
  </div>`
}

/** Shows the list, which replaces the conversation below 896 px, and focuses the open conversation in it. */
export async function showList(view: View): Promise<void> {
  await historySidebar.load()
  view.ui.set({ side: 'list', search: view.store.listing.search })
  await view.updateComplete
  ;(view.find('.conv[aria-current]') ?? view.find('.history-top .icon-btn'))?.focus()
}

/** Draws the head of the open panel: a title that switches conversations, and the buttons of the panel. */
export function wideHead(panel: Panel): TemplateResult {
  const { t, conversation, ui } = panel
  const isFull = panel.size === 'full'
  const isNamed = conversation.title !== null
  // Without a title, the text is outside the button, because another button is already called `New conversation`.
  const words = html`<span class="ellipsis" dir="auto">${conversation.title ?? t('app.new')}</span>`
  const name = html`<div class="row chat-title">
      ${icon('chat')}
      <div class="switch-home">
        <h2 class="row switch-h">
          ${isNamed ? nothing : words}
          <button class="switch" type="button" data-menu="switch"
            aria-label=${isNamed ? nothing : t('app.conversations')} aria-haspopup="menu"
            aria-expanded=${ui.menu === 'switch' ? 'true' : 'false'}
            @click=${() => toggleMenu(panel, 'switch', switchMenu)}>${isNamed ? words : nothing}${icon('down')}</button>
        </h2>
        ${ui.menu === 'switch' ? switchMenu(panel, () => showAll(panel)) : nothing}
      </div>
      ${badges(panel)}
    </div>`
  return html`<div class="chat-head" part="header">
    ${ui.isRenaming ? title(panel) : name}
    ${iconButton('plus', t('app.new'), () => startNew(panel))} ${panel.hasModule ? moduleButton(panel) : moreMenu(panel)}
    <span class="head-line"></span>
    ${iconButton(isFull ? 'half' : 'full', t(isFull ? 'panel.half' : 'panel.full'), () => panel.resize(isFull ? 'half' : 'full'))}
    ${iconButton('down', t('panel.collapse'), () => collapse(panel))} ${closeButton(panel)}
  </div>`
}

/** Shows the list of all conversations, in the full page if the host has one. */
function showAll(panel: Panel): void {
  if (panel.hasModule) panel.openModule()
  else void showList(panel)
}

/** Draws the button that opens the conversation in the full page, if the host has one. */
function moduleButton(panel: Panel): unknown {
  return panel.hasModule ? iconButton('expand', panel.t('panel.module'), () => panel.openModule()) : nothing
}

/** Draws the panel as a bar: the title, and a phrase about the state of the conversation. */
export function collapsedBar(panel: Panel): TemplateResult {
  const { t, conversation } = panel
  return html`<div class="chat">
    <div class="chat-head panel-bar" part="header">
      <div class="row chat-title">${icon('chat')}<h2 class="ellipsis" dir="auto">${conversation.title ?? t('app.new')}</h2>${phrase(panel)}</div>
      ${iconButton('plus', t('app.new'), () => {
        panel.resize('half')
        startNew(panel)
      })}
      ${moduleButton(panel)}
      <span class="head-line"></span>
      ${iconButton('up', t('panel.open'), () => {
        panel.resize('half')
        void panel.updateComplete.then(() => panel.focusMessage())
      })}
      ${closeButton(panel)}
    </div>
  </div>`
}

/** Draws the head of the full-screen dialog. */
export function narrowHead(panel: Panel): TemplateResult {
  const { t } = panel
  const inModule: MenuItem[] = panel.hasModule
    ? [{ label: t('panel.module'), icon: 'expand', run: () => panel.openModule() }, 'line']
    : []
  return html`<div class="chat-head" part="header">
    ${iconButton('back', t('history.back'), () => showList(panel))} ${title(panel)}
    ${iconButton('plus', t('app.new'), () => startNew(panel))} ${moreMenu(panel, inModule)} ${closeButton(panel)}
  </div>`
}

function collapse(panel: Panel): void {
  panel.resize('bar')
  void panel.updateComplete.then(() => panel.find('.panel-bar .icon-btn:nth-last-of-type(2)')?.focus())
}

function phrase({ t, conversation, format }: Panel): unknown {
  const says = (look: string, words: string, sign: unknown = nothing) =>
    html`<span class="ellipsis bar-says ${look}">${sign}${words}</span>`
  if (isBusy(conversation.status) || conversation.isBusy) {
    const elapsed = format.elapsed(Date.now() - (conversation.runningSince || Date.now()))
    return says('bar-run', t('panel.working', { elapsed }), icon('spin'))
  }
  if (conversation.status === 'awaiting_approval') return says('bar-wait', t('panel.waiting'), icon('shield'))
  if (conversation.status === 'failed') return says('bar-bad', t('panel.failed'), icon('warning'))
  const last = conversation.transcript.messages.at(-1)
  if (last?.role !== 'assistant') return nothing
  return says('', t('panel.ready', { time: format.moment(last.createdAt, Date.now()) }))
}

/** Draws the button that closes the panel. */
export function closeButton(panel: Panel): TemplateResult {
  return iconButton('close', panel.t('app.close'), () => panel.toggle(false))
}
