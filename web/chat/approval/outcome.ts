import { html, nothing, type TemplateResult } from 'lit'
import type { UndoAnswer } from '../../../core/chat/request.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import type { Conflict } from '../../../core/conversation/transcript/schema.ts'
import { icon } from '../icon.ts'
import { recordName } from '../steps/steps.ts'
import { announce, undoneIn } from '../store/changes.ts'
import type { Change } from '../store/channel.ts'
import * as Manage from '../store/manage.ts'
import type { Outcome, Write } from '../store/outcome.ts'
import { type Undone, undoneOf } from '../store/undone.ts'
import { pagesOf, recordHref } from '../view/record.ts'
import type { View } from '../view/view.ts'
import { dress } from './look.ts'
import { counted, progress, rows, takingBack, what } from './many.ts'

type Place = { table: string; uid: RecordId }

/** The outcome of a proposal: who decided and when, the result, the record, and the undo button. */
export function outcome(view: View, result: Outcome): TemplateResult {
  const { t, format, conversation } = view
  const { runId } = result
  dress(view)
  const time = format.moment(result.at, Date.now())
  const done = result.writes.filter((write) => write.state === 'done')
  const undone =
    runId && (undoneOf(conversation.transcript.messages, runId) ?? conversation.undone.get(runId))
  const isLeft = !undone || undone.conflicts.length > 0 || isPartly(done, undone)
  const isList = result.approved && result.writes.length > 1
  const goingBack = runId ? takingBack(view, runId) : null
  const one = (record: Place, event: Event) => void back(view, runId ?? '', event, record)
  return html`<div class="result" tabindex="-1" data-outcome=${result.key}>
    ${undone && !isLeft ? icon('undo', 'i-quiet') : icon(result.approved ? 'check' : 'close', result.approved ? '' : 'i-quiet')}
    <p>
      ${t(result.approved ? 'result.approved' : 'result.denied', { time })} ${words(view, result)}
      ${undone ? takenBack(view, undone, isPartly(done, undone)) : nothing}
    </p>
    ${goingBack ?? (isList ? progress(view, result) : done.map((write) => link(view, write)))}
    ${done.length > 0 && isLeft && runId && !goingBack ? undo(view, runId) : nothing}
    ${isList ? rows(view, result, undone || null, one) : nothing}
  </div>`
}

/** True if an undo left some of the changes; rows of earlier releases do not name the undone ones. */
function isPartly(done: readonly Write[], { records }: Undone): boolean {
  if (records.length === 0) return false
  const names = new Set(records.map(({ table, uid }) => `${table}:${uid}`))
  return done.some(({ record }) => record && !names.has(`${record.table}:${record.uid}`))
}

function words(view: View, result: Outcome): string {
  const { key, approved, writes } = result
  const { t, conversation } = view
  if (approved && writes.length > 1) return counted(view, result)
  if (!approved) {
    const reason = conversation.decisions.get(key)?.reason || writes[0]?.reason
    return [t('result.nothing'), reason ? t('result.reason', { reason }) : ''].filter(Boolean).join(' ')
  }
  if (writes.some((write) => write.state === 'waiting')) return t('result.running')
  return writes.map((write) => what(view, write)).join(' ')
}

/** Says that all was undone, or lists the undone and the remaining changes with the reasons. */
function takenBack(view: View, { records, conflicts }: Undone, isPart: boolean): string {
  const { t } = view
  if (conflicts.length === 0 && !isPart) return t('result.undone')
  return [t('result.undoDone', { count: records.length }), ...conflicts.map((one) => left(view, one))].join(
    ' ',
  )
}

const left = (view: View, conflict: Conflict) =>
  view.t('result.conflict', { record: recordName(view, conflict), reason: conflict.reason })

function link(view: View, { record, tool }: Write): unknown {
  // A record in the bin cannot be opened.
  if (!record || tool === 'delete_record') return nothing
  const { table, uid, url } = record
  const { context } = view
  const isOpen = table === pagesOf(view) && context?.module === 'page' && context.pageId === uid
  return html`${
    isOpen
      ? nothing
      : html`<a href=${recordHref(view, table, uid)} data-table=${table} data-uid=${uid}>${view.t('result.open')}</a>`
  }${url ? html`<a href=${url} target="_blank" rel="noopener">${view.t('result.show')}</a>` : nothing}`
}

async function back(view: View, runId: string, event: Event, record?: Place): Promise<void> {
  const row = (event.currentTarget as HTMLElement).closest<HTMLElement>('.result')
  await takeBack(view, [runId], record)
  // The button is gone: the row that says what became of it has the focus.
  row?.focus()
}

function undo(view: View, runId: string): TemplateResult {
  return html`<button
    class="btn btn-sm btn-quiet"
    type="button"
    @click=${(event: Event) => void back(view, runId, event)}
  >
    ${icon('undo')}${view.t('app.undo')}
  </button>`
}

/**
 * Undoes the changes of runs, or those to one record, and reports the result once. Answers the runs whose undo the
 * stage refused for now.
 */
export async function takeBack(view: View, runIds: readonly string[], record?: Place): Promise<string[]> {
  const { store, conversation, t } = view
  if (!store) return [...runIds]
  const refused: string[] = []
  const undone: UndoAnswer['undone'] = []
  const changes: Change[] = []
  const conflicts: UndoAnswer['conflicts'] = []
  let isQueued = false
  for (const runId of runIds) {
    const result = await Manage.undo(store, conversation, runId, record)
    if (!result) refused.push(runId)
    isQueued ||= result?.isQueued ?? false
    undone.push(...(result?.undone ?? []))
    changes.push(...undoneIn(runId, result?.undone ?? []))
    conflicts.push(...(result?.conflicts ?? []))
  }
  if (refused.length === runIds.length) return refused
  const done = undone.length > 0 ? t('result.undoDone', { count: undone.length }) : ''
  const lines = conflicts.map((one) => left(view, { title: '', ...one }))
  const going = isQueued ? t('result.undoing') : ''
  const text = [going, done, ...lines].filter(Boolean).join(' ') || t('result.undoNothing')
  announce(view, changes)
  // The row of the decision lists the undone changes; a strip lists the others, unless it gives the reason of a
  // refusal.
  if (refused.length === 0 && (lines.length > 0 || (undone.length === 0 && !isQueued)))
    conversation.remark = { kind: lines.length > 0 ? 'problem' : 'info', text }
  view.announcer.say(text)
  store.changed()
  await view.updateComplete
  return refused
}
