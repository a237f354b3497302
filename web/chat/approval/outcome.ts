import { html, nothing, type TemplateResult } from 'lit'
import { send } from '../events.ts'
import { icon } from '../icon.ts'
import { tableWord } from '../steps/steps.ts'
import * as Keeping from '../store/manage.ts'
import type { Outcome, Write } from '../store/outcome.ts'
import { titlesOf } from '../store/sources.ts'
import type { TurnRow } from '../store/turns.ts'
import { recordHref } from '../view/record.ts'
import type { View } from '../view/view.ts'

/** What became of a proposal: who decided when, what was done, the record, and the way back. */
export function outcome(view: View, row: TurnRow, result: Outcome): TemplateResult {
  const { t, format, talk } = view
  const time = format.moment(result.at, Date.now())
  const done = result.writes.filter((write) => write.state === 'done')
  const isUndone =
    result.runId !== null && (talk.undone.has(result.runId) || isTakenBack(view, row, result.runId))
  return html`<div class="result" tabindex="-1" data-outcome=${result.key}>
    ${icon(result.approved ? 'check' : 'close', result.approved ? '' : 'i-quiet')}
    <p>
      ${t(result.approved ? 'result.approved' : 'result.denied', { time })} ${words(view, row, result)}
      ${isUndone ? t('result.undone') : nothing}
    </p>
    ${done.map((write) => link(view, write))}
    ${done.length > 0 && !isUndone && result.runId ? undo(view, result.runId) : nothing}
  </div>`
}

function words(view: View, row: TurnRow, { key, approved, writes }: Outcome): string {
  const { t, talk } = view
  if (!approved) {
    const reason = talk.decisions.get(key)?.reason || writes[0]?.reason
    return [t('result.nothing'), reason ? t('result.reason', { reason }) : ''].filter(Boolean).join(' ')
  }
  if (writes.some((write) => write.state === 'waiting')) return t('result.running')
  return writes
    .map((write) => (write.state === 'failed' ? t('result.failed') : what(view, row, write)))
    .join(' ')
}

function what(view: View, row: TurnRow, { tool, table, uid, arguments: args }: Write): string {
  const { t } = view
  if (tool === 'create_page_draft') return t('result.page', { title: String(args.title ?? '') })
  if (tool === 'create_content_draft') {
    const page = String(args.page ?? '')
    if (!args.header) return t('result.content', { uid: page })
    return t('result.contentNamed', { title: String(args.header), uid: page })
  }
  const name = titlesOf(row).get(`${table}:${uid}`) ?? tableWord(view, table)
  const fields = typeof args.fields === 'object' && args.fields ? Object.keys(args.fields).length : 1
  return t('result.updated', { record: `${name} [${uid ?? ''}]`, count: fields })
}

function link(view: View, { table, uid }: Write): unknown {
  if (uid === null) return nothing
  return html`<a href=${recordHref(view, table, uid)} data-table=${table} data-uid=${uid}>${view.t('result.open')}</a>`
}

function isTakenBack({ talk }: View, row: TurnRow, runId: string): boolean {
  const isMark = (notice?: string, run?: string) => notice === 'undone' && run === runId
  return (
    row.messages.some((message) => isMark(message.notice, message.runId)) ||
    talk.transcript.messages.some((message) => isMark(message.notice, message.runId))
  )
}

function undo(view: View, runId: string): TemplateResult {
  return html`<button class="btn btn-sm btn-quiet" type="button" @click=${() => takeBack(view, runId)}>
    ${icon('undo')}${view.t('app.undo')}
  </button>`
}

/** Takes the changes of a run back, and tells what was and what was not. */
export async function takeBack(view: View, runId: string): Promise<void> {
  const { store, talk, t } = view
  if (!store) return
  const result = await Keeping.undo(store, talk, runId)
  if (!result) return
  const { undone, conflicts } = result
  const done = undone.length > 0 ? t('result.undoDone', { count: undone.length }) : ''
  const lines = conflicts.map(({ table, uid, reason }) =>
    t('result.conflict', { record: `${tableWord(view, table)} [${uid}]`, reason }),
  )
  const text = [done, ...lines].filter(Boolean).join(' ') || t('result.undoNothing')
  if (undone.length === 0 && conflicts.length > 0) talk.undone.delete(runId)
  if (undone.length > 0) send(view, 'ai-chat-changed', { records: undone })
  talk.remark = { kind: conflicts.length > 0 ? 'problem' : 'info', text }
  view.announcer.say(text)
  store.changed()
}
