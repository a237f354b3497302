import { html, nothing } from 'lit'
import type { ViewContext } from '../../../core/conversation/schema.ts'
import type { OpenPlace } from '../events.ts'
import { type Icon, icon } from '../icon.ts'
import { pagesOf, tableWord } from './record-link.ts'
import type { View } from './view.ts'

/** Names a module by the word: `log`, `system/logs` and `web_log`, but no `blog` or `catalog`. */
export const logModule = /(?:^|[^a-z])logs?(?![a-z])/i

/** The chip that shows which place of the user the assistant will know of. */
export function place(view: View): unknown {
  const { t, conversation, place: open, ui } = view
  if (!open) return nothing
  const kind = placeKind(open, pagesOf(view))
  const words = wordsOf(view, open, kind)
  if (!words) return nothing
  const ofModule = logModule.test(open.module) ? 'log' : 'list'
  const sign: Icon = kind === 'module' ? ofModule : kind
  const leave = t(leaves[kind])
  const isNew = conversation.lastPlace !== null && conversation.lastPlace !== placeName(view)
  return html`<span class="context ${isNew ? 'context-new' : ''}" title=${isNew ? t('composer.contextChanged') : words}>
    ${icon(sign)}<span dir="auto">${words}</span
    >${isNew ? html`<span class="vh">${t('composer.contextChanged')}</span>` : nothing}<button
      type="button"
      aria-label=${leave}
      title=${leave}
      @click=${() => {
        ui.set({ leftOut: open })
        view.focusMessage()
      }}
    >
      ${icon('close')}
    </button>
  </span>`
}

/**
 * The kind of the open place: a page of the tree, another record, or a module without either. `pages` is the type of
 * the pages.
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

/** The part of the place that goes with a message; null: none. */
export function viewContextOf(view: View): ViewContext | null {
  const { place } = view
  if (!place) return null
  const { pageId, table, module } = place
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return {
    ...(typeof pageId === 'number' ? { pageId } : { pageId: 0, page: pageId }),
    ...(table !== undefined && placeKind(place, pagesOf(view)) === 'record' && { table }),
    module,
    // Browsers that resist fingerprints leave it empty; then the stage uses its own zone.
    ...(timeZone && { timeZone }),
  }
}

/** Names the place of a message: the page, in whichever module it is open, else the module. */
export function placeName({ place }: View): string {
  if (place === null) return ''
  return place.pageId === 0 ? place.module : `${place.table ?? 'page'} ${place.pageId}`
}
