import { html, nothing, type TemplateResult } from 'lit'
import type { UndoAnswer } from '../../../core/chat/request.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import type { Conflict } from '../../../core/transcript/schema.ts'
import { icon } from '../icon.ts'
import { recordName, toolOf } from '../steps/steps.ts'
import { announce, undoneIn } from '../store/changes.ts'
import type { Change } from '../store/channel.ts'
import * as Manage from '../store/manage.ts'
import type { Outcome, Write } from '../store/outcome.ts'
import { type Undone, undoneOf } from '../store/undone.ts'
import { recordHref, tableWord } from '../view/record.ts'
import type { View } from '../view/view.ts'
import { dress } from './look.ts'
import { counted, fewWrites, progress, rows } from './many.ts'

type Place = { table: string; uid: RecordId }

/** What became of a proposal: who decided when, what was done, the record, and the way back. */
export function outcome(view: View, result: Outcome): TemplateResult {
  const { t, format, conversation } = view
  const { runId } = result
  dress(view)
  const time = format.moment(result.at, Date.now())
  const done = result.writes.filter((write) => write.state === 'done')
  const undone =
    runId && (undoneOf(conversation.transcript.messages, runId) ?? conversation.undone.get(runId))
  const isLeft = !undone || undone.conflicts.length > 0 || isPartly(done, undone)
  const isMany = result.writes.length > fewWrites
  const one = (record: Place, event: Event) => void back(view, runId ?? '', event, record)
  return html`<div class="result" tabindex="-1" data-outcome=${result.key}>
    ${undone && !isLeft ? icon('undo', 'i-quiet') : icon(result.approved ? 'check' : 'close', result.approved ? '' : 'i-quiet')}
    <p>
      ${t(result.approved ? 'result.approved' : 'result.denied', { time })} ${words(view, result)}
      ${undone ? takenBack(view, undone, isPartly(done, undone)) : nothing}
    </p>
    ${isMany ? progress(view, result) : done.map((write) => link(view, write))}
    ${done.length > 0 && isLeft && runId ? undo(view, runId) : nothing}
    ${isMany ? rows(view, result, undone || null, view.store?.status?.undoOne && !conversation.isBusy ? one : null) : nothing}
  </div>`
}

/** Something of what was done was not taken back; rows of earlier releases do not name what was. */
function isPartly(done: readonly Write[], { records }: Undone): boolean {
  if (records.length === 0) return false
  const names = new Set(records.map(({ table, uid }) => `${table}:${uid}`))
  return done.some(({ record }) => record && !names.has(`${record.table}:${record.uid}`))
}

function words(view: View, result: Outcome): string {
  const { key, approved, writes } = result
  const { t, conversation } = view
  if (approved && writes.length > fewWrites) return counted(view, result)
  if (!approved) {
    const reason = conversation.decisions.get(key)?.reason || writes[0]?.reason
    return [t('result.nothing'), reason ? t('result.reason', { reason }) : ''].filter(Boolean).join(' ')
  }
  if (writes.some((write) => write.state === 'waiting')) return t('result.running')
  return writes
    .flatMap((write) => [what(view, write), ...(write.isReworded ? [t('result.reworded')] : [])])
    .join(' ')
}

function what(view: View, { tool, state, record, count }: Write): string {
  const { t } = view
  const name = record ? recordName(view, record) : null
  if (state === 'done') {
    const stored = toolOf(view, tool)?.stored
    if (!record || !name) return t('result.storedSome')
    if (!stored) return t('result.stored', { record: name })
    const title = record.title || tableWord(view, record.table)
    return t({ words: stored }, { record: name, title, page: record.page ?? '', count })
  }
  if (state === 'conflict' && name) return t('result.overtaken', { record: name })
  if (state === 'unknown') return t('result.unknown', { record: name ?? t('result.theRecord') })
  return t('result.failed')
}

/** All of it, or what was taken back and what was not, and why. */
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
  // What is in the bin cannot be opened.
  if (!record || tool === 'delete_record') return nothing
  const { table, uid } = record
  const { context } = view
  const isOpen = table === 'pages' && context?.module === 'page' && context.pageId === uid
  if (isOpen) return nothing
  return html`<a href=${recordHref(view, table, uid)} data-table=${table} data-uid=${uid}>${view.t('result.open')}</a>`
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
 * Takes the changes of runs back, or those of one record, and tells once what was and what was not. Answers the runs that
 * the stage refused to take back now.
 */
export async function takeBack(view: View, runIds: readonly string[], record?: Place): Promise<string[]> {
  const { store, conversation, t } = view
  if (!store) return [...runIds]
  const refused: string[] = []
  const undone: UndoAnswer['undone'] = []
  const changes: Change[] = []
  const conflicts: UndoAnswer['conflicts'] = []
  for (const runId of runIds) {
    const result = await Manage.undo(store, conversation, runId, record)
    if (!result) refused.push(runId)
    undone.push(...(result?.undone ?? []))
    changes.push(...undoneIn(runId, result?.undone ?? []))
    conflicts.push(...(result?.conflicts ?? []))
  }
  if (refused.length === runIds.length) return refused
  const done = undone.length > 0 ? t('result.undoDone', { count: undone.length }) : ''
  const lines = conflicts.map((one) => left(view, { title: '', ...one }))
  const text = [done, ...lines].filter(Boolean).join(' ') || t('result.undoNothing')
  announce(view, changes)
  // The row of the decision says what was undone; a strip says what was not, unless it says why a run was refused.
  if (refused.length === 0 && (lines.length > 0 || undone.length === 0))
    conversation.remark = { kind: lines.length > 0 ? 'problem' : 'info', text }
  view.announcer.say(text)
  store.changed()
  await view.updateComplete
  return refused
}
