import { html, nothing, type TemplateResult } from 'lit'
import type { RecordId } from '../../core/conversation/schema.ts'
import type { OpenPlace, ToggleDetail } from '../chat/events.ts'
import type { Api } from './backend-api.ts'
import { icon } from './icon.ts'
import './list-module.ts'
import './log-module.ts'
import './page-module.ts'
import './record-form.ts'
import './tree.ts'
import './usage-module.ts'
import { focusInside } from './module-menu.ts'
import { type BackendPlace, format, moduleOf } from './route.ts'
import { t } from './text.ts'

type FrameOptions = {
  api: Api
  isAdmin: boolean
  lang: string
  mayChat: boolean
  place: BackendPlace
  /** The page that was open last. */
  page: RecordId | null
  revision: number
  context: OpenPlace | null
  panel: Pick<ToggleDetail, 'open' | 'size'>
  isNarrow: boolean
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
      return html`<backend-log .api=${api} .mayRead=${isAdmin} .revision=${revision}></backend-log>`
    case 'usage':
      return html`<backend-usage .api=${api} .mayRead=${isAdmin}></backend-usage>`
    case 'chat':
      return mayChat
        ? html`<h1 class="vh">${t('module.chat')}</h1><ai-chat-module lang=${lang} conversation-href="/backend/chat/{id}"
            record-href="/backend/list/{table}/{uid}" .conversationId=${place.conversationId} .context=${context}></ai-chat-module>`
        : html`<p class="notice">${t('chat.denied')}</p>`
  }
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
