import { html, type TemplateResult } from 'lit'
import { type Icon, icon } from '../icon.ts'
import { fill } from '../view/message-field.ts'
import { pagesOf } from '../view/record.ts'
import type { View } from '../view/view.ts'
import { inbox } from './on-demand.ts'
import { promptsFor } from './prompt.ts'

/** Before the first message: what waits or has ended, and what one might ask here. A click fills the field and does not send. */
export function empty(view: View): TemplateResult {
  const { t, place } = view
  const title = place && place.pageId !== 0 ? t('empty.page', { title: place.title }) : t('empty.plain')
  return html`<div class="empty">
    <div>
      <h2>${title}</h2>
      <p>${t('empty.text')}</p>
    </div>
    ${inbox(view)}
    <ul class="prompts">
      ${prompts(view).map(
        ({ sign, words }) => html`<li>
        <button type="button" @click=${() => fill(view, words)}>${icon(sign)}<span>${words}</span></button>
      </li>`,
      )}
    </ul>
  </div>`
}

/** The prompts that fit, in the reader's words. */
function prompts(view: View): { sign: Icon; words: string }[] {
  const { t, store, place } = view
  const pages = pagesOf(view)
  const may = (store?.status?.tools ?? []).filter(({ available }) => available).map(({ name }) => name)
  return promptsFor(place, may, pages).map(({ sign, key }) => ({
    sign,
    words: t(key, { title: place?.title ?? '' }),
  }))
}
