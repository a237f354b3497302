import { html, nothing, type TemplateResult } from 'lit'
import { feedbackReasons, thumbs } from '../feedback/feedback.ts'
import { type Icon, icon, iconButton } from '../icon.ts'
import { toolOf } from '../steps/summary.ts'
import * as Rerun from '../store/rerun.ts'
import { pagesNamed, type Source, sourcesOf } from '../store/sources.ts'
import { answerOf, runOf, type TurnRow } from '../store/turn-rows.ts'
import { adoptStyles } from '../style/sheet.ts'
import { copy } from '../view/clipboard.ts'
import { viewContextOf } from '../view/place.ts'
import { pageTable, recordHref, tableWord } from '../view/record-link.ts'
import type { View } from '../view/view.ts'
import css from './after.css?inline'
import { openFile } from './file.ts'

/** The maximum number of sources that are shown. A button gives the number of further sources, and shows them. */
const mostSources = 8

/** Draws the sources, the copy button and the thumbs under the answer. */
export function after(view: View, row: TurnRow, isLast: boolean): unknown {
  adoptStyles(view, css)
  const { t, conversation } = view
  const text = answerOf(row)
  const read = sourcesOf(row, (tool) => toolOf(view, tool)?.source ?? null)
  const asked = askedBefore(view, row)
  const named = asked
    ? pagesNamed(text, asked).filter((one) => !read.some((known) => isSame(known, one)))
    : []
  const sources = [...read, ...named]
  // A waiting decision comes last for the reader: nothing is drawn after it.
  if (!text || (isLast && conversation.transcript.approval)) return nothing
  const runId = runOf(row)
  return html`<div class="after">
    ${sources.length === 0 ? nothing : sourceList(view, row, sources)}
    <div class="row fine acts">
      ${iconButton('copy', t('message.copy'), () => copy(view, inert(text)), 'icon-btn-sm')}
      ${runId ? thumbs(view, runId) : nothing} ${again(view, row)}
    </div>
  </div>
  ${runId && view.conversation.judged.get(runId)?.isOpen ? feedbackReasons(view, runId) : nothing}`
}

/**
 * Returns Markdown whose pictures are not active, because the place where it is pasted may load them at once. The
 * export (core/base/safety/picture.ts) also stops other elements that load a file. A copied example of HTML should
 * still work.
 */
const inert = (text: string) => text.replace(/!(?=\[)|<(?=img\b)/gi, '$& ')

/** Returns the message that a turn answers. */
function askedBefore({ conversation }: View, row: TurnRow) {
  const first = row.messages[0]?.sequence ?? 0
  return conversation.transcript.messages.findLast(
    ({ role, sequence }) => role === 'user' && sequence < first,
  )
}

const isSame = (one: Source, other: Source) => JSON.stringify(one) === JSON.stringify(other)

/** Draws the button that runs the turn again; the current answer stays as a version. */
function again(view: View, row: TurnRow): unknown {
  const { t, store, conversation } = view
  const asked = askedBefore(view, row)
  if (!asked || conversation.transcript.summary?.archived) return nothing
  const run = async () => {
    const answer = await Rerun.edit(store, conversation, asked, asked.content, viewContextOf(view))
    if (!answer || view.conversation !== conversation) return
    view.ui.set({ dropped: answer.droppedRuns ?? [] })
    view.scroller.toEnd()
    view.focusMessage()
  }
  return iconButton('retry', t('message.tryAgain'), run, 'icon-btn-sm when-idle')
}

function sourceList(view: View, row: TurnRow, sources: Source[]): TemplateResult {
  const { t, ui } = view
  const shown = ui.unfolded.has(row.key) ? sources : sources.slice(0, mostSources)
  const rest = sources.length - shown.length
  const unfold = async (event: Event) => {
    const list = (event.currentTarget as HTMLElement).closest('ul')
    ui.unfolded.add(row.key)
    view.requestUpdate()
    await view.updateComplete
    // The button is gone, so the first source that it hid gets the focus.
    list?.querySelectorAll('li')[mostSources]?.querySelector('a')?.focus()
  }
  return html`<div class="sources" role="group" aria-label=${t('sources.name')}>
    <span class="sources-title" aria-hidden="true">${t('sources.name')}</span>
    <ul>
      ${shown.map((source) => html`<li>${chip(view, source)}</li>`)}
      ${rest > 0 ? html`<li><button class="chip" type="button" @click=${unfold}>${t('sources.more', { count: rest })}</button></li>` : nothing}
    </ul>
  </div>`
}

function chip(view: View, source: Source): TemplateResult {
  const { t } = view
  if (source.kind === 'tree') return plainChip('list', t('sources.tree'))
  if (source.kind === 'log') return plainChip('log', t('sources.log', { count: source.count }))
  if (source.kind === 'files') return plainChip('folder', t('sources.files', { count: source.count }))
  if (source.kind === 'file') return fileChip(view, source)
  const table = tableWord(view, source.table)
  if (source.kind === 'list') return plainChip('list', t('sources.list', { table, count: source.count }))
  const [sign, words] = describeRecord(view, source, table)
  return html`<a class="chip" href=${recordHref(view, source.table, source.uid)} data-table=${source.table}
      data-uid=${source.uid}
    >${icon(sign)}<span class="ellipsis" dir="auto">${words}</span><span class="uid">[${source.uid}]</span></a
  >`
}

/** Returns the icon and the words of a source that is a record. */
function describeRecord(
  { t, store }: View,
  source: Extract<Source, { uid: unknown }>,
  table: string,
): [Icon, string] {
  if (source.kind === 'history') return ['clock', t('sources.history', { count: source.count })]
  if (source.table === pageTable({ store }))
    return [source.uid === store.status?.home ? 'home' : 'page', source.title || table]
  return ['record', source.title ? t('sources.record', { table, title: source.title }) : table]
}

const units = [
  [/\.pdf$/i, 'sources.page'],
  [/\.pptx$/i, 'sources.slide'],
  [/\.(?:xlsx|ods)$/i, 'sources.row'],
] as const

/** Draws the chip of a cited place in a user's file; a click opens a PDF at the cited page. */
function fileChip(view: View, { fileUid, from }: Source & { kind: 'file' }): TemplateResult {
  const { t, conversation } = view
  const message = conversation.transcript.messages.find((one) => one.fileUid === fileUid)
  const name = message?.fileName ?? String(fileUid)
  const words = units.find(([pattern]) => pattern.test(name))?.[1]
  return html`<button class="chip" type="button" @click=${() => openFile(view, fileUid, from)}>
    ${icon('page')}<span class="ellipsis" dir="auto">${words ? t(words, { name, place: from }) : name}</span>
  </button>`
}

const plainChip = (sign: Icon, words: string) =>
  html`<span class="chip">${icon(sign)}<span class="ellipsis">${words}</span></span>`
