import { html, nothing, type TemplateResult } from 'lit'
import type { Message } from '../../../core/conversation/transcript/schema.ts'
import { icon } from '../icon.ts'
import { lazy, loadAhead } from '../lazy.ts'
import { decisionKey } from '../store/open-conversation.ts'
import { askUser, outcomeOf } from '../store/outcome.ts'
import { isNotice, type TurnRow } from '../store/turn-rows.ts'
import { recordName } from '../view/record-link.ts'
import type { View } from '../view/view.ts'
import type { Distance } from './message.ts'

/** The outcome of a proposal, loaded with the first outcome. */
const outcome = loadAhead(lazy(async () => (await import('../approval/outcome.ts')).outcome))

/** The card of a proposal, loaded when a proposal waits, with the outcome that replaces it and takes the focus. */
const approval = loadAhead(
  lazy(async () => {
    const [card] = await Promise.all([import('../approval/approval.ts'), outcome.load()])
    return card.renderApproval
  }),
)

/** A question with its answer, loaded with the first question. */
const answeredQuestion = lazy(async () => (await import('../approval/question.ts')).asked)

/** The card of a question, loaded when a question waits, together with the answered question that replaces it. */
const question = lazy(async () => {
  const [card] = await Promise.all([import('../approval/question.ts'), answeredQuestion.load()])
  return card.question
})

/** The steps of a turn, loaded when a turn runs or failed, or when the user opens the steps. */
const timeline = loadAhead(lazy(async () => (await import('../steps/timeline.ts')).timeline))

/** The button in the byline that opens the steps, loaded with the code that draws answers. */
const stepsSummary = loadAhead(lazy(async () => (await import('../steps/summary.ts')).stepsSummary))

/** Sources and copy button under an answer, loaded with the code that draws answers. */
const after = loadAhead(lazy(async () => (await import('./after.ts')).after))

/** The end of a failed turn, loaded when a turn has failed. */
const failed = loadAhead(lazy(async () => (await import('./failed.ts')).failed))

/** Loads the code that draws answers, at the same time as the conversation itself. */
export function fetchAnswers(view: View): void {
  view.prose.prepare()
  void Promise.all([after.load(), stepsSummary.load()]).then(() => view.requestUpdate())
}

/** True while code that every answer needs is loading. */
export const isAnswerComing = ({ prose }: View): boolean =>
  prose.isComing || after.isComing() || stepsSummary.isComing()

/** The position of a turn: `isLast` for the newest turn, `isLive` while it runs. */
type TurnPlace = Distance & { isLast: boolean; isLive: boolean }

/** Draws the assistant's turn for one message: byline, steps, answers, decisions, sources. */
export function assistantTurn(view: View, row: TurnRow, place: TurnPlace): TemplateResult {
  const { t, format, conversation, ui } = view
  const first = row.messages[0]
  const last = row.messages.at(-1)
  const at = last?.createdAt ?? new Date().toISOString()
  const time = format.moment(at, Date.now())
  const isFailed = place.isLast && conversation.status === 'failed'
  const isOpen = ui.steps.get(row.key) ?? isFailed
  const done = place.isDistant ? nothing : stepsSummary(view, row, place.isLast, isOpen)
  return html`<article class="msg ${place.isFar ? 'msg-far' : ''} ${place.isLast ? 'msg-new' : ''}"
      part="message" tabindex="-1" data-row=${row.key} data-sequence=${first?.sequence ?? nothing}
      aria-label=${t('log.assistant', { time })}>
    <div class="row row-wrap fine msg-by">
      ${place.isDistant ? nothing : icon('chat')}<b>${t('log.name')}</b>
      <time datetime=${at}>${time}</time>
      ${place.isLive ? working(view) : done} ${demo(view, row)}
    </div>
    ${place.isLive || (isOpen && !place.isDistant) ? timeline(view, row, place.isLast, place.isLive) : nothing} ${row.messages.map((message) => turnMessage(view, row, message))}
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
  const late = store.user?.isAdmin ? 'working.queuedAdmin' : 'working.queuedLong'
  return html`<span class="working">${t(ms > 20_000 ? late : 'working.queued', { elapsed })}</span>`
}

function demo({ t }: View, row: TurnRow): unknown {
  if (!row.messages.some((message) => message.notice === 'demo')) return nothing
  return html`<span class="demo">${icon('info')}${t('notice.demo')}</span>`
}

/** Draws one message of the turn: an answer, a notice, or the decision on its proposals. */
function turnMessage(view: View, row: TurnRow, message: Message): unknown {
  const { t, conversation } = view
  if (message.notice === 'undone') {
    // The row of the decision already shows the undo, unless changes remain that must be named.
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
    .map((call) => answeredQuestion(view, row, message, call))}`
}

/** Names the undone and the remaining changes; rows of earlier releases have no names, so the text is general. */
function takenBack(view: View, { records, conflicts = [] }: Message): string {
  const { t } = view
  if (!records) return t('notice.undone')
  const list = records.map((one) => recordName(view, one)).join(', ')
  return [
    ...(list ? [t('notice.undoneRecords', { records: list })] : []),
    ...conflicts.map((one) => t('result.conflict', { record: recordName(view, one), reason: one.reason })),
  ].join(' ')
}

function waitingApproval(view: View, place: TurnPlace): unknown {
  const { conversation } = view
  const pending = conversation.transcript.approval
  if (!place.isLast || !pending) return nothing
  if (pending.calls.every((call) => conversation.decisions.has(decisionKey(pending.runId, call.id))))
    return nothing
  return pending.calls[0]?.question ? question(view, pending) : approval(view, pending)
}
