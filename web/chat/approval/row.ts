import { html, nothing, type TemplateResult } from 'lit'
import type { FieldChange, PendingCall } from '../../../core/conversation/schema.ts'
import type { View } from '../view/view.ts'
import { cell, form, formButton, type Sides } from './cell.ts'
import type { Comparison, Piece } from './diff.ts'
import { readingOf, rowOf } from './reading-progress.ts'
import { wordingOf } from './wording.ts'

/** A column of a table beside the names of fields; the last one is what approval stores. */
export type Side = 'original' | 'now' | 'after' | 'fill' | 'newValue' | 'translation'

/** The characters of a value that show in a row far from the screen. */
const farLength = 80

/** The columns for some calls; without the old values if there were none. */
export function sidesOf(calls: readonly PendingCall[]): Side[] {
  const previews = calls.flatMap(({ preview }) => preview ?? [])
  const changes = previews.flatMap((preview) => preview.changes)
  const isFirst = changes.every(({ before }) => !before)
  if (changes.some(({ original }) => original !== undefined))
    return isFirst ? ['original', 'translation'] : ['original', 'now', 'translation']
  if (previews.every(({ uid }) => uid === null)) return ['newValue']
  return isFirst ? ['fill'] : ['now', 'after']
}

/** The heads of the columns. */
export const heads = ({ t }: View, sides: readonly Side[]): TemplateResult[] =>
  sides.map((side) => html`<th scope="col" class="c-side">${t(`approval.${side}`)}</th>`)

/** All that a row is drawn by, for `guard`: while nothing of it changes, the row is not drawn again. */
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

/** A changed field, with what each column says of it. Far from the screen it is the beginning of its texts. */
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

type Field = { call: PendingCall; change: FieldChange; shape: Sides; key: string }

function cells(view: View, { call, change, shape, key }: Field, sides: readonly Side[]): unknown {
  const comparison = compared(view, shape, sides)
  const { was, will } = comparison ?? unmarked(shape)
  // If a text is entirely new, or both look alike, the whole cell counts as the change.
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

/** The placeholder of a column in a row that is far from the screen. */
function distant(view: View, side: Side, shape: Sides): TemplateResult {
  const before = side === 'original' ? shape.original : shape.before
  const value = (side === 'original' || side === 'now' ? before : shape.after) ?? ''
  return html`<td class="distant" dir="auto"><span class="vh">${view.t(`approval.${side}`)}: </span>${value.slice(0, farLength)}</td>`
}

/**
 * The changed words, marked; null until they are compared. If the table has no column of old values, there were none.
 */
function compared(view: View, shape: Sides, sides: readonly Side[]): Comparison | null {
  if (!sides.includes('now')) return unmarked(shape)
  return readingOf(view).comparisons.of(shape)
}

const piece = (text: string | null | undefined): Piece[] => [
  { text: text ?? '', changed: false, short: null },
]

/** Both values as they are. */
const unmarked = ({ before, after }: Sides): Comparison => ({ was: piece(before), will: piece(after) })
