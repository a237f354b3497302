import { html, nothing, type TemplateResult } from 'lit'
import { guard } from 'lit/directives/guard.js'
import type { Message } from '../../../core/conversation/transcript/schema.ts'
import * as Rerun from '../store/rerun.ts'
import { adoptStyles } from '../style/sheet.ts'
import { isComposed, stopEscape } from '../view/message-field.ts'
import { viewContextOf } from '../view/place.ts'
import type { View } from '../view/view.ts'
import css from './editor.css?inline'

/** Draws the field that edits a message of the user, in place of the message. */
export function editor(view: View, message: Message): TemplateResult {
  adoptStyles(view, css)
  const { t, ui, store, conversation } = view
  // The draft of this edit is kept after the field is removed, until the user sends or cancels the edit.
  const draft = `edit ${conversation.id} ${message.createdAt}`
  const keep = (text: string) => store.keep({ drafts: { [draft]: text } })
  const stop = () => {
    keep('')
    ui.set({ editing: null })
    view.focusMessage()
  }
  const save = async () => {
    const text = view.find<HTMLTextAreaElement>('.editor textarea')?.value ?? ''
    if (!text.trim() && message.fileUid === undefined) return
    const answer = await Rerun.edit(store, conversation, message, text, viewContextOf(view))
    if (!answer) return
    keep('')
    if (view.conversation !== conversation) return
    ui.set({ editing: null, dropped: answer.droppedRuns ?? [], offer: null })
    view.scroller.toEnd()
    view.focusMessage()
  }
  const pressed = (event: KeyboardEvent) => {
    if (stopEscape(event)) stop()
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !isComposed(event)) void save()
  }
  const count = after(view, message)
  return html`<div class="stack editor">
    <textarea class="input" aria-label=${t('message.edit')} aria-describedby=${count > 0 ? 'edit-drops' : nothing}
      dir="auto" .value=${guard([draft], () => store.memory.drafts[draft] || message.content)}
      @input=${(event: Event) => keep((event.target as HTMLTextAreaElement).value)} @keydown=${pressed}
    ></textarea>
    ${count > 0 ? html`<p class="editor-note" id="edit-drops">${t('message.drops', { count })}</p>` : nothing}
    <div>
      <button class="btn btn-quiet" type="button" @click=${stop}>${t('app.cancel')}</button>
      <button class="btn" type="button" @click=${save}>${t('message.save')}</button>
    </div>
  </div>`
}

/** Counts the messages that follow a message. An edit of this message moves them to an earlier version. */
function after({ conversation }: View, { sequence }: Message): number {
  const isSeen = (one: Message) => one.role !== 'tool' && (one.role === 'user' || one.content !== '')
  return conversation.transcript.messages.filter((one) => one.sequence > sequence && isSeen(one)).length
}
