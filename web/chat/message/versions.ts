import { html, nothing, type TemplateResult } from 'lit'
import type { MessagesAnswer } from '../../../core/chat/messages-request.ts'
import type { ConversationAnswer } from '../../../core/conversation/schema.ts'
import type { Message } from '../../../core/conversation/transcript/schema.ts'
import { icon } from '../icon.ts'
import { ask } from '../store/message-loading.ts'
import { publish, remark, tryRequest } from '../store/outbox.ts'
import type { View } from '../view/view.ts'

type Version = MessagesAnswer['versions'][number]

/** Draws the number of the shown version of a message, with buttons for the previous and the next version. */
export function versions(view: View, message: Message): unknown {
  const { t, conversation } = view
  const version = conversation.transcript.versions.find(({ sequence }) => sequence === message.sequence)
  if (!version) return nothing
  return html`<span class="versions" role="group" aria-label=${t('version.name')}>
    ${step(view, 'before', version)}<span>${t('version.of', version)}</span>${step(view, 'after', version)}
  </span>`
}

function step(view: View, side: 'before' | 'after', { sequence, at, of }: Version): TemplateResult {
  const { t, store, conversation } = view
  const version = side === 'after' ? at + 1 : at - 1
  const isOut = version < 1 || version > of
  const label = t(`version.${side}`)
  // Another version would withdraw the proposal that waits in this version.
  const waits = conversation.transcript.approval?.mayDecide ? t('version.waits') : null
  const show = async () => {
    if (isOut) return
    if (waits) return remark(store, conversation, 'info', waits)
    if (!(await choose(view, sequence, version))) return
    await view.updateComplete
    const own = view.find(`.msg-user[data-sequence="${sequence}"]`)
    own?.querySelector<HTMLElement>(`[data-step="${side}"]`)?.focus()
    view.announcer.say(t('version.shown', { at: version, of }))
  }
  return html`<button class="icon-btn icon-btn-sm when-idle" type="button" data-step=${side} aria-label=${label}
      title=${waits ?? label} aria-disabled=${isOut || waits ? 'true' : nothing} @click=${show}>
    ${icon(side === 'after' ? 'right' : 'left')}
  </button>`
}

/** Shows another version of a message with all messages that followed it. Returns true if this version is shown. */
async function choose({ store, conversation }: View, sequence: number, version: number): Promise<boolean> {
  const body = { conversationId: conversation.id, sequence, version }
  const answer = await tryRequest(store, conversation, async () => {
    const chosen = await store.api.post<ConversationAnswer>('/conversations/version', body)
    await ask(store, conversation)
    return chosen
  })
  if (answer) publish(store, answer.conversation)
  store.changed()
  return answer !== null
}
