import { html, nothing, type TemplateResult } from 'lit'
import type { Message } from '../../../core/conversation/transcript/schema.ts'
import { icon, iconButton } from '../icon.ts'
import { lazy, loadAhead } from '../lazy.ts'
import { sentMentions } from '../mention/mention.ts'
import type { Pending } from '../store/open-conversation.ts'
import * as Send from '../store/outbox.ts'
import type { UserRow } from '../store/turn-rows.ts'
import { copy } from '../view/clipboard.ts'
import { fill } from '../view/message-field.ts'
import type { View } from '../view/view.ts'

/** The field that edits a message of the user, loaded with the first edit. */
const editor = loadAhead(lazy(async () => (await import('./editor.ts')).editor))

/** The file of a sent message, loaded with the first such file. */
const sentFile = loadAhead(lazy(async () => (await import('./file.ts')).sentFile))

/** The version switch of a message, loaded with the first message that has more than one version. */
const versions = lazy(async () => (await import('./versions.ts')).versions)

/** The number of characters from which a user's message is folded. */
const longText = 2_000

/**
 * The distance of a row from the end or the visible part. A far row is laid out when it comes close to the visible
 * part; a distant row has no buttons until then.
 */
export type Distance = { isFar: boolean; isDistant: boolean }

/** Draws the user's message, with its time; its actions appear on hover and focus. */
export function userMessage(view: View, row: UserRow, { isFar, isDistant }: Distance): TemplateResult {
  const { t, format, ui } = view
  const { message } = row
  const time = format.moment(message.createdAt, Date.now())
  return html`<article class="msg msg-user ${isFar ? 'msg-far' : ''}" part="message" tabindex="-1"
      data-row=${row.key} data-sequence=${message.sequence} aria-label=${t('log.you', { time })}>
    ${message.fileUid === undefined ? nothing : sentFile(view, message)}
    ${message.mentions ? sentMentions(view, message.mentions) : nothing}
    ${ui.editing === message.sequence ? editor(view, message) : bubble(view, row)}
    ${
      ui.editing === message.sequence || isDistant
        ? nothing
        : html`<div class="row fine own-foot">
            ${hasVersions(view, message) ? versions(view, message) : nothing}
            <time class="hover" datetime=${message.createdAt}>${time}</time>
            ${foot(view, message)}
          </div>`
    }
  </article>`
}

const hasVersions = ({ conversation }: View, message: Message): boolean =>
  conversation.transcript.versions.some(({ sequence }) => sequence === message.sequence)

function foot(view: View, message: Message): TemplateResult {
  const { t } = view
  return html`${iconButton('copy', t('message.copyOwn'), () => copy(view, message.content), 'icon-btn-sm hover when-idle')}
    ${iconButton('pencil', t('message.edit'), () => startEditing(view, message.sequence), 'icon-btn-sm hover when-idle')}`
}

/** Draws a message that is being sent, or that could not be sent. */
export function pendingView(view: View, pending: Pending): TemplateResult {
  const { t, format } = view
  const isUnsent = pending.state === 'unsent'
  const name = isUnsent
    ? t('log.unsent')
    : t('log.you', { time: format.moment(new Date(pending.at).toISOString(), Date.now()) })
  const sending = html`<span class="sending">${icon('spin')}${t('message.sending')}</span>`
  const foot = html`<p class="row fine own-foot">${pending.state === 'sending' ? sending : nothing}</p>`
  return html`<article class="msg msg-user msg-new" part="message" tabindex="-1" aria-label=${name}>
    ${pending.attachments.map(({ file, fileUid }) => html`<span class="file file-sent"><span class="file-sign">${icon('page')}</span><b class="ellipsis">${file.name || fileUid}</b></span>`)}
    ${pending.mentions.length > 0 ? sentMentions(view, pending.mentions) : nothing}
    ${pending.body.content ? html`<div class="bubble" dir="auto">${pending.body.content}</div>` : nothing}
    ${isUnsent ? unsent(view, pending) : foot}
  </article>`
}

function unsent(view: View, pending: Pending): TemplateResult {
  const { t, store, conversation } = view
  const press = (label: 'message.again' | 'message.edit' | 'message.discard', act: () => unknown) => {
    const run = () => {
      act()
      view.focusMessage()
    }
    return html`<button class="btn btn-sm btn-quiet" type="button" @click=${run}>${t(label)}</button>`
  }
  return html`<p class="row row-wrap unsent">
    ${icon('warning')}<span>${t('message.notSent')}${pending.reason ? `. ${pending.reason}` : ''}</span>
    ${press('message.again', () => Send.sendAgain(store, conversation, pending))}
    ${press('message.edit', () => {
      Send.discard(store, conversation, pending, true)
      fill(view, conversation.draft)
    })}
    ${press('message.discard', () => Send.discard(store, conversation, pending, false))}
  </p>`
}

/** Opens the editor of a user's message in its place. */
export async function startEditing(view: View, sequence: number): Promise<void> {
  await editor.load()
  view.ui.set({ editing: sequence })
  await view.updateComplete
  const field = view.find<HTMLTextAreaElement>('.editor textarea')
  field?.focus()
  field?.setSelectionRange(field.value.length, field.value.length)
}

function bubble(view: View, row: UserRow): unknown {
  const { t, ui } = view
  const { content } = row.message
  if (!content) return nothing
  const isLong = content.length > longText
  const isFolded = isLong && !ui.unfolded.has(row.key)
  const toggle = () => {
    ui.unfolded[isFolded ? 'add' : 'delete'](row.key)
    view.requestUpdate()
  }
  return html`<div class="bubble ${isFolded ? 'bubble-folded' : ''}" dir="auto">${content}</div>
    ${
      isLong
        ? html`<button class="btn btn-sm btn-quiet" type="button" aria-expanded=${String(!isFolded)} @click=${toggle}>
            ${t(isFolded ? 'log.showAll' : 'log.showLess')}
          </button>`
        : nothing
    }`
}
