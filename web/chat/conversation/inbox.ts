import { html, nothing, type TemplateResult } from 'lit'
import type { Summary } from '../../../core/conversation/schema.ts'
import { type Icon, icon } from '../icon.ts'
import { unreadIds } from '../notify/news.ts'
import { isBusy } from '../store/known-transcript.ts'
import type { View } from '../view/view.ts'

/** The maximum number of conversations in each list before the first message. */
const mostListed = 3

/**
 * Draws the conversations that wait for the user, and the conversations whose turn ended since the user last saw them.
 */
export function inbox(view: View): TemplateResult {
  const { t, format, store } = view
  const { items } = store.active
  const isWaiting = ({ status }: Summary) => status === 'awaiting_approval'
  const unread = new Set(unreadIds(store))
  const ended = items.filter((item) => unread.has(item.id) && !isBusy(item.status) && !isWaiting(item))
  const since = ({ status, updatedAt, pageTitle }: Summary): Entry => {
    const when = format.when(updatedAt, Date.now())
    if (status === 'failed') return ['warning', t('history.failed', { when })]
    return ['check', [t('empty.since'), pageTitle, when].filter(Boolean).join(' · ')]
  }
  return html`${inboxList(view, 'waiting', t('badge.waiting'), items.filter(isWaiting), () => ['shield', t('badge.waiting')])}
  ${inboxList(view, 'since', t('empty.since'), ended, since)}`
}

/** The icon of a conversation, and the words above its title. */
type Entry = [sign: Icon, words: string]

/** Draws the first conversations of a list, newest first; a click opens the conversation. */
function inboxList(
  view: View,
  look: string,
  name: string,
  items: readonly Summary[],
  entryOf: (item: Summary) => Entry,
): unknown {
  if (items.length === 0) return nothing
  return html`<ul class="prompts ${look}" aria-label=${name}>
    ${items.slice(0, mostListed).map((item) => {
      const [sign, words] = entryOf(item)
      return html`<li>
        <button type="button" @click=${() => view.show(item.id)}>
          ${icon(sign)}<span><small>${words}</small> <span dir="auto">${item.title || view.t('app.new')}</span></span>
        </button>
      </li>`
    })}
  </ul>`
}
