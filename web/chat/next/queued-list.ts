import { html, nothing, type TemplateResult } from 'lit'
import { ref } from 'lit/directives/ref.js'
import { repeat } from 'lit/directives/repeat.js'
import type { NextMessage } from '../../../core/conversation/schema.ts'
import { type Icon, icon } from '../icon.ts'
import { sentMentions } from '../mention/mention.ts'
import { isBusy } from '../store/known-transcript.ts'
import type { Conversation } from '../store/open-conversation.ts'
import { giveBack } from '../store/outbox.ts'
import * as Next from '../store/queued-messages.ts'
import { adoptStyles } from '../style/sheet.ts'
import { isComposed } from '../view/message-field.ts'
import { placeName, viewContextOf } from '../view/place.ts'
import type { View } from '../view/view.ts'
import css from './next.css?inline'

/** Draws the messages that wait for the end of the turn, in the order in which they will be sent. */
export function next(view: View): TemplateResult {
  adoptStyles(view, css)
  const { t, conversation } = view
  const waiting = conversation.transcript.next
  return html`<div class="card next" role="group" aria-label=${t('next.group')}>
    <span class="next-head" aria-hidden="true">${t('next.group')}</span>
    <ul>
      ${repeat(
        waiting,
        ({ id }) => id,
        (message, at) => row(view, message, at + 1),
      )}
    </ul>
  </div>`
}

/** Queues the draft after the running turn, and announces it. */
export async function addWritten(view: View): Promise<void> {
  const { store, conversation, t } = view
  conversation.lastPlace = placeName(view)
  const isTaken = await Next.add(store, conversation, viewContextOf(view), begun(store, conversation))
  if (isTaken || !conversation.remark) view.announcer.say(t(isTaken ? 'next.added' : 'next.notAdded'))
}

/** Hands the draft, or else the first waiting message, to the running turn. */
export async function handFirst(view: View): Promise<void> {
  const { conversation } = view
  const isNew = conversation.draft.trim() !== ''
  if (isNew) await addWritten(view)
  const waiting = conversation.transcript.next.filter(({ now }) => !now)
  const first = isNew ? waiting.at(-1) : waiting[0]
  // If the stage refused the message, it is the draft again.
  if (first && !(isNew && conversation.draft)) await sendNow(view, first.id)
}

/**
 * Sends a waiting message: the running turn reads it at its next step; without a running turn, a turn begins with it.
 */
async function sendNow({ store, conversation, announcer, t }: View, id: string): Promise<void> {
  const isRunning = isBusy(conversation.status)
  if (!(await Next.changeQueue(store, conversation, { act: 'send', id }))) return
  if (isRunning) announcer.say(t('next.handed'))
}

/**
 * Waits until each message that is being sent has succeeded or failed; resolves to false if a message did not reach the
 * stage.
 */
function begun(store: View['store'], { pending }: Conversation): Promise<boolean> {
  const before = pending.filter(({ state }) => state === 'sending')
  const isOver = () => before.every(({ state }) => state !== 'sending')
  const isThere = () => before.every(({ state }) => state === 'sent')
  if (isOver()) return Promise.resolve(true)
  return new Promise((resolve) => {
    const leave = store.subscribe(() => {
      if (!isOver()) return
      leave()
      resolve(isThere())
    })
  })
}

/** Draws a waiting message; `place` counts from 1. */
function row(view: View, message: NextMessage, place: number): TemplateResult {
  const { t, conversation, store } = view
  const remove = () => {
    void Next.changeQueue(store, conversation, { act: 'remove', id: message.id })
    view.focusMessage()
  }
  const send = () => {
    void sendNow(view, message.id)
    view.focusMessage()
  }
  const isRead = message.now && isBusy(conversation.status)
  return html`<li class="row next-row">
    ${message.fileUid === undefined ? nothing : icon('attach')}
    ${message.mentions ? sentMentions(view, message.mentions) : nothing}
    <textarea
      rows="1"
      dir="auto"
      id="next-${message.id}"
      aria-label=${t('next.edit', { place })}
      .value=${message.content}
      @focus=${() => hold(view, message)}
      @blur=${(event: FocusEvent) => release(view, message, event.target as HTMLTextAreaElement)}
      @keydown=${(event: KeyboardEvent) => pressed(view, message, event)}
      @change=${(event: Event) => void save(view, message, event.target as HTMLTextAreaElement)}
      ${ref(keeper(view, message))}
    ></textarea>
    ${isRead ? html`<span class="next-now">${t('next.now')}</span>` : button('send', t('next.send'), send, `next-${message.id}`)}
    ${button('close', t('next.remove'), remove, `next-${message.id}`)}
  </li>`
}

function pressed(view: View, message: NextMessage, event: KeyboardEvent): void {
  if (isComposed(event)) return
  const field = event.target as HTMLTextAreaElement
  if (event.key === 'Escape') {
    event.preventDefault()
    event.stopPropagation()
    field.value = message.content
    view.focusMessage()
  }
  if (event.key !== 'Enter' || event.shiftKey || event.altKey) return
  event.preventDefault()
  // The field loses the focus, so it fires `change`, and this event saves a changed text.
  view.focusMessage()
}

/** Holds a waiting message, so that it is not sent while the user edits it. */
function hold({ store, conversation }: View, { id }: NextMessage): void {
  void Next.changeQueue(store, conversation, { act: 'hold', id })
}

/** Ends the hold of a message whose text the user did not change; saving a changed text ends the hold as well. */
function release(
  { store, conversation }: View,
  { id, content }: NextMessage,
  field: HTMLTextAreaElement,
): void {
  if (field.isConnected && field.value === content)
    void Next.changeQueue(store, conversation, { act: 'release', id })
}

async function save(view: View, message: NextMessage, field: HTMLTextAreaElement): Promise<void> {
  const { store, conversation } = view
  const content = field.value
  if (content === message.content) return
  if (await Next.changeQueue(store, conversation, { act: 'edit', id: message.id, content })) return
  field.value = message.content
  void Next.changeQueue(store, conversation, { act: 'release', id: message.id })
  // The message was sent meanwhile, or the stage cannot be reached: the new text goes to the draft.
  giveBack(store, conversation, content)
}

const keepers = new WeakMap<NextMessage, (field?: Element) => void>()

/** Saves an unfinished edit as the draft if the message is sent, or if another tab removes it. */
function keeper({ store, conversation }: View, message: NextMessage): (field?: Element) => void {
  const known = keepers.get(message)
  if (known) return known
  let shown: HTMLTextAreaElement | undefined
  const keep = (field?: Element) => {
    const left = field ? undefined : shown
    shown = field as HTMLTextAreaElement | undefined
    const isGone = !conversation.transcript.next.some(({ id }) => id === message.id)
    if (left && isGone && left.value.trim() && left.value !== message.content)
      queueMicrotask(() => giveBack(store, conversation, left.value))
  }
  keepers.set(message, keep)
  return keep
}

/** Returns an icon button that is described by the text of the field with the id `field`. */
const button = (sign: Icon, label: string, act: () => void, field: string) =>
  html`<button class="icon-btn icon-btn-sm" type="button" aria-label=${label} aria-describedby=${field} title=${label} @click=${act}>
    ${icon(sign)}
  </button>`
