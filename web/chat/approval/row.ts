import { html, nothing, type TemplateResult } from 'lit'
import { guard } from 'lit/directives/guard.js'
import type { FieldChange, PendingCall } from '../../../core/conversation/schema.ts'
import type { Translate } from '../i18n/i18n.ts'
import { icon } from '../icon.ts'
import { stopEscape } from '../view/message-field.ts'
import type { View } from '../view/view.ts'
import type { Comparison, Piece } from './diff.ts'
import { withMarks } from './hidden.ts'
import { keepWords, setWork } from './open-decision.ts'
import { readingOf, rowOf, type Sides } from './reading-progress.ts'

/** A column beside the field names; the last column is the value that approval stores. */
export type Side = 'original' | 'now' | 'after' | 'fill' | 'newValue' | 'translation'

/** The number of characters of a value that a row far from the visible part shows. */
const farLength = 80

/** Returns the columns of a table of calls; it has a column of old values only if there are old values. */
export function sidesOf(calls: readonly PendingCall[]): Side[] {
  const previews = calls.flatMap(({ preview }) => preview ?? [])
  const changes = previews.flatMap((preview) => preview.changes)
  const isFirst = changes.every(({ before }) => !before)
  if (changes.some(({ original }) => original !== undefined))
    return isFirst ? ['original', 'translation'] : ['original', 'now', 'translation']
  if (previews.every(({ uid }) => uid === null)) return ['newValue']
  return isFirst ? ['fill'] : ['now', 'after']
}

/** Returns the heads of the columns. */
export const heads = ({ t }: View, sides: readonly Side[]): TemplateResult[] =>
  sides.map((side) => html`<th scope="col" class="c-side">${t(`approval.${side}`)}</th>`)

/** A changed field of a call, as its row is drawn now. */
type Field = {
  call: PendingCall
  change: FieldChange
  sides: readonly Side[]
  key: string
  /** The form of the change that the user chose: readable by default, else stored. */
  form: Sides
  /** True if the row is close to the visible part. */
  isNear: boolean
  /** The comparison with marked words; null until it is made. Without old values, no words are marked. */
  comparison: Comparison | null
}

/** Returns the changed fields of a call. */
export function fieldsOf(view: View, call: PendingCall, sides: readonly Side[]): Field[] {
  const reading = readingOf(view)
  const fields = call.preview?.changes ?? []
  return fields.map((change) => {
    const key = rowOf(call, change.field)
    const form = change.readable && !view.ui.stored.has(key) ? change.readable : change
    const isNear = reading.isNear(key)
    const comparison = isNear && sides.includes('now') ? reading.comparisons.of(form) : null
    return { call, change, sides, key, form, isNear, comparison }
  })
}

/**
 * Returns all values on which a row's drawing depends, for `guard`: the row is drawn again only if one of them changes.
 */
export function lookOf({ ui, locale, conversation }: View, field: Field): unknown[] {
  const { change, sides, key, form, isNear, comparison } = field
  return [
    change,
    sides.join(),
    locale.language,
    conversation.transcript.approval?.mayDecide,
    form,
    isNear,
    comparison,
    ui.passages.has(key),
    ui.proposal?.wording === key,
  ]
}

/**
 * Returns the row of a changed field with a cell per column. Far from the visible part, a cell shows only the start of
 * its value.
 */
export function row(view: View, field: Field, head: unknown = nothing): TemplateResult {
  const { change, sides, key, isNear } = field
  const draw = isNear ? cell : distant
  return html`<tr data-row=${key}>
    ${head}
    <th scope="row" dir="auto" title=${change.field}>${change.label}${isNear ? formButton(view, field) : nothing}</th>
    ${sides.map((side) => draw(view, field, side))}
  </tr>`
}

/** Observes the rows of the proposal after they are drawn. */
export function observeRows(view: View): void {
  const reading = readingOf(view)
  void view.updateComplete.then(() => reading.look(view.find('.approval')))
}

/** Returns the changes of one call as a table. */
export function changesTable(view: View, call: PendingCall, number: number): TemplateResult {
  const { t } = view
  const sides = sidesOf([call])
  const caption = number > 0 ? t('approval.change', { n: number }) : t('approval.changes')
  return html`<table class="diff">
    <caption class="vh">${caption}</caption>
    <colgroup><col class="c-field" />${sides.map(() => html`<col />`)}</colgroup>
    <thead>
      <tr>
        <th scope="col">${t('approval.field')}</th>
        ${heads(view, sides)}
      </tr>
    </thead>
    <tbody>
      ${fieldsOf(view, call, sides).map((field) => guard(lookOf(view, field), () => row(view, field)))}
    </tbody>
  </table>`
}

/** Returns the kind of a column: an unchanged, an old or a new value. */
function kindOf(side: Side): 'same' | 'was' | 'will' {
  if (side === 'original') return 'same'
  return side === 'now' ? 'was' : 'will'
}

const valueIn = ({ original, before, after }: Sides, side: Side): string =>
  ({ same: original, was: before, will: after })[kindOf(side)] ?? ''

/** Returns a cell of a row that is far from the visible part. The cell shows only the start of its value. */
function distant({ t }: View, { form }: Field, side: Side): TemplateResult {
  return html`<td dir="auto">${sideLabel(t, side)}${valueIn(form, side).slice(0, farLength)}</td>`
}

/** Returns the hidden name of a column before a value, such as `New: `. */
const sideLabel = (t: Translate, side: Side) =>
  html`<span class="vh">${t('writing.named', { name: t(`approval.${side}`), text: '' })}</span>`

/** Returns the button that switches to the stored form, if the change has a readable form. */
function formButton(view: View, { change: { readable, label }, key }: Field): unknown {
  const { t, ui } = view
  if (!readable) return nothing
  const turn = () => {
    if (!ui.stored.delete(key)) ui.stored.add(key)
    view.requestUpdate()
  }
  return html`<button class="btn btn-sm raw" type="button" aria-pressed=${ui.stored.has(key)} aria-label=${t('writing.named', { name: label, text: t('approval.source') })} @click=${turn}>${t('approval.source')}</button>`
}

/**
 * Returns a function that draws the texts of a readable form in order. Text between brackets does not belong to the
 * value and gets another style; a text may begin or end within brackets.
 */
function readableText(view: View): (text: string) => unknown {
  let isInside = false
  return (text) => {
    const parts = text.split(/(?=⟦)|(?<=⟧)/)
    return parts.map((part) => {
      const isEnd = part.endsWith('⟧')
      const isMarked = isEnd || part.startsWith('⟦') || (isInside && parts.length === 1)
      isInside = isMarked && !isEnd
      return isMarked ? html`<span class="told">${withMarks(view, part)}</span>` : withMarks(view, part)
    })
  }
}

/** The number of characters, and of lines, from which a value is folded until the user opens it. */
const longValue = 1_200
const manyLines = 24

/**
 * Returns the cell for one side of a changed field, with the changed words marked. A long value is folded, with a
 * button that shows all of it.
 */
function cell(view: View, field: Field, side: Side): TemplateResult {
  const { change, form, key } = field
  const { t, ui } = view
  const kind = kindOf(side)
  const isEditable = kind === 'will' && mayReword(view, field)
  if (isEditable && ui.proposal?.wording === key) return rewording(view, field)
  const label = sideLabel(t, side)
  const pieces = piecesOf(field, side)
  const isChange = kind === 'will' && isUnmarked(field)
  // The pencil is beside the first line, so that it does not make the row of a short text taller.
  const withPencil = (value: TemplateResult) =>
    isEditable ? html`<div class="worded"><div>${value}</div>${pencil(view, field)}</div>` : value
  if (!valueIn(form, side))
    return html`<td class="${kind} unset" ?data-change=${isChange}>${withPencil(html`${label}<span class="none">${t('approval.empty')}</span>`)}</td>`
  const isOpen = ui.passages.has(key)
  const showAll = () => {
    ui.passages.add(key)
    view.requestUpdate()
  }
  const text = form === change ? (part: string) => withMarks(view, part) : readableText(view)
  // There are no spaces between the pieces here, because the cell keeps white space.
  const words = html`${label}${pieces.map((piece) => {
    if (piece.changed)
      return kind === 'was'
        ? html`<del data-change>${text(piece.text)}</del>`
        : html`<ins data-change>${text(piece.text)}</ins>`
    if (isOpen || piece.short === null) return text(piece.text)
    return html`${text(piece.short[0])}<button class="cut" type="button" title=${t('approval.whole')} aria-label=${t('approval.whole')} @click=${showAll}>…</button>${text(piece.short[1])}`
  })}`
  const isFolded = !isOpen && isLong(pieces)
  // Keyboard focus inside unfolds the text: a focused button must not be hidden.
  const value = isFolded ? html`<div class="fold" @focusin=${showAll}>${words}</div>` : words
  const whole = html`<button class="btn btn-sm" type="button" aria-label=${t('writing.named', { name: t(`approval.${side}`), text: t('approval.whole') })} @click=${showAll}>${t('approval.whole')}</button>`
  return html`<td class=${kind} dir="auto" ?data-change=${isChange}>${withPencil(value)}${isFolded ? whole : nothing}</td>`
}

/** Returns the pieces of a column's value; without a comparison, the value is one piece. */
function piecesOf({ form, comparison }: Field, side: Side): Piece[] {
  const kind = kindOf(side)
  if (comparison && kind !== 'same') return comparison[kind]
  return [{ text: valueIn(form, side), changed: false, short: null }]
}

/**
 * True if no words of the values are marked, because the text is entirely new or both texts look alike. The whole cell
 * then counts as the change.
 */
function isUnmarked({ sides, comparison }: Field): boolean {
  if (!sides.includes('now')) return true
  return comparison !== null && ![...comparison.was, ...comparison.will].some(({ changed }) => changed)
}

/** True if the drawn pieces are long. */
function isLong(pieces: readonly Piece[]): boolean {
  const text = pieces.map(({ text, short }) => short?.join('…') ?? text).join('')
  return text.length > longValue || text.split('\n', manyLines + 1).length > manyLines
}

/** True if the user may change the proposed words of a field. */
function mayReword({ conversation }: View, { call, change }: Field): boolean {
  return Boolean(conversation.transcript.approval?.mayDecide && call.editable?.includes(change.field))
}

/** Returns the button that edits the proposed words, with a mark if the user has already changed them. */
function pencil(view: View, { call, change: { field, label }, key }: Field): TemplateResult {
  const { t, ui, conversation } = view
  const open = async () => {
    if (!(await keepWords(view, conversation.transcript.approval))) return
    ui.setProposal({ wording: key })
    await view.focusDrawn('#wording')
  }
  const name = t('wording.change', { field: label })
  return html`<span class="row row-wrap wording">${
    call.wording?.[field] === undefined ? nothing : html`<span class="own">${t('wording.own')}</span>`
  }<button class="icon-btn icon-btn-sm" type="button" data-wording=${key} aria-label=${name} title=${name} @click=${open}>${icon('pencil')}</button></span>`
}

/** Returns the editor of the proposed words; Escape keeps the words as they were. */
function rewording(
  view: View,
  { call, change: { field, label, after, options }, key }: Field,
): TemplateResult {
  const { t, conversation, store, ui } = view
  const value = after ?? ''
  const leave = async () => {
    setWork(view, { wording: null, words: null })
    await view.focusDrawn(`[data-wording="${key}"]`)
  }
  const save = async () => (await keepWords(view, conversation.transcript.approval)) && leave()
  const write = ({ target }: Event) => {
    const words = { callId: call.id, field, value: (target as HTMLInputElement).value }
    setWork(view, { words: words.value === value ? null : words })
  }
  const pressed = (event: KeyboardEvent) => {
    if (stopEscape(event)) void leave()
  }
  const name = t('wording.field', { field: label })
  const written = ui.proposal?.words?.value ?? value
  const input = options
    ? html`<select class="input" id="wording" aria-label=${name} @input=${write} @keydown=${pressed}>
        ${options.map((option) => html`<option ?selected=${option === written}>${option}</option>`)}
      </select>`
    : html`<textarea class="input" id="wording" dir="auto" maxlength=${store.status?.maxCharacters.wording ?? nothing}
        rows=${Math.min(12, 1 + Math.ceil(value.length / 60))}
        aria-label=${name} .value=${written} @input=${write} @keydown=${pressed}></textarea>`
  return html`<td class="will rewording">${input}<span class="row row-wrap wording"
      ><button class="btn btn-sm btn-quiet" type="button" @click=${leave}>${t('app.cancel')}</button
      ><button class="btn btn-sm" type="button" @click=${save}>${t('wording.save')}</button></span
    ></td>`
}
