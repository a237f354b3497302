import { html, type TemplateResult } from 'lit'
import { type Icon, icon } from '../icon.ts'
import { lazy } from '../lazy.ts'
import { fill } from '../view/message-field.ts'
import { pagesOf } from '../view/record-link.ts'
import type { View } from '../view/view.ts'
import { promptsFor } from './prompt.ts'

/** The conversations to look at before the first message, loaded when a conversation is empty. */
const inbox = lazy(async () => (await import('./inbox.ts')).inbox)

/** The conversation before its first message: what waits or has ended, and suggestions. A click fills the field. */
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
