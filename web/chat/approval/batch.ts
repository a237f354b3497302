import { html, nothing, type TemplateResult } from 'lit'
import { guard } from 'lit/directives/guard.js'
import { repeat } from 'lit/directives/repeat.js'
import type { PendingCall, Preview } from '../../../core/conversation/schema.ts'
import { recordHref, tableWord } from '../view/record-link.ts'
import type { View } from '../view/view.ts'
import { withMarks } from './hidden.ts'
import { tick, unticked } from './open-decision.ts'
import { fieldsOf, heads, lookOf, row, type Side, sidesOf } from './row.ts'

/** A proposal with at most this number of rows needs no filter and no summary. */
export const fewRows = 4

/** Returns the changes of a batch as one table: a row with a checkbox for each record, and a filter above the rows. */
export function batchTable(view: View, calls: readonly PendingCall[], name: string): TemplateResult {
  const { t, ui } = view
  const filter = (ui.proposal?.filter ?? '').trim().toLowerCase()
  const seen = filter === '' ? calls : calls.filter((call) => searchTextOf(call).includes(filter))
  const sides = sidesOf(calls)
  const ticked = seen.filter(({ id }) => !unticked(view).has(id)).length
  const narrow = ({ target }: Event) => ui.setProposal({ filter: (target as HTMLInputElement).value })
  const all = (event: Event) => {
    const { checked } = event.target as HTMLInputElement
    for (const { id } of seen) tick(view, id, checked)
  }
  return html`<div class="row row-wrap batch-bar">
      <label class="tick"
        ><input type="checkbox" .checked=${ticked > 0 && ticked === seen.length}
            .indeterminate=${ticked > 0 && ticked < seen.length} @change=${all}
        />${t('approval.all')}</label
      >
${
  calls.length > fewRows
    ? html`<input class="input" type="search" aria-label=${t('approval.filter')}
        placeholder=${t('approval.filter')} .value=${ui.proposal?.filter ?? ''} @input=${narrow} />`
    : nothing
}
      <span role="status">${t('approval.rows', { n: seen.length, total: calls.length })}</span>
    </div>
    <table class="diff batch">
      <caption class="vh">${name}</caption>
      <colgroup><col class="c-record" /><col class="c-field" />${sides.map(() => html`<col />`)}</colgroup>
      <thead>
        <tr>
          <th scope="col">${t('approval.record')}</th>
          <th scope="col">${t('approval.field')}</th>
          ${heads(view, sides)}
        </tr>
      </thead>
      ${repeat(
        seen,
        ({ id }) => id,
        (call) => recordRows(view, call, sides),
      )}
    </table>`
}

/** The text that the filter searches in each call; kept, because every key press searches it again. */
const texts = new WeakMap<PendingCall, string>()

function searchTextOf(call: PendingCall): string {
  const known = texts.get(call)
  if (known !== undefined) return known
  const { preview } = call
  const changes = preview?.changes.flatMap(({ label, before, after }) => [label, before, after]) ?? []
  const text = [preview?.label, `[${preview?.uid}]`, ...changes].join(' ').toLowerCase()
  texts.set(call, text)
  return text
}

function recordRows(view: View, call: PendingCall, sides: readonly Side[]): unknown {
  const { preview } = call
  if (!preview) return nothing
  const { uid, label } = preview
  const name = uid === null ? label : `${label} [${uid}]`
  const fields = fieldsOf(view, call, sides)
  const head = () => html`<th class="c-record" scope="rowgroup" rowspan=${fields.length}>
    <span class="tick">${checkbox(view, call, name)}${subject(view, preview)}</span>
  </th>`
  const look = [unticked(view).has(call.id), ...fields.flatMap((field) => lookOf(view, field))]
  return guard(
    look,
    () => html`<tbody>
      ${fields.map((field, at) => row(view, field, at === 0 ? head() : nothing))}
    </tbody>`,
  )
}

/** Returns the name of the record; the name is a link if the record already exists. */
function subject(view: View, { table, uid, label }: Preview): TemplateResult {
  const name = withMarks(view, label || tableWord(view, table))
  if (uid === null) return html`<span dir="auto">${name}</span>`
  return html`<a href=${recordHref(view, table, uid)} data-table=${table} data-uid=${uid} dir="auto"
    >${name} <span class="uid">[${uid}]</span></a
  >`
}

/** Returns the checkbox of one call. When the user approves the other calls, an unticked call is denied. */
export function checkbox(view: View, { id, needs }: PendingCall, name: string): TemplateResult {
  const change = (event: Event) => tick(view, id, (event.target as HTMLInputElement).checked)
  return html`<input type="checkbox" aria-label=${view.t('approval.include', { name })}
      ?disabled=${!view.conversation.transcript.approval?.mayDecide || unticked(view).has(needs ?? '')}
      .checked=${!unticked(view).has(id)} @change=${change} />`
}
