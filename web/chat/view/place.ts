import { html, nothing } from 'lit'
import type { ViewContext } from '../../../core/conversation/schema.ts'
import type { OpenPlace } from '../events.ts'
import { type Icon, icon } from '../icon.ts'
import { pageTable, tableWord } from './record-link.ts'
import type { View } from './view.ts'

/**
 * Matches a log module's identifier by the word `log`: `log`, `system/logs` and `web_log`, but not `blog` or `catalog`.
 */
export const logModule = /(?:^|[^a-z])logs?(?![a-z])/i

/** Draws the chip with the open place that is sent with the message. */
export function place(view: View): unknown {
  const { t, conversation, place: open, ui } = view
  if (!open) return nothing
  const kind = placeKind(open, pageTable(view))
  const words = wordsOf(view, open, kind)
  if (!words) return nothing
  const ofModule = logModule.test(open.module) ? 'log' : 'list'
  const sign: Icon = kind === 'module' ? ofModule : kind
  const leave = t(leaves[kind])
  const drop = () => {
    ui.set({ leftOut: open })
    view.focusMessage()
  }
  const isNew = conversation.lastPlace !== null && conversation.lastPlace !== placeName(view)
  return html`<span class="context ${isNew ? 'context-new' : ''}" title=${isNew ? t('composer.contextChanged') : words}>
    ${icon(sign)}<span class="ellipsis" dir="auto">${words}</span
    >${isNew ? html`<span class="vh">${t('composer.contextChanged')}</span>` : nothing}<button type="button" aria-label=${leave} title=${leave} @click=${drop}>${icon('close')}</button>
  </span>`
}

/**
 * Returns the kind of the open place: a page, another record, or a module without a page or record. `pages` is the type
 * of the site's pages.
 */
export function placeKind({ pageId, table }: OpenPlace, pages: string | null): 'page' | 'record' | 'module' {
  if (pageId === 0) return 'module'
  return pages !== null && (table === undefined || table === pages) ? 'page' : 'record'
}

const leaves = {
  page: 'composer.leaveOut',
  record: 'composer.leaveRecordOut',
  module: 'composer.leaveModuleOut',
} as const

function wordsOf(
  view: View,
  { pageId, table, title }: OpenPlace,
  kind: ReturnType<typeof placeKind>,
): string {
  const { t } = view
  const uid = String(pageId)
  if (kind === 'module') return title
  if (kind === 'page') return t('composer.contextPage', { title, uid })
  return table === undefined
    ? `${title} [${uid}]`
    : t('composer.contextRecord', { table: tableWord(view, table), title, uid })
}

/** Returns the part of the open place that is sent with a message; null if there is no place. */
export function viewContextOf(view: View): ViewContext | null {
  const { place } = view
  if (!place) return null
  const { pageId, table, module } = place
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return {
    ...(typeof pageId === 'number' ? { pageId } : { pageId: 0, page: pageId }),
    ...(table !== undefined && placeKind(place, pageTable(view)) === 'record' && { table }),
    module,
    // Browsers with protection against fingerprinting may return no time zone; then the stage uses its own.
    ...(timeZone && { timeZone }),
  }
}

/** Returns a text that identifies the open place: its page or record in any module, else its module. */
export function placeName({ place }: View): string {
  if (place === null) return ''
  return place.pageId === 0 ? place.module : `${place.table ?? 'page'} ${place.pageId}`
}
