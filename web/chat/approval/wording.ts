import { html, nothing, type TemplateResult } from 'lit'
import type { FieldChange, PendingApproval, PendingCall } from '../../../core/conversation/schema.ts'
import { icon } from '../icon.ts'
import * as Decide from '../store/decide.ts'
import type { View } from '../view/view.ts'

/** A field of a pending call whose proposed words the user may change. */
export type Wording = { call: PendingCall; field: string; label: string; value: string }

/** The wording of a field; undefined if the user may not change its words. */
export function wordingOf(
  { conversation }: View,
  call: PendingCall,
  { field, label, after }: FieldChange,
): Wording | undefined {
  const isOpen = conversation.transcript.approval?.mayDecide && call.editable?.includes(field)
  return isOpen ? { call, field, label, value: after ?? '' } : undefined
}

/** The button that opens the words, and whether they are the user's already. */
export function pencil(view: View, { call, field, label }: Wording, key: string): TemplateResult {
  const { t, ui } = view
  const open = async () => {
    ui.set({ wording: key })
    await view.updateComplete
    view.find<HTMLTextAreaElement>('#wording')?.focus()
  }
  const name = t('wording.change', { field: label })
  return html`<span class="wording">${
    call.wording?.[field] === undefined ? nothing : html`<span class="own">${t('wording.own')}</span>`
  }<button class="icon-btn icon-btn-sm" type="button" data-wording=${key} aria-label=${name} title=${name} @click=${open}>${icon('pencil')}</button></span>`
}

/** The proposed words as a field; Escape leaves them as they are. */
export function rewording(view: View, { call, field, label, value }: Wording): TemplateResult {
  const { t, conversation, store, ui } = view
  const { wording: key } = ui
  const leave = async () => {
    ui.set({ wording: null })
    await view.updateComplete
    view.find(`[data-wording="${key}"]`)?.focus()
  }
  const save = async () => {
    const words = view.find<HTMLTextAreaElement>('#wording')?.value ?? value
    const pending: PendingApproval | null = conversation.transcript.approval
    if (!store || !pending) return
    const isDone =
      words === value ||
      (await Decide.amend(store, conversation, pending, { callId: call.id, field, value: words }))
    if (isDone) await leave()
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.isComposing) return
    event.preventDefault()
    event.stopPropagation()
    void leave()
  }
  return html`<td class="will rewording"><textarea class="input" id="wording" dir="auto" maxlength="20000"
      rows=${Math.min(12, 1 + Math.ceil(value.length / 60))}
      aria-label=${t('wording.field', { field: label })} .value=${value} @keydown=${pressed}></textarea
    ><span class="wording"
      ><button class="btn btn-sm btn-quiet" type="button" @click=${leave}>${t('app.cancel')}</button
      ><button class="btn btn-sm" type="button" @click=${save}>${t('wording.save')}</button></span
    ></td>`
}
