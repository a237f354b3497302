import { html, nothing, type TemplateResult } from 'lit'
import { showList } from '../history/open-sidebar.ts'
import { icon, iconButton } from '../icon.ts'
import { isBusy } from '../store/known-transcript.ts'
import { startNew } from '../view/message-field.ts'
import type { MenuItem } from '../view/popup-menu.ts'
import type { Panel } from '../view/view.ts'
import { badges, moreMenu, switchMenu, title, toggleMenu } from './header.ts'

/** Head of the open panel: the title switches conversations, the rest is about the panel. */
export function wideHead(panel: Panel): TemplateResult {
  const { t, conversation, ui } = panel
  const isFull = panel.size === 'full'
  const isNamed = conversation.title !== null
  // Without a title of its own the button would be a second one called `New conversation`.
  const words = html`<span dir="auto">${conversation.title ?? t('app.new')}</span>`
  const name = html`<div class="chat-title">
      ${icon('chat')}
      <div class="switch-home">
        <h2 class="switch-h">
          ${isNamed ? nothing : words}
          <button class="switch" type="button" data-menu="switch"
            aria-label=${isNamed ? nothing : t('app.conversations')} aria-haspopup="menu"
            aria-expanded=${ui.menu === 'switch' ? 'true' : 'false'}
            @click=${() => toggleMenu(panel, 'switch')}>${isNamed ? words : nothing}${icon('down')}</button>
        </h2>
        ${ui.menu === 'switch' ? switchMenu(panel) : nothing}
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

/** Opens the conversation in the full page, where the host has one. */
function moduleButton(panel: Panel): unknown {
  return panel.hasModule ? iconButton('expand', panel.t('panel.module'), () => panel.openModule()) : nothing
}

/** The panel as a bar: title, and one phrase about how things stand. */
export function collapsed(panel: Panel): TemplateResult {
  const { t, conversation } = panel
  return html`<div class="chat">
    <div class="chat-head panel-bar" part="header">
      <div class="chat-title">${icon('chat')}<h2 dir="auto">${conversation.title ?? t('app.new')}</h2>${phrase(panel)}</div>
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

/** Head of the full-screen dialog, and the button that closes it. */
export function narrowHead(panel: Panel): { head: TemplateResult; close: TemplateResult } {
  const { t } = panel
  const close = closeButton(panel)
  const inModule: MenuItem[] = panel.hasModule
    ? [{ label: t('panel.module'), icon: 'expand', run: () => panel.openModule() }, 'line']
    : []
  const head = html`<div class="chat-head" part="header">
    ${iconButton('back', t('history.back'), () => showList(panel))} ${title(panel)}
    ${iconButton('plus', t('app.new'), () => startNew(panel))} ${moreMenu(panel, inModule)} ${close}
  </div>`
  return { head, close }
}

function collapse(panel: Panel): void {
  panel.resize('bar')
  void panel.updateComplete.then(() => panel.find('.panel-bar .icon-btn:nth-last-of-type(2)')?.focus())
}

function phrase({ t, conversation, format }: Panel): unknown {
  const says = (look: string, words: string, sign: unknown = nothing) =>
    html`<span class="bar-says ${look}">${sign}${words}</span>`
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

function closeButton(panel: Panel): TemplateResult {
  return iconButton('close', panel.t('app.close'), () => panel.toggle(false))
}
