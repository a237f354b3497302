import { html, nothing, type TemplateResult } from 'lit'
import type { DraftEffect, PendingApproval, PendingCall } from '../../../core/conversation/schema.ts'
import { icon } from '../icon.ts'
import { batchOf } from '../store/outcome.ts'
import { adoptStyles } from '../style/sheet.ts'
import type { View } from '../view/view.ts'
import css from './approval.css?inline'
import { argumentsTable } from './arguments.ts'
import { batchTable, checkbox, fewRows } from './batch.ts'
import { foot } from './foot.ts'
import { titleWithMarks, withMarks } from './hidden.ts'
import { beginDecision, decisionOf, unticked } from './open-decision.ts'
import { changesTable, observeRows } from './row.ts'
import { place, times } from './target.ts'

/**
 * Returns the card of a proposal: the changes field by field, a checkbox for each of several calls, and two buttons.
 */
export function renderApproval(view: View, pending: PendingApproval): TemplateResult {
  const { t, conversation } = view
  adoptStyles(view, css)
  beginDecision(view, pending)
  observeRows(view)
  const [only] = pending.calls
  const isOne = pending.calls.length === 1 && only !== undefined
  const title = isOne ? only.title : t('approval.many', { count: pending.calls.length })
  const isPlan = pending.calls.some(({ needs }) => needs !== undefined)
  const groups = [...Map.groupBy(pending.calls, ({ id }) => batchOf(id)).values()]
  return html`<section class="approval" part="approval" tabindex="-1" aria-labelledby="approval-title"
      data-decision=${decisionOf(pending)}>
    <div class="approval-head">
      ${icon('shield', 'i-20')}
      <h3 id="approval-title" dir="auto">${titleWithMarks(view, title)}</h3>
      <p>${isOne ? html`${place(view, only)} ${times(view, only)}` : summarise(view, pending)} ${t('approval.safe')}</p>
    </div>
    ${effects(pending).map((effect) => html`<div class="approval-note">${icon(effect === 'publish' ? 'warning' : 'info')}<span>${t(`approval.effect.${effect}`)}</span></div>`)}
    ${notes(pending, isOne).map((note) => html`<div class="approval-note">${icon('warning')}<span dir="auto">${withMarks(view, note)}</span></div>`)}
    ${conversation.isRefreshed ? html`<div class="approval-note">${icon('warning')}<span>${t('approval.stale')}</span></div>` : nothing}
    ${groups.map((calls, index) => {
      const number = isOne ? 0 : index + 1
      if (calls.length > 1 && calls.every(({ preview }) => preview))
        return html`${isPlan ? html`<div class="call"><p>${number}. ${describeBasis(view, groups, calls[0])}</p></div>` : nothing}
        ${batchTable(view, calls, t('approval.change', { n: number }))}`
      const title = isPlan ? `${number}. ` : ''
      return calls.map((call) =>
        callChange(view, call, { number, title, basis: describeBasis(view, groups, call) }),
      )
    })}
    ${foot(view, pending)}
  </section>`
}

/** Returns a one-line summary of the changes of a long proposal; empty for a short proposal. */
function summarise({ t }: View, { calls }: PendingApproval): string {
  if (calls.length <= fewRows) return ''
  const changes = calls.flatMap(({ preview }) => preview?.changes ?? [])
  const published = calls.filter(({ effect }) => effect === 'publish').length
  const parts = [
    t('approval.sum.records', { count: calls.length }),
    t('approval.sum.fields', { count: new Set(changes.map(({ field }) => field)).size }),
    ...(published > 0 ? [t('approval.sum.published', { count: published })] : []),
  ]
  return `${parts.join(', ')}.`
}

/** Returns the CMS's notes about further effects; with several calls, each note names its record. */
function notes({ calls }: PendingApproval, isOne: boolean): string[] {
  const said = calls.flatMap(({ preview }) =>
    (preview?.notes ?? []).map((note) => (isOne ? note : `${preview?.label}: ${note}`)),
  )
  return [...new Set(said)]
}

/**
 * Returns the effects that the calls have for visitors of the site. A call has such an effect only if the settings
 * require drafts. The function leaves out `hidden` for a new record, because the card already says that the record is
 * hidden.
 */
function effects({ calls }: PendingApproval): DraftEffect[] {
  const said = calls.flatMap(({ effect, preview }) =>
    effect && (effect !== 'hidden' || preview?.uid != null) ? [effect] : [],
  )
  return [...new Set(said)]
}

/**
 * Returns a sentence that names the change on which a call depends, and says if the user unticked this change. Empty if
 * the call depends on no other change.
 */
function describeBasis(view: View, groups: PendingCall[][], call: PendingCall | undefined): string {
  const { needs } = call ?? {}
  if (needs === undefined) return ''
  const n = groups.findIndex((calls) => calls.some(({ id }) => id === needs)) + 1
  return view.t(unticked(view).has(needs) ? 'approval.without' : 'approval.needs', { n })
}

type InPlan = { number: number; title: string; basis: string }

function callChange(view: View, call: PendingCall, { number, title, basis }: InPlan): TemplateResult {
  return html`${
    number > 0
      ? html`<div class="call">
          ${checkbox(view, call, call.title)}
          <h4 dir="auto">${title}${titleWithMarks(view, call.title)}</h4>
          <p>${basis || place(view, call)} ${times(view, call)}</p>
        </div>`
      : nothing
  }${call.preview ? changesTable(view, call, number) : argumentsTable(view, call)}`
}
