import { html, nothing, type TemplateResult } from 'lit'
import { guard } from 'lit/directives/guard.js'
import type {
  DraftEffect,
  PendingApproval,
  PendingCall,
  RecordId,
} from '../../../core/conversation/schema.ts'
import { noun } from '../i18n/i18n.ts'
import { icon } from '../icon.ts'
import { batchOf } from '../store/outcome.ts'
import { idIn, pagesOf, recordHref, tableWord } from '../view/record.ts'
import type { View } from '../view/view.ts'
import { argumentsTable } from './arguments.ts'
import { batchTable, checkbox, fewRows } from './batch.ts'
import { foot } from './foot.ts'
import { dress } from './look.ts'
import { readingOf } from './reading.ts'
import { heads, lookOf, row, sidesOf } from './row.ts'
import { shown, shownTitle } from './shown.ts'
import { begin } from './ticks.ts'

/** A decision to be made: what would change, field by field, a tick for each of several calls, and two buttons. */
export function approval(view: View, pending: PendingApproval): TemplateResult {
  const { t, conversation } = view
  dress(view)
  begin(view, pending)
  const reading = readingOf(view)
  void view.updateComplete.then(() => reading.look(view.find('.approval')))
  const [only] = pending.calls
  const isOne = pending.calls.length === 1 && only !== undefined
  const isLong = pending.calls.length > fewRows
  const title = isOne ? only.title : t('approval.many', { count: pending.calls.length })
  const groups = [...Map.groupBy(pending.calls, ({ id }) => batchOf(id)).values()]
  return html`<section class="approval" part="approval" tabindex="-1" aria-labelledby="approval-title">
    <div class="approval-head">
      ${icon('shield', 'i-20')}
      <h3 id="approval-title" dir="auto">${shownTitle(view, title)}</h3>
      <p>${isOne ? place(view, only) : isLong ? sum(view, pending) : nothing} ${t('approval.safe')}</p>
    </div>
    ${effects(pending).map((effect) => html`<div class="approval-note">${icon(effect === 'publish' ? 'warning' : 'info')}<span>${t(`approval.effect.${effect}`)}</span></div>`)}
    ${notes(pending, isOne).map((note) => html`<div class="approval-note">${icon('warning')}<span dir="auto">${shown(view, note)}</span></div>`)}
    ${conversation.isRefreshed ? html`<div class="approval-note">${icon('warning')}<span>${t('approval.stale')}</span></div>` : nothing}
    ${groups.map((calls, index) => {
      const number = isOne ? 0 : index + 1
      if (calls.length > 1 && calls.every(({ preview }) => preview))
        return batchTable(view, calls, t('approval.change', { n: number }))
      return calls.map((call) => change(view, call, number))
    })}
    ${foot(view, pending)}
  </section>`
}

/** Sums up the changes of a long proposal in a line. */
function sum({ t }: View, { calls }: PendingApproval): string {
  const changes = calls.flatMap(({ preview }) => preview?.changes ?? [])
  const published = calls.filter(({ effect }) => effect === 'publish').length
  const parts = [
    t('approval.sum.records', { count: calls.length }),
    t('approval.sum.fields', { count: new Set(changes.map(({ field }) => field)).size }),
    ...(published > 0 ? [t('approval.sum.published', { count: published })] : []),
  ]
  return `${parts.join(', ')}.`
}

/** Notes about further effects, in the CMS's own sentences; with several calls each names its record. */
function notes({ calls }: PendingApproval, isOne: boolean): string[] {
  const said = calls.flatMap(({ preview }) =>
    (preview?.notes ?? []).map((note) => (isOne ? note : `${preview?.label}: ${note}`)),
  )
  return [...new Set(said)]
}

/**
 * The effects of the calls for visitors, if the settings require drafts first; a new record already says that it is
 * hidden.
 */
function effects({ calls }: PendingApproval): DraftEffect[] {
  const said = calls.flatMap(({ effect, preview }) =>
    effect && (effect !== 'hidden' || preview?.uid != null) ? [effect] : [],
  )
  return [...new Set(said)]
}

function change(view: View, call: PendingCall, number: number): TemplateResult {
  return html`${
    number > 0
      ? html`<div class="call">
          ${checkbox(view, call, call.title)}
          <h4 dir="auto">${shownTitle(view, call.title)}</h4>
          <p>${place(view, call)}</p>
        </div>`
      : nothing
  }${call.preview ? table(view, call, number) : guard([call, view.locale.language], () => argumentsTable(view, call))}`
}

/** The page of the record, with a link to it. */
function place(view: View, { preview, arguments: args }: PendingCall): unknown {
  const { t } = view
  if (!preview) return nothing
  const { table } = preview
  const record = tableWord(view, table)
  const link = (target: string, uid: RecordId, words: string) =>
    html`<a href=${recordHref(view, target, uid)} data-table=${target} data-uid=${uid}>${shown(view, words)}</a>`
  if (preview.original !== undefined) {
    const it = link(table, preview.original, `${record} [${preview.original}]`)
    return html`${t('approval.translationOf')} ${it}. ${t('approval.hidden')}`
  }
  const pages = pagesOf(view)
  const { uid: page, title } = preview.page ?? { uid: idIn(String(args.page ?? args.parent)), title: '' }
  const on = () => link(pages ?? table, page, `${title} [${page}]`.trim())
  if (preview.uid !== null) {
    const it = link(table, preview.uid, `${record} [${preview.uid}]`)
    // For a record without a page, the CMS names the record itself.
    const isItself = table === pages || (page === preview.uid && title === preview.label)
    return preview.page && pages !== null && !isItself
      ? html`${it} ${t('approval.on')} ${on()}.`
      : html`${it}.`
  }
  const name = { record: noun(t, record) }
  if (pages === null || page === 0) return html`${t('approval.newAlone', name)} ${t('approval.hidden')}`
  const words = table === pages ? t('approval.newPage') : t('approval.new', name)
  return html`${words} ${on()}. ${t('approval.hidden')}`
}

function table(view: View, call: PendingCall, number: number): TemplateResult {
  const { t } = view
  const { preview } = call
  const sides = sidesOf([call])
  const caption = number > 0 ? t('approval.change', { n: number }) : t('approval.changes')
  return html`<table class="diff">
    <caption class="vh">${caption}</caption>
    <colgroup><col class="c-field" />${sides.map(() => html`<col />`)}</colgroup>
    <thead>
      <tr>
        <th scope="col">${t('approval.field')}</th>
        ${heads(view, sides)}
      </tr>
    </thead>
    <tbody>
      ${preview?.changes.map((field) => guard(lookOf(view, call, field, sides), () => row(view, call, field, { sides })))}
    </tbody>
  </table>`
}
