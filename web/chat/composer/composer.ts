import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { icon } from '../icon.ts'
import { lazy, loadAhead } from '../lazy.ts'
import { addButton, mentions, picker, signTyped } from '../mention/mention.ts'
import { startEditing } from '../message/message.ts'
import { isBusy } from '../store/known-transcript.ts'
import type { Conversation } from '../store/open-conversation.ts'
import * as Send from '../store/outbox.ts'
import { isComposed } from '../view/message-field.ts'
import { place, placeName, viewContextOf } from '../view/place.ts'
import type { View } from '../view/view.ts'
import { banners } from './banners.ts'

/** The list of messages that wait for the end of the turn, loaded with the first such message. */
const next = lazy(async () => (await import('../next/queued-list.ts')).next)

/** The list of files of the message that the user is writing, loaded with the first file. */
const attachments = loadAhead(lazy(async () => (await import('./attachments.ts')).attachments))

/** The share of the maximum message length from which the remaining characters are shown. */
const hintShare = 0.9

/** Draws the field for the next message with banners, attachments, and the bar below it. */
export function composer(view: View): TemplateResult {
  const { t, conversation, store } = view
  const reason = closed(view)
  if (reason) return html`<div class="compose">${banners(view)}${reason}</div>`
  const submit = (event: Event) => {
    event.preventDefault()
    sendNow(view)
  }
  const { approval } = conversation.transcript
  const waits = approval?.calls[0]?.question ? 'composer.insteadOfAnswer' : 'composer.withdraws'
  const ready = approval ? waits : 'composer.ask'
  const placeholder = t(conversation.isBusy ? 'composer.next' : ready)
  return html`<form class="compose" part="composer" @submit=${submit}>
    ${banners(view)} ${conversation.transcript.next.length > 0 ? next(view) : nothing}
    <div class="composer">
      ${view.ui.picker ? picker(view) : nothing}
      ${conversation.attachments.length > 0 ? attachments(view) : nothing}
      ${conversation.mentions.length > 0 ? mentions(view) : nothing}
      <label class="vh" for="message">${t('composer.message')}</label>
      <textarea id="message" rows="1" dir="auto" placeholder=${placeholder} aria-describedby="composer-hint"
        .value=${live(conversation.draft)} @input=${(event: InputEvent) => typed(view, event)}
        @keydown=${(event: KeyboardEvent) => pressed(view, event)}
        @paste=${(event: ClipboardEvent) => pasted(view, event)}></textarea>
      <div class="row composer-bar">
        ${addButton(view)} ${attachButton(view)} ${place(view)}
        <span class="grow"></span>
        ${composerHint(view)} ${sendOrStop(view)}
      </div>
    </div>
    <div class="fine compose-foot" id="composer-hint">
      ${
        store.status?.provider.model && !store.status.provider.isAI
          ? html`<span class="demo">${icon('info')}${t('composer.demo')}</span>`
          : html`<span>${t('composer.aiNotice')}</span>`
      }
      <span class="keys">${t(store.memory.enterSends === false ? 'composer.keysCtrl' : 'composer.keys')}</span>
    </div>
  </form>`
}

/** Draws the notice that replaces the field in an archived conversation, or for a user without the right to chat. */
function closed(view: View): unknown {
  const { t, conversation, store } = view
  if (store.phase === 'denied')
    return html`<div class="row row-wrap closed"><span>${t('composer.denied')}</span></div>`
  if (!conversation.transcript.summary?.archived) return null
  const unarchive = async () => {
    view.ui.set({ offer: null })
    if (await Send.changeConversation(store, conversation, 'archive', { archived: false }))
      await view.focusDrawn('#message')
  }
  return html`<div class="row row-wrap closed">
    <span>${t('composer.archived')}</span>
    <button class="btn btn-sm" type="button" @click=${unarchive}>${t('menu.unarchive')}</button>
  </div>`
}

function attachButton(view: View): TemplateResult {
  const { t, conversation, store } = view
  const count = store.status?.maxFilesPerConversation ?? Number.POSITIVE_INFINITY
  const isFull = conversation.fileCount >= count
  const label = t('composer.attach')
  const full = t('file.full', { count })
  const choose = () =>
    isFull ? Send.remark(store, conversation, 'info', full) : view.find('#files')?.click()
  const chosen = (event: Event) => {
    const input = event.target as HTMLInputElement
    attach(view, input.files)
    input.value = ''
    view.focusMessage()
  }
  return html`<button class="icon-btn" type="button" aria-label=${label} title=${isFull ? full : label}
      aria-describedby=${isFull ? 'files-full' : nothing} data-attach @click=${choose}>
      ${icon('attach')}
    </button>
    ${isFull ? html`<span class="vh" id="files-full">${full}</span>` : nothing}
    <input id="files" type="file" hidden accept=${store.status?.accept ?? ''} @change=${chosen} />`
}

/** Returns the reason why sending has to wait, or the number of characters left. */
function composerHint(view: View): unknown {
  const { t, conversation, store } = view
  const file = fileReason(view)
  if (file) return html`<span class="ellipsis bar-says" id="why-wait">${file}</span>`
  const max = store.status?.maxMessageLength ?? Number.POSITIVE_INFINITY
  const left = max - lengthOf(conversation.draft)
  if (left >= max * (1 - hintShare)) return nothing
  const words = left < 0 ? t('composer.over', { count: -left }) : t('composer.left', { count: left })
  return html`<span class="ellipsis bar-says count ${left < 0 ? 'count-over' : ''}" id="why-wait">${words}</span>`
}

function sendOrStop(view: View): TemplateResult {
  const { t, conversation, store, ui } = view
  if (isBusy(conversation.status)) {
    const stop = () => {
      ui.set({ isStopping: true })
      void Send.sendAction(store, conversation, 'cancel').finally(() => ui.set({ isStopping: false }))
      view.focusMessage()
    }
    return html`<button class="btn" type="button" aria-disabled=${ui.isStopping ? 'true' : nothing} @click=${stop}>
      ${icon('stop')}<span class="say">${t('composer.stop')}</span>
    </button>`
  }
  const why = sendObstacle(view)
  return html`<button class="btn btn-primary" type="submit" aria-disabled=${why ? 'true' : nothing}
      aria-describedby=${why ? 'why-wait' : nothing} title=${why ?? ''}>
    <span class="say">${t('composer.send')}</span>${icon('send')}
  </button>`
}

/** Returns the reason why the message cannot be sent now; null if it can be sent. */
function sendObstacle(view: View): string | null {
  const { t, conversation, store } = view
  // The stage has a message whose turn has not begun yet: a following message must not overtake it.
  if (conversation.isBusy && !isFollowed(conversation)) return t('composer.waitsTurn')
  const file = fileReason(view)
  if (file) return file
  const hasFile = conversation.attachments.some(({ state }) => state === 'ready')
  if (!conversation.draft.trim() && !hasFile) return t('composer.empty')
  const over = lengthOf(conversation.draft) - (store.status?.maxMessageLength ?? Number.POSITIVE_INFINITY)
  return over > 0 ? t('composer.over', { count: over }) : null
}

/** True if another message can be queued: a turn runs, or the message that begins a turn is being sent. */
const isFollowed = ({ status, pending }: Conversation) =>
  isBusy(status) || pending.some(({ state }) => state === 'sending')

/** Returns the reason why a message has to wait for its files; null if it need not wait. */
function fileReason({ t, conversation }: View): string | null {
  if (conversation.attachments.some(({ state }) => state === 'uploading')) return t('composer.waitsUpload')
  return conversation.attachments.some(({ state }) => state === 'failed') ? t('composer.waitsFile') : null
}

/** Sends the draft, or explains why it cannot. */
function sendNow(view: View): void {
  const { store, conversation } = view
  const why = sendObstacle(view)
  if (why) {
    view.announcer.say(why)
    return
  }
  if (isFollowed(conversation)) {
    import('../next/queued-list.ts')
      .then((part) => part.addWritten(view))
      .catch(() => view.announcer.say(view.t('offline.trying')))
    return
  }
  view.ui.set({ dropped: [], offer: null })
  conversation.lastPlace = placeName(view)
  void Send.sendMessage(store, conversation, viewContextOf(view))
  view.scroller.toEnd()
  view.focusMessage()
}

function typed(view: View, event: InputEvent): void {
  const { store, conversation } = view
  const field = event.target as HTMLTextAreaElement
  const wasEmpty = !conversation.draft.trim()
  Send.draft(store, conversation, field.value)
  if (!CSS.supports('field-sizing', 'content')) grow(field)
  if (event.data === '@' || event.data === '/') signTyped(view, field)
  const max = store.status?.maxMessageLength ?? Number.POSITIVE_INFINITY
  // A key press draws only the field itself, unless the send button or the counter changes.
  if (wasEmpty !== !field.value.trim() || field.value.length >= max * hintShare) view.requestUpdate()
}

function grow(field: HTMLTextAreaElement): void {
  field.style.setProperty('height', 'auto')
  field.style.setProperty('height', `${field.scrollHeight}px`)
}

function pressed(view: View, event: KeyboardEvent): void {
  if (isComposed(event)) return
  const { store, conversation } = view
  const isAlways = event.ctrlKey || event.metaKey
  if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
    if (!isAlways && store.memory.enterSends === false) return
    event.preventDefault()
    sendNow(view)
  }
  if (event.key === 'ArrowUp' && conversation.draft === '' && !event.altKey && !conversation.isBusy) {
    const last = conversation.transcript.messages.findLast((message) => message.role === 'user')
    if (!last) return
    event.preventDefault()
    void startEditing(view, last.sequence)
  }
}

function pasted(view: View, event: ClipboardEvent): void {
  const data = event.clipboardData
  // Word and Excel copy formatted words with a picture of them: the words are what the user means.
  if (!data?.files.length || (data.getData('text/html') && data.getData('text/plain'))) return
  event.preventDefault()
  attach(view, data.files)
}

/** Returns the number of code points, which the stage counts as characters. */
const lengthOf = (text: string): number => [...text].length

/** Adds files to the message that the user is writing; the code for uploads is loaded with the first file. */
function attach(view: View, files: FileList | null | undefined): void {
  // The browser empties the list after the event, so it is copied.
  const chosen = [...(files ?? [])]
  const { store, conversation } = view
  if (chosen.length === 0 || closed(view)) return
  import('../store/attach.ts').then(
    (part) => part.attach(store, conversation, chosen, view.t),
    () => Send.remark(store, conversation, 'problem', view.t('file.failed')),
  )
}

/** Returns the chat root's listeners for files that are dragged over it, leave it, or are dropped on it. */
export function dropHandlers(view: View) {
  const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
  return {
    over: (event: DragEvent) => {
      if (!holdsFiles(event)) return
      event.preventDefault()
      // Without a field, the event is prevented all the same: else the browser would open the file.
      if (event.dataTransfer) event.dataTransfer.dropEffect = closed(view) ? 'none' : 'copy'
      if (!view.ui.isDropping && !closed(view)) view.ui.set({ isDropping: true })
    },
    leave: (event: DragEvent) => {
      const root = event.currentTarget as HTMLElement
      if (!root.contains(event.relatedTarget as Node | null)) view.ui.set({ isDropping: false })
    },
    drop: (event: DragEvent) => {
      if (!holdsFiles(event)) return
      event.preventDefault()
      view.ui.set({ isDropping: false })
      attach(view, event.dataTransfer?.files)
      view.focusMessage()
    },
  }
}

/** Shows the drop target for files, and the accepted kinds. */
export function dropHint({ t, ui, store }: View): unknown {
  if (!ui.isDropping) return nothing
  const types = store.status?.supportedFormats.join(', ') ?? ''
  return html`<div class="drop">
    ${t('file.drop')}${types ? html`<small>${t('file.types', { types })}</small>` : nothing}
  </div>`
}
