import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { icon } from '../icon.ts'
import * as Send from '../store/send.ts'
import { fill } from '../view/field.ts'
import type { View } from '../view/view.ts'
import { dress } from './look.ts'
import { type Choice, type Kept, type Source, sources } from './source.ts'

/** The pause in typing before a request, in milliseconds. */
const pauseMs = 200

/** The state of the open list. */
type State = {
  query: string
  found: Choice[] | null
  /** Position of the chosen entry; -1 while there is none. */
  active: number
  hasFailed: boolean
  /** The shown choices belong to an earlier query. */
  isOld: boolean
  /** True if the user pressed Enter before the answer: it takes the first entry. */
  takesFirst: boolean
  timer: ReturnType<typeof setTimeout> | undefined
  asking: AbortController | null
  kept: Kept
}

const states = new WeakMap<View, State>()

/** Opens the list; `at` is the place of the typed sign, and the text after it is the query. */
export async function open(view: View, kind: keyof typeof sources, at: number | null): Promise<void> {
  const field = view.find<HTMLTextAreaElement>('#message')
  const typed = at === null ? '' : (field?.value.slice(at + 1, field.selectionStart) ?? '')
  if (/\s/.test(typed)) return
  if (typed && field && at !== null)
    fill(view, field.value.slice(0, at + 1) + field.value.slice(at + 1 + typed.length))
  const state: State = {
    query: typed,
    found: null,
    active: -1,
    hasFailed: false,
    isOld: true,
    takesFirst: false,
    timer: undefined,
    asking: null,
    kept: {},
  }
  states.set(view, state)
  view.ui.set({ picker: { kind, at } })
  void ask(view, state)
  await view.updateComplete
  view.find<HTMLInputElement>('#pick')?.focus()
}

/** The search field, and the list of results. */
export function picker(view: View): unknown {
  dress(view)
  const { t, ui } = view
  const state = states.get(view)
  if (!state || !ui.picker) return nothing
  const source = sources[ui.picker.kind]
  const label = t(source.label)
  const { found, active } = state
  return html`<div class="picker" @focusout=${(event: FocusEvent) => left(view, event)}>
    <input
      id="pick"
      type="text"
      role="combobox"
      autocomplete="off"
      aria-label=${label}
      placeholder=${label}
      aria-autocomplete="list"
      aria-expanded=${String((found?.length ?? 0) > 0)}
      aria-controls="picks"
      aria-activedescendant=${active >= 0 ? `pick-${active}` : nothing}
      .value=${live(state.query)}
      @input=${(event: InputEvent) => typed(view, state, event)}
      @keydown=${(event: KeyboardEvent) => pressed(view, state, event)}
    />
    <ul id="picks" role="listbox" aria-label=${t(source.found)}>
      ${(found ?? []).map((it, at) => option(view, it, at, at === active))}
    </ul>
    ${note(view, state, source)}
  </div>`
}

function option(view: View, it: Choice, at: number, isActive: boolean): TemplateResult {
  return html`<li
    id="pick-${at}"
    role="option"
    aria-selected=${String(isActive)}
    @pointerdown=${(event: Event) => event.preventDefault()}
    @click=${() => take(view, it)}
  >
    ${icon(it.sign)}<span dir="auto">${it.title}</span><small>${it.note}</small>
  </li>`
}

function note({ t }: View, { found, hasFailed, query }: State, source: Source): unknown {
  const none = query.trim() === '' ? t(source.empty) : t(source.none, { query })
  const words = hasFailed
    ? t(source.failed)
    : found === null
      ? t('mention.looking')
      : found.length > 0
        ? ''
        : none
  return words ? html`<p>${words}</p>` : nothing
}

function typed(view: View, state: State, event: InputEvent): void {
  state.query = (event.target as HTMLInputElement).value
  state.isOld = true
  state.takesFirst = false
  clearTimeout(state.timer)
  state.timer = setTimeout(() => void ask(view, state), pauseMs)
  view.requestUpdate()
}

async function ask(view: View, state: State): Promise<void> {
  const { store, ui, announcer, t } = view
  state.asking?.abort()
  const asking = new AbortController()
  state.asking = asking
  const source = sources[ui.picker?.kind ?? 'mention']
  const isOver = () => asking.signal.aborted || states.get(view) !== state
  try {
    const found = await source.look(view, state.query.trim(), asking.signal, state.kept)
    if (isOver()) return
    Object.assign(state, { found, active: found.length > 0 ? 0 : -1, hasFailed: false, isOld: false })
    if (state.takesFirst && found[0]) {
      take(view, found[0])
      return
    }
    announcer.say(t('mention.count', { count: found.length }))
  } catch (error) {
    if (isOver()) return
    store?.caught(error)
    Object.assign(state, { found: [], active: -1, hasFailed: true, isOld: false })
    announcer.say(t(source.failed))
  }
  view.requestUpdate()
}

function pressed(view: View, state: State, event: KeyboardEvent): void {
  if (event.isComposing || event.keyCode === 229) return
  const { found, active } = state
  const count = found?.length ?? 0
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const chosen = found?.[active]
  if (step && count > 0) {
    state.active = (active + step + count) % count
    hold(state)
  } else if (event.key === 'Enter' && state.isOld) state.takesFirst = state.query.trim() !== ''
  else if (event.key === 'Enter' && chosen) take(view, chosen)
  else if (event.key === 'Escape' || event.key === 'Tab') close(view, true)
  // Nothing was chosen: the sign and what follows it are words of the message.
  else if (event.key === 'Backspace' && state.query === '' && view.ui.picker?.at !== null) close(view, true)
  else if (!step && event.key !== 'Enter') return
  event.preventDefault()
  event.stopPropagation()
  view.requestUpdate()
  void view.updateComplete.then(() =>
    view.find(`#pick-${state.active}`)?.scrollIntoView({ block: 'nearest' }),
  )
}

/** The user chooses among what is shown: it stays until they type again. */
function hold(state: State): void {
  clearTimeout(state.timer)
  state.asking?.abort()
  state.isOld = false
}

/** Does what the chosen entry is for; the sign that opened the list has done its work. */
function take(view: View, it: Choice): void {
  const { ui, conversation } = view
  const at = ui.picker?.at ?? null
  end(view)
  if (at !== null) write(view, conversation.draft.slice(0, at) + conversation.draft.slice(at + 1), at)
  void view.updateComplete.then(() => view.focusMessage())
  it.take(view, at)
}

/** Closes the list without a choice; what was typed into it stays in the message. */
function close(view: View, takesFocus: boolean): void {
  const { ui, conversation, store } = view
  const at = ui.picker?.at ?? null
  const query = states.get(view)?.query ?? ''
  end(view)
  const { draft } = conversation
  const text = at === null ? draft : draft.slice(0, at + 1) + query + draft.slice(at + 1)
  if (takesFocus) write(view, text, at === null ? text.length : at + 1 + query.length)
  else if (store && text !== draft) Send.draft(store, conversation, text)
}

function write(view: View, text: string, caret: number): void {
  fill(view, text)
  view.find<HTMLTextAreaElement>('#message')?.setSelectionRange(caret, caret)
}

function end(view: View): void {
  const state = states.get(view)
  clearTimeout(state?.timer)
  state?.asking?.abort()
  states.delete(view)
  view.ui.set({ picker: null })
}

function left(view: View, event: FocusEvent): void {
  const list = event.currentTarget as HTMLElement
  // Another window has the focus now: the list waits until this one has it again.
  if (list.contains(event.relatedTarget as Node | null) || !document.hasFocus() || !states.has(view)) return
  close(view, false)
}
