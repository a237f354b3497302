import { html, nothing, type TemplateResult } from 'lit'
import { icon, iconButton } from '../icon.ts'
import * as Rerun from '../store/rerun.ts'
import { runOf, type TurnRow } from '../store/turn-rows.ts'
import { adoptStyles } from '../style/sheet.ts'
import { copy } from '../view/clipboard.ts'
import type { View } from '../view/view.ts'
import css from './failed.css?inline'
import { startEditing } from './message.ts'

/**
 * Draws the end of a failed turn: the failure, the actions that the user can take, and a reference for an
 * administrator.
 */
export function failed(view: View, row: TurnRow | null): TemplateResult {
  adoptStyles(view, css)
  const { t, conversation, store } = view
  const { errorCode, errorMessage } = conversation.transcript.summary ?? {}
  const code = errorCode ?? 'internal.error'
  // For an administrator, `errorMessage` has the technical reason, without secrets.
  const reason = store.user?.isAdmin ? errorMessage : null
  const asked = conversation.transcript.messages.findLast((message) => message.role === 'user')
  const reference = (row && runOf(row)) ?? conversation.id ?? ''
  const retry = () => {
    void Rerun.retry(store, conversation)
    view.focusMessage()
  }
  return html`<section class="failed" aria-labelledby="failed-title">
    ${icon('warning', 'i-20')}
    <h3 id="failed-title">${t(`failed.${code}`)}</h3>
    <p>${t(`failed.${code}.text`)}</p>
    ${reason ? html`<p>${t('failed.reason', { reason })}</p>` : nothing}
    <div class="row row-wrap failed-foot">
      <button class="btn" type="button" @click=${retry}>${icon('retry')}${t('failed.retry')}</button>
      ${
        asked
          ? html`<button class="btn btn-quiet" type="button" @click=${() => startEditing(view, asked.sequence)}>
              ${t('failed.edit')}
            </button>`
          : nothing
      }
      <span class="fine ref"
        >${t('failed.reference')} <code>${reference}</code
        >${iconButton('copy', t('failed.copy'), () => copy(view, reference), 'icon-btn-sm')}</span
      >
    </div>
  </section>`
}
