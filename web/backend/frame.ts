import { html, nothing, type TemplateResult } from 'lit'
import type { RecordId } from '../../core/conversation/schema.ts'
import type { SessionAnswer } from '../../core/user/session/schema.ts'
import type { OpenPlace, ToggleDetail } from '../chat/events.ts'
import type { Api } from './backend-api.ts'
import { type Icon, icon } from './icon.ts'
import { titledFrame } from './module-element.ts'
import './list-module.ts'
import './log-module.ts'
import './page-module.ts'
import './record-form.ts'
import './tree.ts'
import './usage-module.ts'
import * as Route from './route.ts'
import { site, t } from './text.ts'

/** The state of the shell after the login. */
export const initialState = {
  /** The page that the user opened last. */
  page: null as RecordId | null,
  /** A counter that grows whenever records may have changed. */
  revision: 0,
  /** The number of conversations in which the assistant is working. */
  busy: 0,
  /** The number of conversations that wait for a decision of the user. */
  waiting: 0,
  panel: { open: false, size: 'half' } as Pick<ToggleDetail, 'open' | 'size'>,
  /** The conversation that the panel or the Chat module showed last. */
  conversationId: null as string | null,
}

/** The state of the shell that the menu, the top bar and the frame show. */
type ShellState = typeof initialState & {
  api: Api
  session: SessionAnswer
  place: Route.BackendPlace
  /** The open module and page, sent as the context of a question to the assistant. */
  context: OpenPlace | null
}

/** The storage key of the theme that the user chose in this browser; without it, the system's theme is used. */
const themeKey = 'backend-theme'

/** Applies the theme that the user chose in this browser, if there is one. */
export function restoreTheme(): void {
  const chosen = localStorage.getItem(themeKey)
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
}

/** Switches to the other theme and stores it in this browser. */
function switchTheme(): void {
  const { dataset } = document.documentElement
  const preferred = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  dataset.theme = (dataset.theme ?? preferred) === 'dark' ? 'light' : 'dark'
  localStorage.setItem(themeKey, dataset.theme)
}

/** Returns the top bar: site, chat, theme and user. Each button is a separate tab stop. */
export function topbar(shell: ShellState, onChat: () => void, onLogout: () => void): TemplateResult {
  const { session } = shell
  return html`<header class="row topbar">
    <button class="icon-btn narrow-only" type="button" aria-label=${t('top.menu')} popovertarget="modules">
      ${icon('menu')}
    </button>
    <div class="row brand">${icon('mark', 'i-20')}<span>${site}</span></div>
    <div class="row tools" role="toolbar" aria-label=${t('top.toolbar')}>
      ${session.mayChat ? chatButton(shell, onChat) : nothing}
      <button class="icon-btn" type="button" aria-label=${t('top.theme')} title=${t('top.theme')} @click=${switchTheme}>
        ${icon('theme')}
      </button>
      <span class="tools-line"></span>
      ${userMenu(session, onLogout)}
    </div>
  </header>`
}

function chatButton({ busy, waiting, panel }: ShellState, onClick: () => void): TemplateResult {
  // Conversations that wait for the user's decision come before conversations in which the assistant works.
  const count = waiting || busy
  const idle = busy > 0 ? '' : 'count-none'
  const look = waiting > 0 ? 'count-wait' : idle
  const words = [
    waiting > 0 ? t(waiting === 1 ? 'top.waitingOne' : 'top.waitingMany', { count: waiting }) : '',
    busy > 0 ? t(busy === 1 ? 'top.busyOne' : 'top.busyMany', { count: busy }) : '',
  ]
  return html`<button class="tool" type="button" id="chat-button" aria-expanded=${panel.open}
      aria-describedby=${count > 0 ? 'chat-busy' : nothing} @click=${onClick}>
      ${icon('chat')}<span class="label">${t('top.chat')}</span>${
        // The count keeps its space when it is empty, so that the buttons beside it do not move.
        html`<span class="count ${look}" aria-hidden="true">${count > 0 ? count : nothing}</span>`
      }
    </button>${count > 0 ? html`<span class="vh" id="chat-busy">${words.filter(Boolean).join(', ')}</span>` : nothing}`
}

function userMenu({ user }: SessionAnswer, onLogout: () => void): TemplateResult {
  return html`<button class="tool" type="button" id="user-button" aria-haspopup="menu" aria-expanded="false"
      popovertarget="user-menu">
      <span class="avatar avatar-sm" aria-hidden="true">${user.username.slice(0, 2).toUpperCase()}</span
      ><span class="vh">${t('top.user')}${user.username}</span
      ><span class="label" aria-hidden="true">${user.username}</span>
    </button>
    <div class="menu" id="user-menu" popover @toggle=${toggleUserMenu}>
      <p class="stack menu-head"><strong>${user.name || user.username}</strong>${
        user.isAdmin ? html`<small>${t('top.administrator')}</small>` : nothing
      }</p>
      <div role="menu" aria-labelledby="user-button">
        <button type="button" role="menuitem" @click=${onLogout}>${icon('logout', 'i-d')}${t('top.logout')}</button>
      </div>
    </div>`
}

function toggleUserMenu(event: ToggleEvent): void {
  document.getElementById('user-button')?.setAttribute('aria-expanded', String(event.newState === 'open'))
  focusInside(event)
}

/** Returns the module menu in groups. It leaves out modules that the user may not open, and groups without modules. */
export function moduleMenu({ session, place, page, conversationId }: ShellState): TemplateResult {
  const link = (name: Route.ModuleName & Icon, to: Route.BackendPlace) => html`<li>
    <a class="row module-link" href=${Route.addressOf(to)} aria-current=${name === Route.moduleOf(place) ? 'page' : nothing}
      >${icon(name)}${t(`module.${name}`)}</a
    >
  </li>`
  return html`<nav class="stack modules" id="modules" aria-label=${t('menu.modules')} popover @toggle=${focusInside}>
    ${group('web', [
      link('page', { module: 'page', page, isEditing: false }),
      link('list', { module: 'list', table: null, page, offset: 0 }),
    ])}
    ${group('system', [
      link('log', { module: 'log' }),
      session.user.isAdmin ? link('usage', { module: 'usage' }) : nothing,
    ])}
    ${session.mayChat ? group('admin', [link('chat', { module: 'chat', conversationId })]) : nothing}
  </nav>`
}

function group(name: 'web' | 'system' | 'admin', links: unknown[]): TemplateResult {
  const id = `menu-${name}`
  return html`<div><h2 id=${id}>${t(`menu.${name}`)}</h2><ul aria-labelledby=${id}>${links}</ul></div>`
}

/** Returns the work area: page tree, module frame, and below them the chat's panel. An open panel shrinks the frame. */
export function frame(shell: ShellState): TemplateResult {
  const { session, place, panel, context } = shell
  const hasTree = ['page', 'list'].includes(Route.moduleOf(place))
  const classes = `work ${hasTree ? '' : 'work-wide'} ${panel.open ? `work-${panel.size}` : ''}`
  // The panel and the Chat module show the same conversation, so a proposal would be there twice.
  const isInModule = place.module === 'chat'
  return html`<div class=${classes}>
    ${hasTree ? tree(shell) : nothing}
    <main class="sheet frame" id="module" tabindex="-1">
      ${panel.open && panel.size === 'full' && !isInModule ? html`<h1 class="vh">${t('module.chat')}</h1>` : nothing}
      ${hasTree ? treeButton() : nothing} ${module(shell)}
    </main>
    ${
      session.mayChat
        ? html`<ai-chat-panel ?hidden=${isInModule} lang=${session.user.lang} conversation-href="/backend/chat/{id}"
      record-href="/backend/list/{table}/{uid}" .context=${context}></ai-chat-panel>`
        : nothing
    }
  </div>`
}

function tree({ api, page, revision }: ShellState): TemplateResult {
  return html`<aside class="sheet tree" id="tree" aria-label=${t('tree.name')} popover @toggle=${focusInside}>
    <backend-tree .api=${api} .selected=${page} .revision=${revision}></backend-tree>
  </aside>`
}

/** Moves the focus into a drawer or menu that has just opened: to its current item, else to its first control. */
function focusInside(event: ToggleEvent): void {
  if (event.newState !== 'open') return
  const drawer = event.target as HTMLElement
  const here = drawer.querySelector<HTMLElement>('[aria-current=page], [role=treeitem][tabindex="0"]')
  const target = here ?? drawer.querySelector<HTMLElement>('a[href], button, input')
  target?.focus()
}

/** Returns the button that opens the tree, which is a drawer below 896 px. */
const treeButton =
  () => html`<button class="btn btn-quiet tree-button narrow-only" type="button" popovertarget="tree">
  ${icon('folder')}${t('tree.name')}
</button>`

function module(shell: ShellState): TemplateResult {
  const { api, session, place, page, revision, context } = shell
  const { isAdmin, lang } = session.user
  switch (place.module) {
    case 'page':
      if (place.page === null) return html`<p class="waiting faint">${t('page.choose')}</p>`
      if (place.isEditing) return form(shell, 'pages', place.page, { ...place, isEditing: false })
      return html`<backend-page .api=${api} .uid=${place.page} .revision=${revision} .mayAsk=${session.mayChat}></backend-page>`
    case 'list':
      return html`<backend-list .api=${api} .place=${place} .lastPage=${page} .revision=${revision}></backend-list>`
    case 'record':
      return form(shell, place.table, place.uid, { module: 'list', table: null, page, offset: 0 })
    case 'log':
      return isAdmin ? html`<backend-log .api=${api} .revision=${revision}></backend-log>` : denied('log')
    case 'usage':
      return isAdmin ? html`<backend-usage .api=${api}></backend-usage>` : denied('usage')
    case 'chat':
      return session.mayChat
        ? html`<h1 class="vh">${t('module.chat')}</h1><ai-chat-module lang=${lang} conversation-href="/backend/chat/{id}"
            record-href="/backend/list/{table}/{uid}" .conversationId=${place.conversationId} .context=${context}></ai-chat-module>`
        : html`<p class="notice">${t('chat.denied')}</p>`
  }
}

/** Returns the message for users who are not administrators, in place of the module. */
function denied(module: 'log' | 'usage'): TemplateResult {
  const content = html`<p class="meta">${t(`${module}.administrators`)}</p>`
  return titledFrame(t(`module.${module}`), nothing, content)
}

function form(
  { api, revision }: ShellState,
  table: string,
  uid: RecordId,
  above: Route.PagePlace | Route.ListPlace,
): TemplateResult {
  return html`<backend-record .api=${api} .revision=${revision} .table=${table} .uid=${uid} .above=${above}></backend-record>`
}
