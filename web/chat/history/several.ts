import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { Summary } from '../../../core/conversation/schema.ts'
import { strip } from '../composer/banners.ts'
import type { ChatStore } from '../store/chat-store.ts'
import { isBusy } from '../store/known-transcript.ts'
import { Selected } from '../store/listing.ts'
import { type Choice, type Ending, several } from '../store/manage.ts'
import { adoptStyles } from '../style/sheet.ts'
import type { View } from '../view/view.ts'
import css from './several.css?inline'

/** The maximum number of titles in a message about failures; further titles are only counted. */
const mostTitles = 3

const reverse = { archive: 'unarchive', unarchive: 'archive', delete: 'restore' } as const

/** Draws a conversation of the list with its checkbox. A busy conversation cannot be archived or deleted. */
export function tick(view: View, item: Summary, look: string, face: TemplateResult): TemplateResult {
  adoptStyles(view, css)
  const { selected } = view.store
  return html`<label class="conv conv-tick ${look}">
    <input type="checkbox" value=${item.id}
      .checked=${live(selected?.ids.has(item.id) ?? false)} ?disabled=${selected?.isActing || isBusy(item.status)}
      @click=${(event: MouseEvent) => ticked(view, event)} />${face}</label
  >`
}

/**
 * Draws the foot of the list: the actions on the ticked conversations, and for a while the result of the last action.
 */
export function foot(view: View): TemplateResult {
  adoptStyles(view, css)
  const { store, ui, t } = view
  const done = ui.isTimed && ui.offer?.inList ? ui.offer : null
  const { selected } = store
  const left = selected?.left
  return html`<div class="stack several">
    ${done ? strip('check', 'strip-plain', done.text, { label: t('app.undo'), run: done.undo }) : nothing}
    ${left ? strip('warning', 'strip-bad', left) : nothing}
    ${selected ? bar(view, selected) : nothing}
  </div>`
}

function bar(view: View, { isActing }: Selected): TemplateResult {
  const { t, store } = view
  const count = chosen(store).length
  const isAll = count > 0 && count === free(store).length
  const button = (choice: Choice) =>
    html`<button class="btn btn-sm" type="button" aria-disabled=${String(isActing || count === 0)}
        @click=${() => actOnSelected(view, choice)}>${t(`menu.${choice}`)}</button>`
  return html`<div class="several-bar" role="group" aria-label=${t('several.name')}>
    <label class="row"
      ><input type="checkbox" .checked=${live(isAll)} .indeterminate=${live(count > 0 && !isAll)} ?disabled=${isActing}
          @change=${(event: Event) => all(view, (event.target as HTMLInputElement).checked)}
      />${t('several.all')}</label
    >
    <span>${t('several.count', { count })}</span>
    <div class="row row-wrap">${button(store.listing.drawn.archived ? 'unarchive' : 'archive')} ${button('delete')}</div>
  </div>`
}

/** Returns the listed conversations that can be archived or deleted. */
const free = ({ listing }: ChatStore): Summary[] =>
  listing.drawn.items.filter(({ status }) => !isBusy(status))

/** Returns the ticked conversations that can be archived or deleted and are still in the list. */
const chosen = (store: ChatStore): Summary[] => free(store).filter(({ id }) => store.selected?.ids.has(id))

/**
 * Ticks or unticks a conversation. With Shift, also ticks the conversations between this one and the last ticked one.
 */
function ticked(view: View, event: MouseEvent): void {
  const { store } = view
  const box = event.currentTarget as HTMLInputElement
  if (!store.selected) return
  const { ids } = store.selected
  const boxes = [...view.renderRoot.querySelectorAll<HTMLInputElement>('.conv-tick input:enabled')]
  const from = boxes.findIndex(({ value }) => value === [...ids].at(-1))
  const at = boxes.indexOf(box)
  const isRange = event.shiftKey && from >= 0 && box.checked
  const range = isRange ? boxes.slice(Math.min(from, at), Math.max(from, at) + 1) : []
  const others = [...ids].filter((id) => id !== box.value)
  choose(view, [...others, ...range.map(({ value }) => value), ...(box.checked ? [box.value] : [])])
  if (isRange) announceCount(view)
}

function all(view: View, isWanted: boolean): void {
  choose(view, isWanted ? free(view.store).map(({ id }) => id) : [])
  announceCount(view)
}

function choose({ store }: View, ids: string[]): void {
  store.selected = new Selected(ids)
  store.changed()
}

function announceCount({ announcer, store, t }: View): void {
  announcer.say(t('several.count', { count: chosen(store).length }))
}

async function actOnSelected(view: View, choice: Choice): Promise<void> {
  const { store } = view
  const { selected } = store
  if (!selected || selected.isActing) return
  const items = chosen(store)
  if (items.length === 0) return
  selected.isActing = true
  selected.left = ''
  await putAway(view, items, choice)
}

/** Archives, unarchives or deletes conversations, and then offers for a while to undo this. */
export async function putAway(view: View, items: readonly Summary[], choice: Choice): Promise<void> {
  const { ui, conversation, store } = view
  ui.set({ offer: null })
  const at = rows(view).findIndex((row) => row.closest('li')?.matches(':focus-within'))
  const ids = items.map(({ id }) => id)
  const ending = await several(store, ids, choice)
  const { done } = ending
  const isOpen =
    conversation.id !== null && done.includes(conversation.id) && view.conversation === conversation
  const gone = choice === 'delete' && isOpen ? conversation.id : null
  if (gone) view.show(null)
  const text = done.length > 0 ? view.t(`several.${choice}`, { count: done.length }) : ''
  if (text) ui.offerUndo(text, () => void takeBack(view, choice, done, items, gone), true)
  store.selected = null
  await end(view, ending, items, text, at)
}

/** Returns the links or checkboxes of the rows, from top to bottom. */
const rows = (view: View) => [...view.renderRoot.querySelectorAll<HTMLElement>('a.conv, .conv input')]

/**
 * Undoes the action. If it deleted the open conversation, `gone` is the id; this conversation opens again unless
 * another is open.
 */
async function takeBack(
  view: View,
  choice: Choice,
  ids: readonly string[],
  items: readonly Summary[],
  gone: string | null,
): Promise<void> {
  const { store } = view
  const ending = await several(store, ids, reverse[choice])
  const isFree = view.conversation.id === null && !view.conversation.draft
  if (gone && ending.done.includes(gone) && isFree) view.show(gone)
  await end(view, ending, items, ending.done.length > 0 ? view.t('result.undone') : '')
}

/**
 * Reports the result, and names the failed conversations, which stay selected. The focus goes to the row at
 * the position `at`, or to the last row; with -1, to the button that starts a selection.
 */
async function end(
  view: View,
  { left, reason }: Ending,
  items: readonly Summary[],
  text: string,
  at = -1,
): Promise<void> {
  const { t, announcer, store } = view
  // Another user may have logged in meanwhile; the result does not concern that user.
  if (!store.user) return
  const titles = items.filter(({ id }) => left.includes(id)).map(({ title }) => title || t('app.new'))
  const names = titles.slice(0, mostTitles).map((title) => t('unit.quoted', { text: title }))
  if (titles.length > mostTitles) names.push(t('sources.more', { count: titles.length - mostTitles }))
  const said = { titles: names.join(', '), reason: reason || t('dialog.failed') }
  const words = names.length > 0 ? t('several.left', said) : ''
  if (words) store.selected = new Selected(left, words)
  store.changed()
  announcer.say([text, words].filter(Boolean).join(' '))
  view.requestUpdate()
  await view.updateComplete
  if (isElsewhere(view)) return
  const next = at < 0 ? view.find('.select') : (rows(view)[at] ?? rows(view).at(-1))
  ;(next ?? view.find('.select + .icon-btn'))?.focus()
}

/** True if the user has moved the focus to something outside the list. */
function isElsewhere(view: View): boolean {
  if (view.matches(':focus-within')) return view.find('.chat')?.matches(':focus-within') ?? false
  return document.activeElement !== null && document.activeElement !== document.body
}
