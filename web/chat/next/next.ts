import { html, nothing, type TemplateResult } from 'lit'
import { ref } from 'lit/directives/ref.js'
import { repeat } from 'lit/directives/repeat.js'
import type { NextMessage } from '../../../core/conversation/schema.ts'
import { type Icon, icon } from '../icon.ts'
import { named } from '../mention/on-demand.ts'
import type { Conversation } from '../store/conversation.ts'
import * as Next from '../store/next.ts'
import type { ChatStore } from '../store/store.ts'
import { isBusy } from '../store/transcript.ts'
import { adopter } from '../style/adopt.ts'
import { placeOf, viewContextOf } from '../view/place.ts'
import type { View } from '../view/view.ts'
import css from './next.css?inline'

const dress = adopter(css)

/** The messages that wait for the end of the turn, in the order in which they will be sent. */
export function next(view: View): TemplateResult {
  dress(view)
  const { t, conversation } = view
  const waiting = conversation.transcript.next
  return html`<div class="next" role="group" aria-label=${t('next.group')}>
    <span class="next-head" aria-hidden="true">${t('next.group')}</span>
    <ul>
      ${repeat(
        waiting,
        ({ id }) => id,
        (message) => row(view, message),
      )}
    </ul>
  </div>`
}

/** Puts what is written behind the turn that runs, and says so. */
export async function addWritten(view: View): Promise<void> {
  const { store, conversation, t } = view
  if (!store) return
  conversation.lastPlace = placeOf(view)
  const isTaken = await Next.add(store, conversation, viewContextOf(view), begun(store, conversation))
  view.announcer.say(isTaken ? t('next.added') : (conversation.remark?.text ?? t('next.notAdded')))
}

/** Waits while a message is on its way; false where it did not get to the stage. */
function begun(store: ChatStore, { pending }: Conversation): Promise<boolean> {
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

function row(view: View, message: NextMessage): TemplateResult {
  const { t, conversation, store } = view
  const act = (name: 'remove' | 'send') => {
    if (store) void Next.change(store, conversation, { act: name, id: message.id })
    view.focusMessage()
  }
  return html`<li class="next-row">
    ${message.fileUid === undefined ? nothing : icon('attach')}
    ${message.mentions ? named(view, message.mentions) : nothing}
    <textarea
      rows="1"
      dir="auto"
      aria-label=${t('next.edit')}
      .value=${message.content}
      @keydown=${(event: KeyboardEvent) => pressed(view, message, event)}
      @change=${(event: Event) => void save(view, message, event.target as HTMLTextAreaElement)}
      ${ref(keeper(view, message))}
    ></textarea>
    ${isBusy(conversation.status) ? nothing : button('send', t('next.send'), () => act('send'))}
    ${button('close', t('next.remove'), () => act('remove'))}
  </li>`
}

function pressed(view: View, message: NextMessage, event: KeyboardEvent): void {
  if (event.isComposing || event.keyCode === 229) return
  const field = event.target as HTMLTextAreaElement
  if (event.key === 'Escape') {
    event.preventDefault()
    event.stopPropagation()
    field.value = message.content
    view.focusMessage()
  }
  if (event.key !== 'Enter' || event.shiftKey || event.altKey) return
  event.preventDefault()
  // The field says `change` when it loses the focus.
  view.focusMessage()
}

async function save(view: View, message: NextMessage, field: HTMLTextAreaElement): Promise<void> {
  const { store, conversation } = view
  const content = field.value
  if (!store || content === message.content) return
  if (await Next.change(store, conversation, { act: 'edit', id: message.id, content })) return
  field.value = message.content
  // The message was sent meanwhile, or the stage cannot be reached: the new words stay the user's.
  Next.giveBack(store, conversation, content)
}

const keepers = new WeakMap<NextMessage, (field?: Element) => void>()

/** What is being changed in a row that goes away, because it was sent or removed elsewhere, is a draft. */
function keeper({ store, conversation }: View, message: NextMessage): (field?: Element) => void {
  const known = keepers.get(message)
  if (known) return known
  let shown: HTMLTextAreaElement | undefined
  const keep = (field?: Element) => {
    const left = field ? undefined : shown
    shown = field as HTMLTextAreaElement | undefined
    const isGone = !conversation.transcript.next.some(({ id }) => id === message.id)
    if (left && store && isGone && left.value.trim() && left.value !== message.content)
      queueMicrotask(() => Next.giveBack(store, conversation, left.value))
  }
  keepers.set(message, keep)
  return keep
}

const button = (sign: Icon, label: string, act: () => void) =>
  html`<button class="icon-btn icon-btn-sm" type="button" aria-label=${label} title=${label} @click=${act}>
    ${icon(sign)}
  </button>`
