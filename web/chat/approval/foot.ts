import { html, nothing, type TemplateResult } from 'lit'
import type { PendingApproval } from '../../../core/conversation/schema.ts'
import { icon } from '../icon.ts'
import * as Decide from '../store/decide.ts'
import { isComposed, stopEscape } from '../view/message-field.ts'
import type { View } from '../view/view.ts'
import { focusOutcome, keepWords, keepWork, setWork, unticked } from './open-decision.ts'
import { readingOf } from './reading-progress.ts'

/**
 * Shows the deadline and the two decisions below a proposal. The foot stays visible while any part of the proposal is
 * visible.
 */
export function foot(view: View, pending: PendingApproval): TemplateResult {
  const { t, format, ui } = view
  const deadline = html`<p>${t('approval.until', { day: format.day(pending.expiresAt) })}</p>`
  if (!pending.mayDecide)
    return html`<div class="row row-wrap approval-foot">${deadline}<p>${t('approval.notAllowed')}</p></div>`
  const isGuarded = ui.proposal?.isGuarded ?? true
  const guarded = (act: () => void) => () => {
    if (ui.proposal?.isGuarded === false) act()
  }
  const ask = async () => {
    ui.setProposal({ reason: '' })
    await view.focusDrawn('#reason')
  }
  if (ui.proposal?.reason != null) return denial(view, pending, deadline)
  const total = pending.calls.length
  const ticked = pending.calls.filter(({ id }) => !unticked(view).has(id))
  const left = ticked.length
  const unread = ticked.flatMap((call) => readingOf(view).unread(call))
  const words =
    left < total && left > 0 ? t('approval.approveSome', { n: left, total }) : t('approval.approve')
  return html`<div class="row row-wrap approval-foot">
    ${deadline} ${unread.length > 0 ? further(view, unread) : nothing}
    <button class="btn" type="button" data-act="deny" aria-disabled=${String(isGuarded)} @click=${guarded(() => void ask())}>${t('approval.deny')}</button>
    <button class="btn ${unread.length > 0 ? '' : 'btn-primary'}" type="button" ?disabled=${left === 0}
      aria-disabled=${String(isGuarded)} @click=${guarded(() => void decide(view, pending, true))}>
      ${words}
    </button>
  </div>`
}

/** Returns a button that counts the changes not yet on the screen, and scrolls to the first of them. */
function further(view: View, unread: string[]): TemplateResult {
  const go = () =>
    view.find(`[data-row="${CSS.escape(unread[0] ?? '')}"]`)?.scrollIntoView({ block: 'start' })
  return html`<button class="btn btn-quiet" type="button" @click=${go}>
    ${view.t('approval.unread', { count: unread.length })}${icon('down')}
  </button>`
}

function denial(view: View, pending: PendingApproval, deadline: TemplateResult): TemplateResult {
  const { t, store, ui } = view
  const stop = async () => {
    setWork(view, { reason: null })
    await view.focusDrawn('[data-act="deny"]')
  }
  const deny = () => void decide(view, pending, false)
  const write = ({ target }: Event) => setWork(view, { reason: (target as HTMLInputElement).value })
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !isComposed(event)) deny()
    if (stopEscape(event)) void stop()
  }
  return html`<div class="row row-wrap approval-foot">
    <div class="field">
      <label for="reason">${t('approval.reason')}</label>
      <input class="input" id="reason" maxlength=${store.status?.maxCharacters.reason ?? nothing} dir="auto" .value=${ui.proposal?.reason ?? ''}
        @input=${write} @keydown=${pressed} />
    </div>
    ${deadline}
    <button class="btn btn-quiet" type="button" @click=${stop}>${t('app.cancel')}</button>
    <button class="btn" type="button" @click=${deny}>${t('approval.deny')}</button>
  </div>`
}

/** Sends the decision on the shown proposal with the user's words, and focuses the row of the decision. */
async function decide(view: View, pending: PendingApproval, approved: boolean): Promise<void> {
  const { store, conversation } = view
  const { proposal } = view.ui
  const kept = approved ? await keepWords(view, pending) : pending
  if (!kept || !proposal) return
  const denied = kept.calls.flatMap(({ id }) => (approved && proposal.unticked.has(id) ? [id] : []))
  const reason = proposal.reason?.trim() ?? ''
  const isTaken = Decide.decide(store, conversation, kept, { approved, reason, denied })
  await focusOutcome(view, kept, isTaken)
  if (!(await isTaken)) return
  conversation.proposals.delete(proposal.key)
  keepWork({ store, conversation }, { ...proposal, unticked: new Set(), words: null, reason: null })
}
