import { html, nothing, type TemplateResult } from 'lit'
import type { RecordId } from '../../../core/conversation/schema.ts'
import { icon } from '../icon.ts'
import { recordName } from '../steps/steps.ts'
import type { Outcome, Write } from '../store/outcome.ts'
import type { Undone } from '../store/undone.ts'
import { recordHref } from '../view/record.ts'
import type { View } from '../view/view.ts'

/** An outcome describes so many writes one by one; of more it counts how many ended how. */
export const fewWrites = 3

const endings = ['denied', 'conflict', 'unknown', 'failed'] as const

/** How the writes of a large proposal stand: how many of all were done, and what became of the others. */
export function counted({ t }: View, { writes }: Outcome): string {
  const count = (state: Write['state']) => writes.filter((write) => write.state === state).length
  const left = endings.flatMap((state) => {
    const n = count(state)
    return n > 0 ? [t(`result.many.${state}`, { count: n })] : []
  })
  return [t('result.many', { n: count('done'), total: writes.length }), ...left].join(' ')
}

/** How far a large proposal is, while it is carried out. */
export function progress({ t, conversation }: View, { writes }: Outcome): unknown {
  const waiting = writes.filter(({ state }) => state === 'waiting').length
  if (waiting === 0 || !conversation.isBusy) return nothing
  return html`<progress
    max=${writes.length}
    .value=${writes.length - waiting}
    aria-label=${t('result.progress')}
  ></progress>`
}

type TakeBack = (record: { table: string; uid: RecordId }, event: Event) => void

/** The result of each write, to be opened: the record, what became of it, and the way back for it alone. */
export function rows(
  view: View,
  { writes }: Outcome,
  undone: Undone | null | undefined,
  takeBack: TakeBack | null,
): TemplateResult {
  const { t } = view
  const isUndone = ({ record }: Write) =>
    undone?.records.some(({ table, uid }) => table === record?.table && uid === record.uid) ?? false
  return html`<details class="result-rows">
    <summary>${t('result.rows')}</summary>
    <ul aria-label=${t('result.rows')}>
      ${writes.map((write) => {
        const { record, state } = write
        const words = t(isUndone(write) ? 'result.row.undone' : `result.row.${state}`)
        if (!record) return html`<li><span>${words}</span></li>`
        const { table, uid } = record
        const name = recordName(view, record)
        return html`<li>
          <a href=${recordHref(view, table, uid)} data-table=${table} data-uid=${uid} dir="auto">${name}</a>
          <span>${words}</span>
          ${
            takeBack && state === 'done' && !isUndone(write)
              ? html`<button
                class="btn btn-sm btn-quiet"
                type="button"
                aria-label=${t('result.undoOne', { record: name })}
                @click=${(event: Event) => takeBack({ table, uid }, event)}
              >
                ${icon('undo')}${t('app.undo')}
              </button>`
              : nothing
          }
        </li>`
      })}
    </ul>
  </details>`
}
