import { html, nothing, type TemplateResult } from 'lit'
import type { PendingCall, Preview } from '../../../core/conversation/schema.ts'
import { recordHref, tableWord } from '../view/record.ts'
import type { View } from '../view/view.ts'
import { cell, compared } from './cell.ts'
import { form, formButton } from './form.ts'
import { shown } from './shown.ts'
import { tick, unticked } from './ticks.ts'
import { wordingOf } from './wording.ts'

/** The changes of a batch as one table: a row for each record with its tick, and a filter over them. */
export function batchTable(view: View, calls: readonly PendingCall[], name: string): TemplateResult {
  const { t, ui } = view
  const filter = (ui.proposal?.filter ?? '').trim().toLowerCase()
  const seen = calls.filter((call) => textOf(call).includes(filter))
  const ticked = seen.filter(({ id }) => !unticked(view).has(id)).length
  const narrow = (event: Event) => {
    if (ui.proposal) ui.proposal.filter = (event.target as HTMLInputElement).value
    view.requestUpdate()
  }
  const all = (event: Event) => {
    const { checked } = event.target as HTMLInputElement
    for (const { id } of seen) tick(view, id, checked)
  }
  return html`<div class="batch-bar">
      <label class="tick"
        ><input
          type="checkbox"
          .checked=${ticked > 0 && ticked === seen.length}
          .indeterminate=${ticked > 0 && ticked < seen.length}
          @change=${all}
        />${t('approval.all')}</label
      >
      <input
        class="input"
        type="search"
        aria-label=${t('approval.filter')}
        placeholder=${t('approval.filter')}
        .value=${ui.proposal?.filter ?? ''}
        @input=${narrow}
      />
      <span role="status">${t('approval.rows', { n: seen.length, total: calls.length })}</span>
    </div>
    <table class="diff batch">
      <caption class="vh">${name}</caption>
      <colgroup><col class="c-record" /><col class="c-field" /><col /><col /></colgroup>
      <thead>
        <tr>
          <th scope="col">${t('approval.record')}</th>
          <th scope="col">${t('approval.field')}</th>
          <th scope="col">${t('approval.now')}</th>
          <th scope="col">${t('approval.after')}</th>
        </tr>
      </thead>
      ${seen.map((call) => record(view, call))}
    </table>`
}

/** What the filter looks through. */
function textOf({ preview }: PendingCall): string {
  const changes = preview?.changes.flatMap(({ label, before, after }) => [label, before, after]) ?? []
  return [preview?.label, `[${preview?.uid}]`, ...changes].join(' ').toLowerCase()
}

function record(view: View, call: PendingCall): unknown {
  const { t } = view
  const { preview } = call
  if (!preview) return nothing
  const { uid, label, changes } = preview
  const name = uid === null ? label : `${label} [${uid}]`
  return html`<tbody>
    ${changes.map((change, at) => {
      const key = `${call.id} ${change.field}`
      const sides = form(view, change, key)
      const isReadable = sides !== change
      const { was, will } = compared(view, sides)
      const field = html`<th scope="row" dir="auto" title=${change.field}>${change.label}${formButton(view, change, key)}</th>`
      return html`<tr>
        ${
          at === 0
            ? html`<th class="c-record" scope="rowgroup" rowspan=${changes.length}>
              <span class="tick"
                >${checkbox(view, call, name)}${subject(view, preview)}</span
              >
            </th>`
            : nothing
        }${field}${cell(view, { side: 'was', name: t('approval.now'), isReadable, value: sides.before, pieces: was, key })}${cell(view, { side: 'will', name: t('approval.after'), isReadable, value: sides.after, pieces: will, key, wording: wordingOf(view, call, change) })}
      </tr>`
    })}
  </tbody>`
}

/** The record by its name, with a link where it is there already. */
function subject(view: View, { table, uid, label }: Preview): TemplateResult {
  const name = shown(view, label || tableWord(view, table))
  if (uid === null) return html`<span dir="auto">${name}</span>`
  return html`<a href=${recordHref(view, table, uid)} data-table=${table} data-uid=${uid} dir="auto"
    >${name} <span class="uid">[${uid}]</span></a
  >`
}

/** The tick of one call: without it, the call is denied when the others are approved. */
export function checkbox(view: View, { id }: PendingCall, name: string): TemplateResult {
  const change = (event: Event) => tick(view, id, (event.target as HTMLInputElement).checked)
  return html`<input
    type="checkbox"
    aria-label=${view.t('approval.include', { name })}
    ?disabled=${!view.conversation.transcript.approval?.mayDecide}
    .checked=${!unticked(view).has(id)}
    @change=${change}
  />`
}
