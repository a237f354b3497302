import { html, nothing, type TemplateResult } from 'lit'
import type { Conflict, RecordName } from '../../../core/conversation/transcript/schema.ts'
import { icon } from '../icon.ts'
import { announce, undoneIn } from '../notify/news.ts'
import { toolOf } from '../steps/summary.ts'
import * as Manage from '../store/manage.ts'
import type { Outcome, Write } from '../store/outcome.ts'
import { type Undone, undoneOf } from '../store/turn-rows.ts'
import { adoptStyles } from '../style/sheet.ts'
import { pageTable, recordHref, recordName, tableWord } from '../view/record-link.ts'
import type { View } from '../view/view.ts'
import css from './approval.css?inline'

/**
 * Returns the outcome of a proposal: the decision with its user and time, the result, the record, and the undo button.
 */
export function outcome(view: View, result: Outcome): TemplateResult {
  const { t, format, conversation } = view
  const { runId, approved, writes } = result
  adoptStyles(view, css)
  const time = format.moment(result.at, Date.now())
  const done = writes.filter(({ state }) => state === 'done')
  const undone =
    runId && (undoneOf(conversation.transcript.messages, runId) ?? conversation.undone.get(runId))
  const isPart = Boolean(undone && isPartly(done, undone))
  const isLeft = !undone || undone.conflicts.length > 0 || isPart
  const isList = approved && writes.length > 1
  const goingBack = runId ? takingBack(view, runId) : null
  return html`<div class="card row row-wrap result" tabindex="-1" data-outcome=${result.key}>
    ${undone && !isLeft ? icon('undo', 'i-quiet') : icon(approved ? 'check' : 'close', approved ? '' : 'i-quiet')}
    <p>
      ${t(approved ? 'result.approved' : 'result.denied', { time })} ${outcomeWords(view, result)}
      ${undone ? takenBack(view, undone, isPart) : nothing}
    </p>
    ${goingBack ?? (isList ? progress(view, result) : done.map((write) => link(view, write, undone || null)))}
    ${done.length > 0 && isLeft && runId && !goingBack ? undoButton(view, runId) : nothing}
    ${isList ? writeList(view, result, undone || null) : nothing}
  </div>`
}

/** True if some changes were not undone. Undos of earlier releases name no records, so each counts as complete. */
const isPartly = (done: readonly Write[], undone: Undone): boolean =>
  undone.records.length > 0 && done.some((write) => write.record && !recordBack(undone, write))

/** Returns the record of a write as an undo left it; undefined if no undo included it. */
const recordBack = ({ records }: Undone, { record }: Write): RecordName | undefined =>
  records.find(({ table, uid }) => table === record?.table && uid === record.uid)

/** True if the record cannot be opened: it is in the bin, or an undo removed it and left no title. */
const isGone = ({ tool, state }: Write, back: RecordName | undefined): boolean =>
  back ? back.title === '' : tool === 'delete_record' && state === 'done'

function outcomeWords(view: View, result: Outcome): string {
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

/** Says that everything was undone, or counts the undone changes and lists each remaining change with the reason. */
function takenBack(view: View, { records, conflicts }: Undone, isPart: boolean): string {
  const { t } = view
  if (conflicts.length === 0 && !isPart) return t('result.undone')
  const lines = conflicts.map((one) => left(view, one))
  return [t('result.undoDone', { count: records.length }), ...lines].join(' ')
}

const left = (view: View, conflict: Conflict) =>
  view.t('result.conflict', { record: recordName(view, conflict), reason: conflict.reason })

function link(view: View, write: Write, undone: Undone | null): unknown {
  const { record } = write
  if (!record || isGone(write, undone ? recordBack(undone, write) : undefined)) return nothing
  const { table, uid } = record
  const { context } = view
  const isOpen = table === pageTable(view) && context?.module === 'page' && context.pageId === uid
  const href = recordHref(view, table, uid)
  const open = html`<a href=${href} data-table=${table} data-uid=${uid}>${view.t('result.open')}</a>`
  return html`${isOpen ? nothing : open}${siteLink(view, record)}`
}

/**
 * Returns a link to the page as visitors see it, if its address is known. With several records, `name` labels the link.
 */
function siteLink({ t }: View, { url }: { url?: string }, name?: string): unknown {
  if (!url) return nothing
  const label = name ? t('writing.named', { name: t('result.show'), text: name }) : nothing
  return html`<a href=${url} target="_blank" rel="noopener" aria-label=${label}>${t('result.show')}</a>`
}

/**
 * Returns the button that undoes all changes of a run, or only its changes to one record. It is hidden while a turn
 * runs, because the stage then refuses an undo.
 */
function undoButton(view: View, runId: string, record?: RecordName): TemplateResult {
  const { t } = view
  const undo = async (event: Event) => {
    const pressed = event.currentTarget as HTMLButtonElement
    // A second press would find nothing left to undo, and say so.
    if (pressed.ariaDisabled) return
    const row = pressed.closest<HTMLElement>('.result')
    pressed.ariaDisabled = 'true'
    await takeBack(view, [runId], record)
    pressed.ariaDisabled = null
    // The row shows the result, so it takes the focus from the button. A focus elsewhere stays.
    if (row?.matches(':focus-within')) row.focus()
  }
  return html`<button class="btn btn-sm btn-quiet when-idle" type="button"
      aria-label=${record ? t('result.undoOne', { record: recordName(view, record) }) : nothing} @click=${undo}>
    ${icon('undo')}${t('app.undo')}
  </button>`
}

/**
 * Undoes all changes of the runs, or only their changes to one record, and reports the result in one message. Returns
 * the runs that the stage refuses to undo for now.
 */
export async function takeBack(
  view: View,
  runIds: readonly string[],
  record?: RecordName,
): Promise<string[]> {
  const { store, conversation, t } = view
  const place = record && { table: record.table, uid: record.uid }
  const answers: ({ runId: string } & Manage.Undoing)[] = []
  for (const runId of runIds) {
    const answer = await Manage.undo(store, conversation, runId, place)
    if (answer) answers.push({ runId, ...answer })
  }
  const refused = runIds.filter((id) => !answers.some(({ runId }) => runId === id))
  if (answers.length === 0) return refused
  const isQueued = answers.some((answer) => answer.isQueued)
  const changes = answers.flatMap(({ runId, undone }) => undoneIn(runId, undone))
  const lines = answers.flatMap(({ conflicts }) => conflicts.map((one) => left(view, one)))
  const done = changes.length > 0 ? t('result.undoDone', { count: changes.length }) : ''
  const going = isQueued ? t('result.undoing') : ''
  const text = [going, done, ...lines].filter(Boolean).join(' ') || t('result.undoNothing')
  announce(view, changes)
  // The row of the decision lists the undone changes. A notice above the composer lists the changes that remain, unless
  // it already gives the reason of a refusal.
  if (refused.length === 0 && (lines.length > 0 || (changes.length === 0 && !isQueued)))
    conversation.remark = { kind: lines.length > 0 ? 'problem' : 'info', text }
  else view.announcer.say(text)
  store.changed()
  view.requestUpdate()
  await view.updateComplete
  return refused
}

/** The maximum number of results that are always visible; more results are folded. */
const fewWrites = 3

const endings = ['denied', 'without', 'conflict', 'unknown', 'failed'] as const

/** Counts the completed writes of a large proposal, and the other writes by outcome. */
function counted({ t }: View, { writes }: Outcome): string {
  const groups = Map.groupBy(writes, ({ state }) => state)
  const left = endings.flatMap((state) => {
    const { length: count = 0 } = groups.get(state) ?? []
    return count > 0 ? [t(`result.many.${state}`, { count })] : []
  })
  return [t('result.many', { n: groups.get('done')?.length ?? 0, total: writes.length }), ...left].join(' ')
}

/** Draws the progress of a large proposal while it runs. */
function progress({ t, conversation }: View, { writes }: Outcome): unknown {
  const waiting = writes.filter(({ state }) => state === 'waiting').length
  if (waiting === 0 || !conversation.isBusy) return nothing
  return html`<progress max=${writes.length} .value=${writes.length - waiting}
      aria-label=${t('result.progress')}></progress>`
}

/** Draws the progress of an undo of many records; null if no undo of this run is in progress. */
function takingBack({ t, format, conversation }: View, runId: string): unknown {
  const { progress } = conversation.transcript
  if (!conversation.isBusy || progress?.call !== runId) return null
  const { n, total } = progress
  const far = t('steps.progress.records', { n: format.number(n), total: format.number(total) })
  return html`<p>${t('result.undoing')} ${far}</p>
    <progress max=${total} .value=${n} aria-label=${t('result.progress')}></progress>`
}

/** Returns the outcome of one write as a sentence with its record's name, or with `mark` in its place. */
function what(view: View, { tool, state, record, count, isReworded }: Write, mark?: string): string {
  const { t } = view
  const name = mark ?? (record ? recordName(view, record) : null)
  const own = isReworded ? ` ${t('result.reworded')}` : ''
  if (state === 'done') {
    const stored = toolOf(view, tool)?.stored
    if (!record || !name) return t('result.storedSome')
    if (!stored) return t('result.stored', { record: name }) + own
    const title = mark ?? (record.title || tableWord(view, record.table))
    return t({ words: stored }, { record: name, title, page: record.page ?? '', count }) + own
  }
  if (state === 'conflict' && name) return t('result.overtaken', { record: name })
  if (state === 'without') return t('result.without')
  if (state === 'unknown') return t('result.unknown', { record: name ?? t('result.theRecord') })
  return t('result.failed')
}

/** Returns the result of each write with a button that undoes only this write. A long list is folded. */
function writeList(view: View, { runId, writes }: Outcome, undone: Undone | null): TemplateResult {
  const words = view.t('result.rows')
  const entry = (write: Write) => {
    const { state, record } = write
    const back = undone ? recordBack(undone, write) : undefined
    const canUndo = state === 'done' && record && !back
    return html`<li class="row row-wrap">${result(view, write, back)} ${canUndo ? undoButton(view, runId ?? '', record) : nothing}</li>`
  }
  const list = html`<ul aria-label=${words}>${writes.map(entry)}</ul>`
  if (writes.length <= fewWrites) return html`<div class="result-rows">${list}</div>`
  return html`<details class="result-rows"><summary>${words}</summary>${list}</details>`
}

/** The character in place of a record's name while its sentence is made. */
const mark = '\0'

/**
 * Returns the result of a write. A successful write that was not undone becomes a sentence with the record's name as a
 * link. Other results become the name and one word. `back` is the record as an undo left it.
 */
function result(view: View, write: Write, back: RecordName | undefined): TemplateResult {
  const { t } = view
  const { record, state, tool } = write
  const word = t(back ? 'result.row.undone' : `result.row.${state}`)
  if (!record)
    return html`<span>${state === 'without' ? t('writing.named', { name: toolOf(view, tool)?.title ?? tool, text: word }) : word}</span>`
  const { table, uid } = record
  const name = recordName(view, back?.title ? back : record)
  const isLost = isGone(write, back)
  const link = isLost
    ? name
    : html`<a href=${recordHref(view, table, uid)} data-table=${table} data-uid=${uid} dir="auto">${name}</a>`
  if (state !== 'done' || back) return html`<p>${link} <span>${word}</span></p>`
  const [start, end] = what(view, write, mark).split(mark)
  return html`<p><span>${start}</span>${link}<span>${end}</span> ${isLost ? nothing : siteLink(view, record, name)}</p>`
}
