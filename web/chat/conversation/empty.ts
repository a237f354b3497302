import { html, nothing, type TemplateResult } from 'lit'
import { type Icon, icon } from '../icon.ts'
import { fill } from '../view/field.ts'
import { pagesOf } from '../view/record.ts'
import type { View } from '../view/view.ts'
import { promptsFor } from './prompt.ts'

/** The most conversations that wait for the user, and are named before the first message. */
const mostWaiting = 3

/** Before the first message: what waits, and what one might ask here. A click fills the field and does not send. */
export function empty(view: View): TemplateResult {
  const { t, place } = view
  const title = place && place.pageId !== 0 ? t('empty.page', { title: place.title }) : t('empty.plain')
  return html`<div class="empty">
    <div>
      <h2>${title}</h2>
      <p>${t('empty.text')}</p>
    </div>
    ${waiting(view)}
    <ul class="prompts">
      ${prompts(view).map(
        ({ sign, words }) => html`<li>
        <button type="button" @click=${() => fill(view, words)}>${icon(sign)}<span>${words}</span></button>
      </li>`,
      )}
    </ul>
  </div>`
}

/** The conversations whose proposal or question waits, the newest first. */
function waiting(view: View): unknown {
  const { t, store } = view
  const items = (store?.active.items ?? []).filter(({ status }) => status === 'awaiting_approval')
  if (items.length === 0) return nothing
  return html`<ul class="prompts waiting" aria-label=${t('badge.waiting')}>
    ${items.slice(0, mostWaiting).map(
      ({ id, title }) => html`<li>
        <button type="button" @click=${() => view.show(id)}>
          ${icon('shield')}<span><small>${t('badge.waiting')}</small> <span dir="auto">${title || t('app.new')}</span></span>
        </button>
      </li>`,
    )}
  </ul>`
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
