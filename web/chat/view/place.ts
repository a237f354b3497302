import { html, nothing } from 'lit'
import type { ViewContext } from '../../../core/conversation/schema.ts'
import { type Icon, icon } from '../icon.ts'
import type { View } from './view.ts'

/** The chip that shows which place of the user the assistant will know of. */
export function place(view: View): unknown {
  const { t, conversation, place: open, ui } = view
  if (!open) return nothing
  const isPage = open.pageId !== 0
  const words = isPage
    ? t('composer.contextPage', { title: open.title, uid: String(open.pageId) })
    : open.title
  if (!words) return nothing
  const sign: Icon = isPage ? 'page' : /log/i.test(open.module) ? 'log' : 'list'
  const leave = t(isPage ? 'composer.leaveOut' : 'composer.leaveModuleOut')
  const isNew = conversation.lastPlace !== null && conversation.lastPlace !== placeOf(view)
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

/** What of the place goes with a message; null: nothing. */
export const viewContextOf = ({ place }: View): ViewContext | null =>
  place &&
  (typeof place.pageId === 'number'
    ? { pageId: place.pageId, module: place.module }
    : { pageId: 0, page: place.pageId, module: place.module })

/** Names the place of a message: the page, in whichever module it is open, else the module. */
export const placeOf = ({ place }: View): string =>
  place === null ? '' : place.pageId !== 0 ? `page ${place.pageId}` : place.module
