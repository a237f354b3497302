import { html, nothing, type TemplateResult } from 'lit'
import type { Message } from '../../../core/transcript/schema.ts'
import { icon } from '../icon.ts'
import { choose } from '../store/version.ts'
import type { View } from '../view/view.ts'

/** Which version of an own message is shown, with the way to the one before and the one after it. */
export function versions(view: View, message: Message): unknown {
  const { t, conversation } = view
  const version = conversation.transcript.versions.find(({ sequence }) => sequence === message.sequence)
  if (!version) return nothing
  const { at, of } = version
  return html`<span class="versions" role="group" aria-label=${t('version.name')}>
    ${step(view, message, at - 1, of)}<span>${t('version.of', { at, of })}</span>${step(view, message, at + 1, of)}
  </span>`
}

function step(view: View, { sequence }: Message, version: number, of: number): TemplateResult {
  const { t, store, conversation } = view
  const isAfter = version > 1 && version === atOf(view, sequence) + 1
  const isOut = version < 1 || version > of
  const label = t(isAfter ? 'version.after' : 'version.before')
  const show = async () => {
    if (isOut || !store || conversation.isBusy) return
    if (!(await choose(store, conversation, sequence, version))) return
    await view.updateComplete
    const own = view.find(`.msg-user[data-sequence="${sequence}"]`)
    own?.querySelector<HTMLElement>(`[data-step="${isAfter ? 'after' : 'before'}"]`)?.focus()
    view.announcer.say(t('version.shown', { at: version, of }))
  }
  return html`<button
    class="icon-btn icon-btn-sm"
    type="button"
    data-step=${isAfter ? 'after' : 'before'}
    aria-label=${label}
    title=${label}
    aria-disabled=${isOut ? 'true' : nothing}
    @click=${show}
  >
    ${icon(isAfter ? 'right' : 'left')}
  </button>`
}

const atOf = ({ conversation }: View, wanted: number): number =>
  conversation.transcript.versions.find(({ sequence }) => sequence === wanted)?.at ?? 1
