import { html, nothing, type TemplateResult } from 'lit'
import type { Message } from '../../../core/conversation/transcript/schema.ts'
import { approval, asked, outcome, question } from '../approval/on-demand.ts'
import { icon } from '../icon.ts'
import { timeline } from '../steps/on-demand.ts'
import { recordName, stepsIn, summary } from '../steps/steps.ts'
import { decisionKey } from '../store/conversation.ts'
import { askUser, outcomeOf } from '../store/outcome.ts'
import { isNotice, type TurnRow } from '../store/turns.ts'
import type { View } from '../view/view.ts'
import type { Distance } from './message.ts'
import { after, failed } from './on-demand.ts'

/** The position of a row: the newest, and running. */
export type Place = Distance & { isLast: boolean; isLive: boolean }

/** The assistant's turn for one message: byline, steps, answers, decisions, sources. */
export function turn(view: View, row: TurnRow, place: Place): TemplateResult {
  const { t, format, conversation, ui } = view
  const first = row.messages[0]
  const last = row.messages.at(-1)
  const at = last?.createdAt ?? new Date().toISOString()
  const time = format.moment(at, Date.now())
  const steps = place.isDistant ? [] : stepsIn(view, row, place.isLast)
  const isFailed = place.isLast && conversation.status === 'failed'
  const isOpen = ui.steps.get(row.key) ?? isFailed
  const done = steps.length === 0 ? nothing : summary(view, row, steps, isOpen)
  return html`<article
    class="msg ${place.isFar ? 'msg-far' : ''} ${place.isLast ? 'msg-new' : ''}"
    part="message"
    tabindex="-1"
    data-row=${row.key}
    data-sequence=${first?.sequence ?? nothing}
    aria-label=${t('log.assistant', { time })}
  >
    <div class="msg-by">
      ${place.isDistant ? nothing : icon('chat')}<b>${t('log.name')}</b>
      <time datetime=${at}>${time}</time>
      ${place.isLive ? working(view) : done} ${demo(view, row)}
    </div>
    ${place.isLive || isOpen ? timeline(view, row, steps, place.isLive) : nothing} ${row.messages.map((message) => said(view, row, message))}
    ${waitingApproval(view, place)} ${isFailed ? failed(view, row) : nothing} ${place.isLive || place.isDistant ? nothing : after(view, row, place.isLast)}
  </article>`
}

function working({ t, conversation, store, format }: View): TemplateResult {
  const ms = Date.now() - (conversation.runningSince || Date.now())
  const elapsed = format.elapsed(ms)
  if (conversation.pending.some(({ state }) => state === 'sending'))
    return html`<span class="working">${t('working.sending')}</span>`
  if (conversation.status !== 'processing')
    return html`<span class="working">${t('working.running', { elapsed })}</span>`
  if (conversation.transcript.deferredUntil)
    return html`<span class="working">${t('working.deferred', { elapsed })}</span>`
  const late = store?.user?.isAdmin ? 'working.queuedAdmin' : 'working.queuedLong'
  return html`<span class="working">${t(ms > 20_000 ? late : 'working.queued', { elapsed })}</span>`
}

function demo({ t }: View, row: TurnRow): unknown {
  if (!row.messages.some((message) => message.notice === 'demo')) return nothing
  return html`<span class="demo">${icon('info')}${t('notice.demo')}</span>`
}

/** One message of the turn: an answer, a notice, or the decision on what it proposed. */
function said(view: View, row: TurnRow, message: Message): unknown {
  const { t, conversation } = view
  if (message.notice === 'undone') {
    // The row of the decision already says it, unless some changes remain that need a name.
    if (
      !message.conflicts?.length &&
      row.messages.some((one) => one !== message && one.runId === message.runId)
    )
      return nothing
    return html`<p class="note">${icon('undo')}<span dir="auto">${takenBack(view, message)}</span></p>`
  }
  if (message.notice === 'notUsed')
    return html`<p class="note">${icon('warning')}<span dir="auto">${message.content}</span></p>`
  if (message.notice === 'summarised')
    return html`<details class="told">
      <summary>${t('notice.summarised')}</summary>
      ${view.prose.of(message, row) ?? nothing}
    </details>`
  if (isNotice(message) && message.notice)
    return html`<p class="note">${icon('info')}<span>${t(`notice.${message.notice}`)}</span></p>`
  if (message.role !== 'assistant') return nothing
  const decided = outcomeOf(row, message, conversation.decisions)
  return html`${message.content ? (view.prose.of(message, row) ?? nothing) : nothing}${
    message.notice === 'truncated'
      ? html`<p class="note">${icon('info')}<span>${t('notice.truncated')}</span></p>`
      : nothing
  }${decided ? outcome(view, decided) : nothing}${(message.toolCalls ?? [])
    .filter(({ name }) => name === askUser)
    .map((call) => asked(view, row, message, call))}`
}

/** The undone and the remaining changes by name; rows of earlier releases lack them. */
function takenBack(view: View, { records, conflicts = [] }: Message): string {
  const { t } = view
  if (!records) return t('notice.undone')
  const list = records.map((one) => recordName(view, one)).join(', ')
  return [
    ...(list ? [t('notice.undoneRecords', { records: list })] : []),
    ...conflicts.map((one) => t('result.conflict', { record: recordName(view, one), reason: one.reason })),
  ].join(' ')
}

function waitingApproval(view: View, place: Place): unknown {
  const { conversation } = view
  const pending = conversation.transcript.approval
  if (!place.isLast || !pending) return nothing
  if (pending.calls.every((call) => conversation.decisions.has(decisionKey(pending.runId, call.id))))
    return nothing
  return pending.calls[0]?.question ? question(view, pending) : approval(view, pending)
}
