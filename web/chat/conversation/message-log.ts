import { html, nothing, type TemplateResult } from 'lit'
import { guard } from 'lit/directives/guard.js'
import { repeat } from 'lit/directives/repeat.js'
import type { StatusAnswer } from '../../../core/chat/status-request.ts'
import type { Message } from '../../../core/conversation/transcript/schema.ts'
import { assistantTurn, isAnswerComing } from '../message/assistant-turn.ts'
import { pendingView, userMessage } from '../message/message.ts'
import { hasEarlier } from '../store/known-transcript.ts'
import { earlier, load } from '../store/message-loading.ts'
import { type Row, runOf, type TurnRow } from '../store/turn-rows.ts'
import { copy } from '../view/clipboard.ts'
import { idIn, navigate } from '../view/record-link.ts'
import type { View } from '../view/view.ts'
import { empty } from './empty.ts'

/** The number of newest rows that are always laid out: they change, and their menus and cards must not be clipped. */
const nearRows = 6
/**
 * The number of newest rows, more than fit on a screen, that are drawn whole at once. An older row is drawn whole when
 * it comes close to the visible part, and then stays whole.
 */
const wholeRows = 16

/** Draws the messages in one column that keeps its scroll position; older messages are loaded on demand. */
export function log(view: View): TemplateResult {
  const { t, conversation } = view
  return html`<div class="log ${conversation.isBusy ? 'log-busy' : ''}" part="log" role="log"
      aria-label=${t('app.conversation')} aria-live="off"
      aria-busy=${conversation.isLoading ? 'true' : 'false'} tabindex="0" @scroll=${view.scroller.scrolled}
      @click=${(event: MouseEvent) => handleClick(view, event)}
      @pointerover=${(event: PointerEvent) => setFullDate(view, event)}
      @contentvisibilityautostatechange=${(event: Event) => drawWhole(view, event)}>
    ${content(view)}
  </div>`
}

function content(view: View): unknown {
  const { rows: stored, pending } = view.conversation
  if (isAwaited(view)) return loading(view)
  return stored.length === 0 && pending.length === 0 ? empty(view) : logRows(view)
}

/**
 * True until the answers can be drawn. If the log were drawn earlier, its messages would move when the answers arrive.
 */
function isAwaited(view: View): boolean {
  const { conversation, scroller } = view
  return conversation.isFresh || (conversation.rows.length > 0 && scroller.isEntering && isAnswerComing(view))
}

function logRows(view: View): TemplateResult {
  const { conversation, store } = view
  const newest = newestTurn(view)
  const isOwnRow = newest !== null && conversation.rows.at(-1) !== newest
  const end = { isLast: true, isLive: conversation.isBusy, isFar: false, isDistant: false }
  const day = new Date().toDateString()
  const { prose, locale, recordHref, context } = view
  const { versions, messages, summary, approval } = conversation.transcript
  // A change of one of these values draws all rows again. The start or end of a turn draws no other row: CSS hides the
  // buttons that are unavailable then.
  const around = [
    summarizeOnce(versions, JSON.stringify),
    versions.length > 0 && approval?.mayDecide,
    summarizeOnce(messages, undoneCount),
    summarizeOnce(store.status?.tools, toolWords),
    prose.isReady,
    locale.language,
    day,
    summary?.archived,
    recordHref,
    `${context?.module} ${context?.pageId}`,
  ]
  return html`<div class="log-inner">
    ${hasEarlier(conversation.transcript) ? top(view) : nothing}
    ${repeat(
      conversation.rows,
      (row) => `${conversation.id} ${row.key}`,
      (row, index) =>
        row === newest
          ? assistantTurn(view, newest, end)
          : drawRow(view, row, conversation.rows.length - index, around),
    )}
    ${repeat(
      conversation.pending,
      (pending) => pending.key || pending.at,
      (pending) => pendingView(view, pending),
    )}
    ${isOwnRow ? assistantTurn(view, newest, end) : nothing}
  </div>`
}

const undoneCount = (messages: readonly Message[]) =>
  String(messages.filter(({ notice }) => notice === 'undone').length)
const toolWords = (tools: readonly StatusAnswer['tools'][number][]) => tools.map(({ did }) => did).join()

const texts = new WeakMap<readonly unknown[], string>()

/**
 * Returns a list as text, to compare it; computed once per list, because the store never changes its lists in place.
 */
function summarizeOnce<T>(list: readonly T[] | undefined, make: (list: readonly T[]) => string): string {
  if (!list) return ''
  const text = texts.get(list) ?? make(list)
  texts.set(list, text)
  return text
}

/** Draws a row. `guard` skips a row if none of the listed values has changed. */
function drawRow(view: View, row: Row, fromEnd: number, around: readonly unknown[]): unknown {
  const { conversation, ui } = view
  const isFar = fromEnd > nearRows
  if (fromEnd <= wholeRows || !tellsNear()) ui.met.add(row.key)
  const isDistant = !ui.met.has(row.key)
  const look = [row, isFar, isDistant, ...around, ui.unfolded.has(row.key)]
  if (row.kind === 'turn')
    return guard(
      [...look, ui.steps.get(row.key), conversation.judged.get(runOf(row) ?? ''), conversation.undone.size],
      () => assistantTurn(view, row, { isLast: false, isLive: false, isFar, isDistant }),
    )
  // The stage may read a file until the turn ends.
  const reading = row.message.fileUid !== undefined && conversation.status
  return guard([...look, ui.editing === row.message.sequence, reading], () =>
    userMessage(view, row, { isFar, isDistant }),
  )
}

/** True if the browser reports rows close to the visible part; in other browsers every row is drawn whole at once. */
const tellsNear = () => 'oncontentvisibilityautostatechange' in HTMLElement.prototype

/** Draws a row whole after the browser reported it as close to the visible part. */
function drawWhole(view: View, event: Event): void {
  const { skipped } = event as Event & { skipped: boolean }
  const key = (event.target as HTMLElement).dataset.row
  if (skipped || !key || view.ui.met.has(key)) return
  view.ui.met.add(key)
  view.requestUpdate()
}

/** Returns the turn that runs, failed or ended last: the last row, or a turn without messages. */
function newestTurn({ conversation }: View): TurnRow | null {
  const last = conversation.rows.at(-1)
  const isFollowedUp = conversation.pending.some(({ state }) => state !== 'unsent')
  if (last?.kind === 'turn' && !isFollowedUp) return last
  if (!conversation.isBusy && conversation.status !== 'failed') return null
  const next = (conversation.transcript.messages.at(-1)?.sequence ?? -1) + 1 + (isFollowedUp ? 1 : 0)
  const askedAt = last?.kind === 'user' && !isFollowedUp ? last.message.createdAt : null
  return { kind: 'turn', key: `t${next}`, messages: [], askedAt }
}

function top(view: View): TemplateResult {
  const { t, conversation, store } = view
  const more = async () => {
    view.scroller.holdDistance()
    await earlier(store, conversation)
    view.requestUpdate()
    await view.updateComplete
    // After the oldest messages are loaded, the button is removed. The focus goes to the log, because old rows are
    // replaced when they come close to the visible part.
    if (!hasEarlier(conversation.transcript)) view.find('.log')?.focus({ preventScroll: true })
  }
  return html`<div class="log-top">
    <button class="btn btn-sm btn-quiet" type="button" aria-disabled=${conversation.isLoading ? 'true' : 'false'} @click=${more}>
      ${t(conversation.isLoading ? 'log.loading' : 'log.earlier')}
    </button>
  </div>`
}

function loading(view: View): TemplateResult {
  const { t, conversation, store } = view
  if (!conversation.loadError)
    return html`<div class="log-inner"><div class="skeleton"><span></span><span></span><span></span></div></div>`
  return html`<div class="log-inner"><p class="note">${conversation.loadError.message || t('log.failedLoad')}</p>
    <div><button class="btn" type="button" @click=${() => void load(store, conversation)}>${t('log.tryAgain')}</button></div>
  </div>`
}

/** Sets the full date as the tooltip of a time under the pointer. */
function setFullDate(view: View, event: PointerEvent): void {
  const time = (event.target as Element).closest('time')
  if (time?.dateTime) time.title = view.format.full(time.dateTime)
}

/** Handles clicks on buttons and chips in answers, which are built without templates. */
function handleClick(view: View, event: MouseEvent): void {
  const target = event.target as Element
  const button = target.closest<HTMLElement>('[data-act]')
  const { act, file, page } = button?.dataset ?? {}
  if (act === 'file') void openSource(view, Number(file), Number(page ?? 0))
  else if (button) view.prose.press(button, (text) => void copy(view, text))
  const chip = target.closest<HTMLElement>('a[data-table]')
  if (chip) navigate(view, event, { table: chip.dataset.table ?? '', uid: idIn(chip.dataset.uid ?? '') })
}

/** Opens a file at the page that an answer cites; the code for it is loaded with the first file. */
async function openSource(view: View, fileUid: number, page: number): Promise<void> {
  const part = await import('../message/file.ts').catch(() => null)
  if (part) await part.openFile(view, fileUid, page)
  else view.announcer.say(view.t('offline.trying'))
}

/** Moves the focus to the previous or next message; returns false if there is no such message. */
export function jump(view: View, step: -1 | 1): boolean {
  const messages = [...view.renderRoot.querySelectorAll<HTMLElement>('.msg')]
  const active = (view.renderRoot as ShadowRoot).activeElement
  const at = messages.findIndex((message) => message.contains(active))
  const next = at < 0 ? messages.at(-1) : messages[at + step]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
  return next !== undefined
}
