import { html, nothing, type TemplateResult } from 'lit'
import type { Label } from '../../core/base/languages/sentence.ts'
import type { RecordId } from '../../core/conversation/schema.ts'
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

type MenuOptions = {
  isAdmin: boolean
  mayChat: boolean
  place: BackendPlace
  /** The page that was open last. */
  page: RecordId | null
  /** The conversation that was open last. */
  conversationId: string | null
  /** Menu and tree are drawers. */
  isNarrow: boolean
}

/** The modules by group. Those that the user may not open are not there; a group without modules is not shown. */
export function moduleMenu({
  isAdmin,
  mayChat,
  place,
  page,
  conversationId,
  isNarrow,
}: MenuOptions): TemplateResult {
  const link = (name: ModuleName & Icon, to: BackendPlace) => html`<li>
    <a class="module-link" href=${format(to)} aria-current=${name === moduleOf(place) ? 'page' : nothing}
      >${icon(name)}${t(`module.${name}`)}</a
    >
  </li>`
  return html`<nav class="modules" id="modules" aria-label=${t('menu.modules')} popover=${isNarrow ? 'auto' : nothing}
    @toggle=${focusInside}>
    ${group('menu.web', [
      link('page', { module: 'page', page, isEditing: false }),
      link('list', { module: 'list', table: null, page, offset: 0 }),
    ])}
    ${group('menu.system', [
      link('log', { module: 'log' }),
      isAdmin ? link('usage', { module: 'usage' }) : nothing,
    ])}
    ${mayChat ? group('menu.admin', [link('chat', { module: 'chat', conversationId })]) : nothing}
  </nav>`
}

function group(label: Label, links: unknown[]): TemplateResult {
  const id = label.replace('.', '-')
  return html`<div><h2 id=${id}>${t(label)}</h2><ul aria-labelledby=${id}>${links}</ul></div>`
}

type FrameOptions = MenuOptions & {
  api: Api
  lang: string
  revision: number
  context: OpenPlace | null
  panel: Pick<ToggleDetail, 'open' | 'size'>
}

/** The work area: page tree and module frame, and below them the chat's panel, for which the frame makes room. */
export function frame(options: FrameOptions): TemplateResult {
  const { place, panel } = options
  const hasTree = ['page', 'list'].includes(moduleOf(place))
  const classes = `work ${hasTree ? '' : 'work-wide'} ${panel.open ? `work-panel work-${panel.size}` : ''}`
  return html`<div class=${classes}>
    ${hasTree ? tree(options) : nothing}
    <main class="sheet frame" id="module" tabindex="-1">
      ${panel.open && panel.size === 'full' && place.module !== 'chat' ? html`<h1 class="vh">${t('module.chat')}</h1>` : nothing}
      ${hasTree ? treeButton() : nothing} ${module(options)}
    </main>
    ${options.mayChat ? chatPanel(options) : nothing}
  </div>`
}

function tree({ api, page, revision, isNarrow }: FrameOptions): TemplateResult {
  return html`<aside class="sheet tree" id="tree" aria-label=${t('tree.name')} popover=${isNarrow ? 'auto' : nothing} @toggle=${focusInside}>
    <backend-tree .api=${api} .selected=${page} .revision=${revision}></backend-tree>
  </aside>`
}

/** Moves the focus into a drawer that has just opened: to where one is in it, else to its first stop. */
function focusInside(event: ToggleEvent): void {
  if (event.newState !== 'open') return
  const drawer = event.target as HTMLElement
  const here = drawer.querySelector<HTMLElement>('[aria-current=page], [role=treeitem][tabindex="0"]')
  const target = here ?? drawer.querySelector<HTMLElement>('a[href], button, input')
  target?.focus()
}

/** The button that opens the tree, which is a drawer below 896 px. */
function treeButton(): TemplateResult {
  return html`<button class="btn btn-quiet tree-button narrow-only" type="button" popovertarget="tree">
    ${icon('folder')}${t('tree.name')}
  </button>`
}

function module({
  api,
  place,
  page,
  revision,
  isAdmin,
  lang,
  context,
  mayChat,
}: FrameOptions): TemplateResult {
  switch (place.module) {
    case 'page':
      return pageModule(api, place, revision, mayChat)
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
      return mayChat
        ? html`<h1 class="vh">${t('module.chat')}</h1><ai-chat-module lang=${lang} conversation-href="/backend/chat/{id}"
            record-href="/backend/list/{table}/{uid}" .conversationId=${place.conversationId} .context=${context}></ai-chat-module>`
        : html`<p class="notice">${t('chat.denied')}</p>`
  }
}

/** A module that is for administrators alone, for anyone else who comes by its address. */
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

function chatPanel({ lang, context }: FrameOptions): TemplateResult {
  return html`<ai-chat-panel lang=${lang} conversation-href="/backend/chat/{id}"
    record-href="/backend/list/{table}/{uid}" .context=${context}></ai-chat-panel>`
}
