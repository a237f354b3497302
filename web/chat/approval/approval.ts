import { html, nothing, type TemplateResult } from 'lit'
import type { FieldChange, PendingApproval, PendingCall } from '../../../core/conversation/schema.ts'
import { icon } from '../icon.ts'
import { tableWord } from '../steps/steps.ts'
import { decisionKey } from '../store/conversation.ts'
import * as Sending from '../store/send.ts'
import { recordHref } from '../view/record.ts'
import type { View } from '../view/view.ts'
import type { Piece } from './diff.ts'

/** A click so soon after the card came, or changed, was meant for something else. */
const guardMs = 500

/** A decision to be made: what would change, field by field, and two buttons. */
export function approval(view: View, pending: PendingApproval): TemplateResult {
  const { t, talk, ui } = view
  if (ui.proposal?.digest !== pending.digest) ui.proposal = { digest: pending.digest, shownAt: Date.now() }
  const [only] = pending.calls
  const isOne = pending.calls.length === 1 && only !== undefined
  const title = isOne ? only.title : t('approval.many', { count: pending.calls.length })
  return html`<section class="approval" part="approval" tabindex="-1" aria-labelledby="approval-title">
    <div class="approval-head">
      ${icon('shield', 'i-20')}
      <h3 id="approval-title" dir="auto">${title}</h3>
      <p>${isOne ? place(view, only) : nothing} ${t('approval.safe')}</p>
    </div>
    ${talk.isRefreshed ? html`<div class="approval-note">${icon('warning')}<span>${t('approval.stale')}</span></div>` : nothing}
    ${pending.calls.map((call, index) => change(view, call, isOne ? 0 : index + 1))} ${foot(view, pending)}
  </section>`
}

function change(view: View, call: PendingCall, number: number): TemplateResult {
  return html`${
    number > 0
      ? html`<div class="call"><h4 dir="auto">${call.title}</h4><p>${place(view, call)}</p></div>`
      : nothing
  }${call.preview ? table(view, call, number) : plain(view, call)}`
}

/** Where the record lies, with a link to it. */
function place(view: View, { tool, preview, arguments: args }: PendingCall): unknown {
  const { t } = view
  if (!preview) return nothing
  const { table } = preview
  const record = tableWord(view, table)
  const link = (target: string, uid: number, words: string) =>
    html`<a href=${recordHref(view, target, uid)} data-table=${target} data-uid=${uid}>${words}</a>`
  const asked = Number(tool === 'create_page_draft' ? args.parent : args.page)
  const { uid: page, title } = preview.page ?? { uid: asked, title: '' }
  const on = () => link('pages', page, `${title} [${page}]`.trim())
  if (preview.uid !== null) {
    const it = link(table, preview.uid, `${record} [${preview.uid}]`)
    return preview.page && table !== 'pages' ? html`${it} ${t('approval.on')} ${on()}.` : html`${it}.`
  }
  // Within a sentence a German noun stays what it is.
  const noun = view.speech.language === 'de' ? record : record.toLowerCase()
  const words = table === 'pages' ? t('approval.newPage') : t('approval.new', { record: noun })
  return html`${words} ${on()}. ${t('approval.hidden')}`
}

function table(view: View, call: PendingCall, number: number): TemplateResult {
  const { t } = view
  const { preview } = call
  const isNew = preview?.uid === null
  const caption = number > 0 ? t('approval.change', { n: number }) : t('approval.changes')
  return html`<table class="diff">
    <caption class="vh">${caption}</caption>
    <colgroup><col class="c-field" /><col />${isNew ? nothing : html`<col />`}</colgroup>
    <thead>
      <tr>
        <th scope="col">${t('approval.field')}</th>
        ${
          isNew
            ? html`<th scope="col">${t('approval.newValue')}</th>`
            : html`<th scope="col">${t('approval.now')}</th><th scope="col">${t('approval.after')}</th>`
        }
      </tr>
    </thead>
    <tbody>
      ${preview?.changes.map((field) => line(view, call, field, isNew))}
    </tbody>
  </table>`
}

function line(view: View, call: PendingCall, change: FieldChange, isNew: boolean): TemplateResult {
  const { t } = view
  const key = `${call.id} ${change.field}`
  const pieces = isNew ? whole(change) : compared(view, change)
  const [now, after] = [t('approval.now'), t(isNew ? 'approval.newValue' : 'approval.after')]
  return html`<tr>
    <th scope="row" dir="auto" title=${change.field}>${change.label}</th>
    ${isNew ? nothing : cell(view, { side: 'was', name: now, value: change.before, pieces: pieces.was, key })}
    ${cell(view, { side: 'will', name: after, value: change.after, pieces: pieces.will, key })}
  </tr>`
}

type Cell = {
  side: 'was' | 'will'
  name: string
  value: string | null
  pieces: Piece[]
  key: string
}

function cell(view: View, { side, name, value, pieces, key }: Cell): TemplateResult {
  const { t, ui } = view
  const label = html`<span class="vh">${name}: </span>`
  if (!value)
    return html`<td class="${side} unset">${label}<span class="none">${t('approval.empty')}</span></td>`
  const isWhole = ui.passages.has(key)
  const showAll = () => {
    ui.passages.add(key)
    view.requestUpdate()
  }
  // Written without spaces between the pieces: the cell keeps white space as it is.
  return html`<td class=${side} dir="auto">${label}${pieces.map((piece) =>
    piece.changed
      ? side === 'was'
        ? html`<del>${piece.text}</del>`
        : html`<ins>${piece.text}</ins>`
      : isWhole || piece.short === null
        ? piece.text
        : html`${piece.short[0]}<button class="cut" type="button" title=${t('approval.whole')} aria-label=${t('approval.whole')} @click=${showAll}>…</button>${piece.short[1]}`,
  )}</td>`
}

type Compared = { was: Piece[]; will: Piece[] }

const made = new WeakMap<FieldChange, Compared>()

/** The words that change, marked; until the comparison is loaded, the values as they are. */
function compared(view: View, change: FieldChange): Compared {
  const known = made.get(change)
  if (known) return known
  void import('./diff.ts').then(({ compare }) => {
    made.set(change, compare(change.before ?? '', change.after ?? ''))
    view.requestUpdate()
  })
  return whole(change)
}

function whole({ before, after }: FieldChange): Compared {
  const piece = (text: string | null): Piece[] => [{ text: text ?? '', changed: false, short: null }]
  return { was: piece(before), will: piece(after) }
}

/** A call that changes no record: what it was asked with. */
function plain({ t }: View, call: PendingCall): TemplateResult {
  return html`<dl class="io">
    <dt>${t('approval.arguments')}</dt>
    <dd><pre>${JSON.stringify(call.arguments, null, 2)}</pre></dd>
  </dl>`
}

function foot(view: View, pending: PendingApproval): TemplateResult {
  const { t, format, ui } = view
  const deadline = html`<p>${t('approval.until', { day: format.day(pending.expiresAt) })}</p>`
  if (!pending.mayDecide)
    return html`<div class="approval-foot">${deadline}<p>${t('approval.notAllowed')}</p></div>`
  const isEarly = () => Date.now() - (ui.proposal?.shownAt ?? 0) < guardMs
  const guarded = (act: () => void) => () => {
    if (!isEarly()) act()
  }
  const ask = async () => {
    ui.set({ isDenying: true })
    await view.updateComplete
    view.find<HTMLInputElement>('#reason')?.focus()
    view.find('.approval-foot')?.scrollIntoView({ block: 'nearest' })
  }
  const deny = () =>
    void decide(view, pending, false, view.find<HTMLInputElement>('#reason')?.value.trim() ?? '')
  if (ui.isDenying) return denial(view, deadline, deny)
  return html`<div class="approval-foot">
    ${deadline}
    <button class="btn" type="button" @click=${guarded(() => void ask())}>${t('approval.deny')}</button>
    <button class="btn btn-primary" type="button" @click=${guarded(() => void decide(view, pending, true, ''))}>
      ${t('approval.approve')}
    </button>
  </div>`
}

function denial(view: View, deadline: TemplateResult, deny: () => void): TemplateResult {
  const { t, ui } = view
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.isComposing) deny()
    if (event.key !== 'Escape') return
    event.stopPropagation()
    ui.set({ isDenying: false })
  }
  return html`<div class="approval-foot">
    <div class="field">
      <label for="reason">${t('approval.reason')}</label>
      <input class="input" id="reason" maxlength="1000" dir="auto" @keydown=${pressed} />
    </div>
    ${deadline}
    <button class="btn btn-quiet" type="button" @click=${() => ui.set({ isDenying: false })}>${t('app.cancel')}</button>
    <button class="btn" type="button" @click=${deny}>${t('approval.deny')}</button>
  </div>`
}

/** Decides, and takes the focus to the row that says so. */
async function decide(
  view: View,
  pending: PendingApproval,
  approved: boolean,
  reason: string,
): Promise<void> {
  const { store, talk, ui } = view
  if (!store) return
  ui.isDenying = false
  const done = Sending.decide(store, talk, approved, reason)
  await Promise.resolve()
  await view.updateComplete
  view.find(`[data-outcome="${decisionKey(pending.runId, pending.calls[0]?.id ?? '')}"]`)?.focus()
  if (!(await done)) view.find('.approval')?.focus()
}
