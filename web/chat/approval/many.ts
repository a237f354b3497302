import { html, nothing, type TemplateResult } from 'lit'
import type { RecordId } from '../../../core/conversation/schema.ts'
import { icon } from '../icon.ts'
import { recordName, toolOf } from '../steps/steps.ts'
import type { Outcome, Write } from '../store/outcome.ts'
import type { Undone } from '../store/undone.ts'
import { recordHref, tableWord } from '../view/record.ts'
import type { View } from '../view/view.ts'

/** The most results that are visible at once; a button shows the others. */
const fewWrites = 3

const endings = ['denied', 'without', 'conflict', 'unknown', 'failed'] as const

/** Counts the completed writes of a large proposal, and the outcomes of the others. */
export function counted({ t }: View, { writes }: Outcome): string {
  const count = (state: Write['state']) => writes.filter((write) => write.state === state).length
  const left = endings.flatMap((state) => {
    const n = count(state)
    return n > 0 ? [t(`result.many.${state}`, { count: n })] : []
  })
  return [t('result.many', { n: count('done'), total: writes.length }), ...left].join(' ')
}

/** The progress of a large proposal while it runs. */
export function progress({ t, conversation }: View, { writes }: Outcome): unknown {
  const waiting = writes.filter(({ state }) => state === 'waiting').length
  if (waiting === 0 || !conversation.isBusy) return nothing
  return html`<progress
    max=${writes.length}
    .value=${writes.length - waiting}
    aria-label=${t('result.progress')}
  ></progress>`
}

/** How far the undo of many records is; null where none of this run is at work. */
export function takingBack({ t, format, conversation }: View, runId: string): unknown {
  const { progress } = conversation.transcript
  if (!conversation.isBusy || progress?.call !== runId) return null
  const { n, total } = progress
  const far = t('steps.progress.records', { n: format.number(n), total: format.number(total) })
  return html`<p>${t('result.undoing')} ${far}</p>
    <progress max=${total} .value=${n} aria-label=${t('result.progress')}></progress>`
}

/** The outcome of one write, in a sentence that names its record. */
export function what(view: View, { tool, state, record, count, isReworded }: Write): string {
  const { t } = view
  const name = record ? recordName(view, record) : null
  const own = isReworded ? ` ${t('result.reworded')}` : ''
  if (state === 'done') {
    const stored = toolOf(view, tool)?.stored
    if (!record || !name) return t('result.storedSome')
    if (!stored) return t('result.stored', { record: name }) + own
    const title = record.title || tableWord(view, record.table)
    return t({ words: stored }, { record: name, title, page: record.page ?? '', count }) + own
  }
  if (state === 'conflict' && name) return t('result.overtaken', { record: name })
  if (state === 'without') return t('result.without')
  if (state === 'unknown') return t('result.unknown', { record: name ?? t('result.theRecord') })
  return t('result.failed')
}

type TakeBack = (record: { table: string; uid: RecordId }, event: Event) => void

/** The result of each write: the record, what became of it, and the way back for it alone. Many are to be opened. */
export function rows(
  view: View,
  { writes }: Outcome,
  undone: Undone | null | undefined,
  takeBack: TakeBack | null,
): TemplateResult {
  const { t } = view
  const isUndone = ({ record }: Write) =>
    undone?.records.some(({ table, uid }) => table === record?.table && uid === record.uid) ?? false
  const list = html`<ul aria-label=${t('result.rows')}>
    ${writes.map(
      (write) =>
        html`<li>${result(view, write, isUndone(write))} ${
          takeBack && write.state === 'done' && !isUndone(write) ? back(view, write, takeBack) : nothing
        }</li>`,
    )}
  </ul>`
  if (writes.length <= fewWrites) return html`<div class="result-rows">${list}</div>`
  return html`<details class="result-rows">
    <summary>${t('result.rows')}</summary>
    ${list}
  </details>`
}

/** The result of a write: a sentence of its own with the record's name as link, else the name and a word. */
function result(view: View, write: Write, isUndone: boolean): TemplateResult {
  const { t } = view
  const { record, state, tool } = write
  const word = t(isUndone ? 'result.row.undone' : `result.row.${state}`)
  if (!record)
    return html`<span>${state === 'without' ? `${toolOf(view, tool)?.title ?? tool}: ` : ''}${word}</span>`
  const name = recordName(view, record)
  // A record in the bin cannot be opened.
  const isGone = tool === 'delete_record' && state === 'done' && !isUndone
  const link = isGone
    ? name
    : html`<a href=${recordHref(view, record.table, record.uid)} data-table=${record.table} data-uid=${record.uid} dir="auto">${name}</a>`
  const [start, end] = state === 'done' && !isUndone ? what(view, write).split(name) : []
  if (start === undefined || end === undefined) return html`<p>${link} <span>${word}</span></p>`
  return html`<p><span>${start}</span>${link}<span>${end}</span></p>`
}

function back(view: View, { record }: Write, takeBack: TakeBack): unknown {
  if (!record) return nothing
  const { t } = view
  return html`<button
    class="btn btn-sm btn-quiet when-idle"
    type="button"
    aria-label=${t('result.undoOne', { record: recordName(view, record) })}
    @click=${(event: Event) => takeBack({ table: record.table, uid: record.uid }, event)}
  >
    ${icon('undo')}${t('app.undo')}
  </button>`
}
