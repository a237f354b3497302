import { html, nothing, type TemplateResult } from 'lit'
import type {
  DraftEffect,
  FieldChange,
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
import { batchTable, checkbox } from './batch.ts'
import { cell, compared, whole } from './cell.ts'
import { foot } from './foot.ts'
import { form, formButton } from './form.ts'
import { dress } from './look.ts'
import { shown, shownTitle } from './shown.ts'
import { begin } from './ticks.ts'
import { wordingOf } from './wording.ts'

/** A decision to be made: what would change, field by field, a tick for each of several calls, and two buttons. */
export function approval(view: View, pending: PendingApproval): TemplateResult {
  const { t, conversation } = view
  dress(view)
  begin(view, pending)
  const [only] = pending.calls
  const isOne = pending.calls.length === 1 && only !== undefined
  const title = isOne ? only.title : t('approval.many', { count: pending.calls.length })
  const groups = [...Map.groupBy(pending.calls, ({ id }) => batchOf(id)).values()]
  return html`<section class="approval" part="approval" tabindex="-1" aria-labelledby="approval-title">
    <div class="approval-head">
      ${icon('shield', 'i-20')}
      <h3 id="approval-title" dir="auto">${shownTitle(view, title)}</h3>
      <p>${isOne ? place(view, only) : nothing} ${t('approval.safe')}</p>
    </div>
    ${effects(pending).map((effect) => html`<div class="approval-note">${icon(effect === 'publish' ? 'warning' : 'info')}<span>${t(`approval.effect.${effect}`)}</span></div>`)}
    ${conversation.isRefreshed ? html`<div class="approval-note">${icon('warning')}<span>${t('approval.stale')}</span></div>` : nothing}
    ${groups.map((calls, index) => {
      const number = isOne ? 0 : index + 1
      if (calls.length > 1) return batchTable(view, calls, t('approval.change', { n: number }))
      return calls.map((call) => change(view, call, number))
    })}
    ${foot(view, pending)}
  </section>`
}

/** What the calls do for visitors, where the settings ask for drafts first; a new record says by itself that it is hidden. */
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
  }${call.preview ? table(view, call, number) : argumentsTable(view, call)}`
}

/** Where the record lies, with a link to it. */
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
    // Of a record without a page, the CMS names the record itself.
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
  const sides = sidesOf(call)
  const caption = number > 0 ? t('approval.change', { n: number }) : t('approval.changes')
  return html`<table class="diff">
    <caption class="vh">${caption}</caption>
    <colgroup><col class="c-field" />${sides.map(() => html`<col />`)}</colgroup>
    <thead>
      <tr>
        <th scope="col">${t('approval.field')}</th>
        ${sides.map((side) => html`<th scope="col">${t(`approval.${side}`)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${preview?.changes.map((field) => line(view, call, field, sides))}
    </tbody>
  </table>`
}

/** A column of the table beside the names of fields; the last one is what approval stores. */
type Side = 'original' | 'now' | 'after' | 'newValue' | 'translation'

/** What was there before is left out where there was nothing. */
function sidesOf({ preview }: PendingCall): Side[] {
  if (!preview?.changes.some(({ original }) => original !== undefined))
    return preview?.uid === null ? ['newValue'] : ['now', 'after']
  const isFirst = preview.changes.every(({ before }) => before === null)
  return isFirst ? ['original', 'translation'] : ['original', 'now', 'translation']
}

function line(view: View, call: PendingCall, change: FieldChange, sides: Side[]): TemplateResult {
  const { t } = view
  const key = `${call.id} ${change.field}`
  const shape = form(view, change, key)
  const isReadable = shape !== change
  const pieces = sides.includes('now') ? compared(view, shape) : whole(shape)
  const { original = null, before, after } = shape
  return html`<tr>
    <th scope="row" dir="auto" title=${change.field}>${change.label}${formButton(view, change, key)}</th>
    ${sides.map((side) => {
      const shared = { name: t(`approval.${side}`), key, isReadable }
      if (side === 'original') {
        const { was } = whole({ before: original, after: null })
        return cell(view, { ...shared, side: 'same', value: original, pieces: was, key: `${key} original` })
      }
      if (side === 'now') return cell(view, { ...shared, side: 'was', value: before, pieces: pieces.was })
      const wording = wordingOf(view, call, change)
      return cell(view, { ...shared, side: 'will', value: after, pieces: pieces.will, wording })
    })}
  </tr>`
}
