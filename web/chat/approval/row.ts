import { html, nothing, type TemplateResult } from 'lit'
import { guard } from 'lit/directives/guard.js'
import type { FieldChange, PendingApproval, PendingCall } from '../../../core/conversation/schema.ts'
import { icon } from '../icon.ts'
import * as Decide from '../store/decide.ts'
import { stopEscape } from '../view/message-field.ts'
import type { View } from '../view/view.ts'
import type { Comparison, Piece } from './diff.ts'
import { withMarks } from './hidden.ts'
import { readingOf, rowOf, type Sides } from './reading-progress.ts'

/** A column beside the field names; the last column is the value that approval stores. */
export type Side = 'original' | 'now' | 'after' | 'fill' | 'newValue' | 'translation'

/** The number of characters of a value that a row far from the visible part shows. */
const farLength = 80

/** Returns the columns for some calls; without the column of old values if there are no old values. */
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

/**
 * Returns all values on which a row's drawing depends, for `guard`: the row is drawn again only if one of them changes.
 */
export function lookOf(
  view: View,
  call: PendingCall,
  change: FieldChange,
  sides: readonly Side[],
): unknown[] {
  const { ui, locale, conversation } = view
  const key = rowOf(call, change.field)
  const isNear = readingOf(view).isNear(key)
  return [
    change,
    sides.join(),
    locale.language,
    conversation.transcript.approval?.mayDecide,
    isNear,
    isNear && compared(view, form(view, change, key), sides),
    ui.passages.has(key),
    ui.stored.has(key),
    ui.wording === key,
  ]
}

/**
 * Returns the row of a changed field with a cell per column. Far from the visible part, cells show only a beginning.
 */
export function row(
  view: View,
  call: PendingCall,
  change: FieldChange,
  { sides, head = nothing }: { sides: readonly Side[]; head?: unknown },
): TemplateResult {
  const key = rowOf(call, change.field)
  const isNear = readingOf(view).isNear(key)
  const shape = form(view, change, key)
  return html`<tr data-row=${key}>
    ${head}
    <th scope="row" dir="auto" title=${change.field}>${change.label}${isNear ? formButton(view, change, key) : nothing}</th>
    ${isNear ? cells(view, { call, change, shape, key }, sides) : sides.map((side) => distant(view, side, shape))}
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
  const { preview } = call
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
      ${preview?.changes.map((field) => guard(lookOf(view, call, field, sides), () => row(view, call, field, { sides })))}
    </tbody>
  </table>`
}

type Field = { call: PendingCall; change: FieldChange; shape: Sides; key: string }

function cells(view: View, { call, change, shape, key }: Field, sides: readonly Side[]): unknown {
  const comparison = compared(view, shape, sides)
  const { was, will } = comparison ?? unmarked(shape)
  // If the text is entirely new, or both texts look alike, the whole cell counts as the change.
  const isChange = comparison !== null && ![...was, ...will].some(({ changed }) => changed)
  const wording = wordingOf(view, call, change)
  return sides.map((side) => {
    const shared = { name: view.t(`approval.${side}`), key, isReadable: shape !== change }
    if (side === 'original')
      return cell(view, {
        ...shared,
        side: 'same',
        value: shape.original ?? null,
        pieces: piece(shape.original),
        key: `${key} original`,
      })
    if (side === 'now') return cell(view, { ...shared, side: 'was', value: shape.before, pieces: was })
    return cell(view, { ...shared, side: 'will', value: shape.after, pieces: will, isChange, wording })
  })
}

/** Returns the cell of a column in a row that is far from the visible part: the start of its value. */
function distant(view: View, side: Side, shape: Sides): TemplateResult {
  const before = side === 'original' ? shape.original : shape.before
  const value = (side === 'original' || side === 'now' ? before : shape.after) ?? ''
  return html`<td class="distant" dir="auto"><span class="vh">${view.t(`approval.${side}`)}: </span>${value.slice(0, farLength)}</td>`
}

/** Returns the comparison with marked words; null until it is made. Without old values, no words are marked. */
function compared(view: View, shape: Sides, sides: readonly Side[]): Comparison | null {
  if (!sides.includes('now')) return unmarked(shape)
  return readingOf(view).comparisons.of(shape)
}

const piece = (text: string | null | undefined): Piece[] => [
  { text: text ?? '', changed: false, short: null },
]

/** Returns both values without marked words. */
const unmarked = ({ before, after }: Sides): Comparison => ({ was: piece(before), will: piece(after) })

/** Returns the form of a change that the user chose: readable by default, else stored. */
function form({ ui }: View, change: FieldChange, key: string): Sides {
  return change.readable && !ui.stored.has(key) ? change.readable : change
}

/** Returns the button that switches to the stored form, if the change has a readable form. */
function formButton(view: View, { readable, label }: FieldChange, key: string): unknown {
  const { t, ui } = view
  if (!readable) return nothing
  const turn = () => {
    if (!ui.stored.delete(key)) ui.stored.add(key)
    view.requestUpdate()
  }
  return html`<button class="btn btn-sm source" type="button" aria-pressed=${ui.stored.has(key)} aria-label=${`${label}: ${t('approval.source')}`} @click=${turn}>${t('approval.source')}</button>`
}

/**
 * Draws text of a readable form. Text between brackets does not belong to the value and gets another style. `isMarked`:
 * the text begins within brackets.
 */
function readableText(view: View, text: string, isMarked: boolean): unknown {
  const isOpen = isMarked && !text.includes('⟦') && !text.includes('⟧')
  if (isOpen) return html`<span class="told">${withMarks(view, text)}</span>`
  return text
    .split(/(⟦[^⟧]*⟧?|^[^⟦⟧]*⟧)/)
    .map((part, at) =>
      at % 2 === 1 ? html`<span class="told">${withMarks(view, part)}</span>` : withMarks(view, part),
    )
}

/** Returns true if the text after this one begins inside brackets. */
function endsMarked(text: string, isMarked: boolean): boolean {
  const [opened, closed] = [text.lastIndexOf('⟦'), text.lastIndexOf('⟧')]
  return opened === closed ? isMarked : opened > closed
}

type Cell = {
  /** The side of the change: the old value, the new value, or an unchanged value. */
  side: 'was' | 'will' | 'same'
  name: string
  value: string | null
  /** The value is a readable form. */
  isReadable: boolean
  pieces: Piece[]
  key: string
  /** The whole value is the change; no words in it are marked. */
  isChange?: boolean
  /** The wording that the user may change. */
  wording?: Wording | undefined
}

/** The number of characters, and of lines, from which a value is folded until the user opens it. */
const longValue = 1_200
const manyLines = 24

/**
 * Returns the cell for one side of a changed field, with the changed words marked. A long value is folded, with a
 * button that shows all of it.
 */
function cell(view: View, it: Cell): unknown {
  const { side, name, value, isReadable, pieces, key, isChange = false, wording } = it
  const { t, ui } = view
  if (wording && ui.wording === key) return rewording(view, wording)
  const label = html`<span class="vh">${name}: </span>`
  if (!value)
    return html`<td class="${side} unset" ?data-change=${isChange}>${label}<span class="none">${t('approval.empty')}</span></td>`
  const isOpen = ui.passages.has(key)
  const showAll = () => {
    ui.passages.add(key)
    view.requestUpdate()
  }
  let isMarked = false
  const text = (part: string) => {
    if (!isReadable) return withMarks(view, part)
    const marked = readableText(view, part, isMarked)
    isMarked = endsMarked(part, isMarked)
    return marked
  }
  // There are no spaces between the pieces here, because the cell keeps white space.
  const words = html`${label}${pieces.map((piece) => {
    if (piece.changed)
      return side === 'was'
        ? html`<del data-change>${text(piece.text)}</del>`
        : html`<ins data-change>${text(piece.text)}</ins>`
    if (isOpen || piece.short === null) return text(piece.text)
    return html`${text(piece.short[0])}<button class="cut" type="button" title=${t('approval.whole')} aria-label=${t('approval.whole')} @click=${showAll}>…</button>${text(piece.short[1])}`
  })}`
  const seen = pieces.map((piece) => (piece.short && !isOpen ? piece.short.join('…') : piece.text)).join('')
  // The button is beside the first line, so that it does not make the row of a short text taller.
  const beside = (content: unknown) =>
    wording ? html`<div class="worded"><div>${content}</div>${pencil(view, wording, key)}</div>` : content
  if (isOpen || !isLong(seen))
    return html`<td class=${side} dir="auto" ?data-change=${isChange}>${beside(words)}</td>`
  // Keyboard focus inside unfolds the text: a focused button must not be hidden.
  const folded = html`<div class="fold" @focusin=${showAll}>${words}</div>`
  return html`<td class=${side} dir="auto" ?data-change=${isChange}>${beside(folded)}<button class="btn btn-sm" type="button" aria-label=${`${name}: ${t('approval.whole')}`} @click=${showAll}>${t('approval.whole')}</button></td>`
}

function isLong(text: string): boolean {
  return text.length > longValue || text.split('\n', manyLines + 1).length > manyLines
}

/** A field of a pending call whose proposed words the user may change. */
type Wording = { call: PendingCall; field: string; label: string; value: string }

/** Returns the wording of a field; undefined if the user may not change it. */
function wordingOf(
  { conversation }: View,
  call: PendingCall,
  { field, label, after }: FieldChange,
): Wording | undefined {
  const isOpen = conversation.transcript.approval?.mayDecide && call.editable?.includes(field)
  return isOpen ? { call, field, label, value: after ?? '' } : undefined
}

/** Returns the button that edits the proposed words, with a mark if the user has already changed them. */
function pencil(view: View, { call, field, label }: Wording, key: string): TemplateResult {
  const { t, ui } = view
  const open = async () => {
    ui.set({ wording: key })
    await view.focusDrawn('#wording')
  }
  const name = t('wording.change', { field: label })
  return html`<span class="row row-wrap wording">${
    call.wording?.[field] === undefined ? nothing : html`<span class="own">${t('wording.own')}</span>`
  }<button class="icon-btn icon-btn-sm" type="button" data-wording=${key} aria-label=${name} title=${name} @click=${open}>${icon('pencil')}</button></span>`
}

/** Returns the editor of the proposed words; Escape keeps the words as they were. */
function rewording(view: View, { call, field, label, value }: Wording): TemplateResult {
  const { t, conversation, store, ui } = view
  const { wording: key } = ui
  const leave = async () => {
    ui.set({ wording: null })
    await view.focusDrawn(`[data-wording="${key}"]`)
  }
  const save = async () => {
    const words = view.find<HTMLTextAreaElement>('#wording')?.value ?? value
    const pending: PendingApproval | null = conversation.transcript.approval
    if (!pending) return
    const isDone =
      words === value ||
      (await Decide.amend(store, conversation, pending, { callId: call.id, field, value: words }))
    if (isDone) await leave()
  }
  const pressed = (event: KeyboardEvent) => {
    if (stopEscape(event)) void leave()
  }
  return html`<td class="will rewording"><textarea class="input" id="wording" dir="auto" maxlength="20000"
      rows=${Math.min(12, 1 + Math.ceil(value.length / 60))}
      aria-label=${t('wording.field', { field: label })} .value=${value} @keydown=${pressed}></textarea
    ><span class="row row-wrap wording"
      ><button class="btn btn-sm btn-quiet" type="button" @click=${leave}>${t('app.cancel')}</button
      ><button class="btn btn-sm" type="button" @click=${save}>${t('wording.save')}</button></span
    ></td>`
}
