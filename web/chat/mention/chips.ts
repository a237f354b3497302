import { html, nothing, type TemplateResult } from 'lit'
import type { MentionsAnswer } from '../../../core/chat/request.ts'
import type { Mention } from '../../../core/conversation/schema.ts'
import { type Icon, icon } from '../icon.ts'
import { adoptStyles } from '../style/sheet.ts'
import { recordHref, tableWord } from '../view/record-link.ts'
import type { View } from '../view/view.ts'
import css from './mention.css?inline'

/** Returns the icon of a mention. */
export const signOf = ({ kind }: Mention): Icon => (kind === 'file' ? 'image' : kind)

/** Returns the word for the kind of a mention. */
export const wordOf = (view: View, { kind, table }: Mention): string =>
  kind === 'user' ? view.t('table.be_users') : tableWord(view, table)

const askedMentions = new WeakSet<Mention>()

/** Loads the title of a mention once: the browser does not store titles, so they are missing after a reload. */
function entitle(view: View, it: Mention): void {
  const { store } = view
  if (it.title || askedMentions.has(it) || store.phase !== 'ready' || store.retryAt !== null) return
  askedMentions.add(it)
  const { kind, table, uid } = it
  store.api.get<MentionsAnswer>('/mentions', { kind, table, uid }).then(
    ({ mentions: [found] }) => {
      Object.assign(it, found)
      view.requestUpdate()
    },
    // Without a title, the chip shows kind and number. After a lost connection, the next drawing asks again.
    (error) => {
      store.caught(error)
      if (store.retryAt !== null) askedMentions.delete(it)
    },
  )
}

/** Draws the mentions of the draft, each with a button that removes it. */
export function mentions(view: View): TemplateResult {
  adoptStyles(view, css)
  const { t, conversation } = view
  return html`<div class="mentions" role="group" aria-label=${t('mention.group')}>
    <ul>
      ${conversation.mentions.map((it) => {
        entitle(view, it)
        const name = it.title || `${wordOf(view, it)} [${it.uid}]`
        const label = t('mention.leaveOut', { name })
        return html`<li class="context" title=${it.title ? t('writing.named', { name: wordOf(view, it), text: `${it.title} [${it.uid}]` }) : name}>
          ${icon(signOf(it))}<span class="ellipsis" dir="auto">${name}</span
          ><button type="button" aria-label=${label} title=${label} @click=${() => leaveOut(view, it)}>
            ${icon('close')}
          </button>
        </li>`
      })}
    </ul>
  </div>`
}

/** Draws the mentions of a sent message, each with a link; users have no link, because they have no page. */
export function sentMentions(view: View, all: readonly Mention[]): TemplateResult {
  adoptStyles(view, css)
  return html`<ul class="mentioned" aria-label=${view.t('mention.group')}>
    ${all.map((it) => html`<li>${chip(view, it)}</li>`)}
  </ul>`
}

function chip(view: View, it: Mention): TemplateResult {
  entitle(view, it)
  const { kind, table, uid, page } = it
  const words = html`${icon(signOf(it))}<span class="ellipsis" dir="auto">${it.title || wordOf(view, it)}</span
    ><span class="uid">[${uid}]</span>`
  if (kind === 'user') return html`<span class="context">${words}</span>`
  return html`<a class="context" href=${recordHref(view, table, uid)} title=${wordOf(view, it)}
      data-table=${table} data-uid=${uid} data-page=${page ?? nothing}>${words}</a
  >`
}

/** The maximum number of mentions that the stage accepts. */
const mostChoices = 10

const isSame = (a: Mention, b: Mention) =>
  (a.kind === 'user') === (b.kind === 'user') && a.table === b.table && a.uid === b.uid

/** Adds a record, file or user to the mentions of the draft, where it then occurs only once. Announces the result. */
export function choose(view: View, it: Mention): void {
  const { conversation, store, announcer, t } = view
  const others = conversation.mentions.filter((one) => !isSame(one, it))
  if (others.length >= mostChoices)
    conversation.remark = { kind: 'info', text: t('mention.full', { count: mostChoices }) }
  else {
    conversation.mentions = [...others, it]
    // A user who mentions something before the session is ready keeps this conversation.
    conversation.isWritten = true
    announcer.say(t('mention.added', { name: it.title }))
  }
  store.changed()
  view.requestUpdate()
}

/** Removes a mention from the draft. */
function leaveOut(view: View, it: Mention): void {
  const { conversation, store } = view
  conversation.mentions = conversation.mentions.filter((one) => one !== it)
  conversation.isWritten = true
  store.changed()
  view.focusMessage()
}
