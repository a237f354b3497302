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
import { type BackendPlace, format, type ModuleName, moduleOf } from './route.ts'
import { t } from './text.ts'

/** The state of the shell that the menu, the top bar and the frame show. */
export type ShellState = {
  api: Api
  session: SessionAnswer
  place: BackendPlace
  /** The page that the user opened last. */
  page: RecordId | null
  /** Grows whenever records may have changed. */
  revision: number
  /** The number of conversations in which the assistant is working. */
  busy: number
  /** The number of conversations that wait for a decision of the user. */
  waiting: number
  panel: Pick<ToggleDetail, 'open' | 'size'>
  /** The conversation that the panel or the Chat module showed last. */
  conversationId: string | null
  /** True if menu and tree are drawers. */
  isNarrow: boolean
  /** The open module and page, sent as the context of a question to the assistant. */
  context: OpenPlace | null
}

/** Returns the module menu in groups. It leaves out modules that the user may not open, and groups without modules. */
export function moduleMenu({ session, place, page, conversationId, isNarrow }: ShellState): TemplateResult {
  const link = (name: ModuleName & Icon, to: BackendPlace) => html`<li>
    <a class="row module-link" href=${format(to)} aria-current=${name === moduleOf(place) ? 'page' : nothing}
      >${icon(name)}${t(`module.${name}`)}</a
    >
  </li>`
  return html`<nav class="modules" id="modules" aria-label=${t('menu.modules')} popover=${isNarrow ? 'auto' : nothing}
    @toggle=${focusInside}>
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

/** Returns the work area: page tree, module frame, and the chat's panel below them. The frame shrinks for the panel. */
export function frame(shell: ShellState): TemplateResult {
  const { session, place, panel, context } = shell
  const hasTree = ['page', 'list'].includes(moduleOf(place))
  const classes = `work ${hasTree ? '' : 'work-wide'} ${panel.open ? `work-${panel.size}` : ''}`
  return html`<div class=${classes}>
    ${hasTree ? tree(shell) : nothing}
    <main class="sheet frame" id="module" tabindex="-1">
      ${panel.open && panel.size === 'full' && place.module !== 'chat' ? html`<h1 class="vh">${t('module.chat')}</h1>` : nothing}
      ${hasTree ? treeButton() : nothing} ${module(shell)}
    </main>
    ${
      session.mayChat
        ? html`<ai-chat-panel lang=${session.user.lang} conversation-href="/backend/chat/{id}"
      record-href="/backend/list/{table}/{uid}" .context=${context}></ai-chat-panel>`
        : nothing
    }
  </div>`
}

function tree({ api, page, revision, isNarrow }: ShellState): TemplateResult {
  return html`<aside class="sheet tree" id="tree" aria-label=${t('tree.name')} popover=${isNarrow ? 'auto' : nothing} @toggle=${focusInside}>
    <backend-tree .api=${api} .selected=${page} .revision=${revision}></backend-tree>
  </aside>`
}

/** Moves the focus into a drawer that has just opened: to its current item, else to its first control. */
function focusInside(event: ToggleEvent): void {
  if (event.newState !== 'open') return
  const drawer = event.target as HTMLElement
  const here = drawer.querySelector<HTMLElement>('[aria-current=page], [role=treeitem][tabindex="0"]')
  const target = here ?? drawer.querySelector<HTMLElement>('a[href], button, input')
  target?.focus()
}

/** Returns the button that opens the tree, which is a drawer below 896 px. */
function treeButton(): TemplateResult {
  return html`<button class="btn btn-quiet tree-button narrow-only" type="button" popovertarget="tree">
    ${icon('folder')}${t('tree.name')}
  </button>`
}

function module({ api, session, place, page, revision, context }: ShellState): TemplateResult {
  const { isAdmin, lang } = session.user
  switch (place.module) {
    case 'page':
      return pageModule(api, place, revision, session.mayChat)
    case 'list':
      return html`<backend-list .api=${api} .place=${place} .lastPage=${page} .revision=${revision}></backend-list>`
    case 'record':
      return html`<backend-record .api=${api} .module=${'list'} .table=${place.table} .uid=${place.uid} .revision=${revision}
        .closeHref=${format({ module: 'list', table: null, page, offset: 0 })}></backend-record>`
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

/** Returns the message that replaces an administrators' module for any other user. */
function denied(module: 'log' | 'usage'): TemplateResult {
  const content = html`<p class="meta">${t(`${module}.administrators`)}</p>`
  return titledFrame(t(`module.${module}`), nothing, content)
}

function pageModule(
  api: Api,
  { page, isEditing }: Extract<BackendPlace, { module: 'page' }>,
  revision: number,
  mayAsk: boolean,
): TemplateResult {
  if (page === null) return html`<p class="waiting">${t('page.choose')}</p>`
  const closeHref = format({ module: 'page', page, isEditing: false })
  return isEditing
    ? html`<backend-record .api=${api} .module=${'page'} .table=${'pages'} .uid=${page} .revision=${revision} .closeHref=${closeHref}></backend-record>`
    : html`<backend-page .api=${api} .uid=${page} .revision=${revision} .mayAsk=${mayAsk}></backend-page>`
}
