import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { icon } from '../icon.ts'
import { lazy } from '../lazy.ts'
import * as Send from '../store/outbox.ts'
import { adoptStyles } from '../style/sheet.ts'
import { sitePicture } from '../view/media.ts'
import { fill } from '../view/message-field.ts'
import { type MenuItem, menu } from '../view/popup-menu.ts'
import type { View } from '../view/view.ts'
import css from './mention.css?inline'
import { type Choice, type Kept, type Source, sources } from './source.ts'

/** The dialog of the user's own prompts, loaded when it opens. */
const ownPrompts = lazy(async () => (await import('../prompts/own.ts')).ownPrompts)

/** The pause in typing before a request, in milliseconds. */
const pauseMs = 200

/** The state of the open list. */
type PickerState = {
  query: string
  found: Choice[] | null
  /** The position of the active entry; -1 if no entry is active. */
  active: number
  hasFailed: boolean
  /** True while the shown entries belong to an earlier query. */
  isOld: boolean
  /** True if the user pressed Enter before the answer came; the first entry is then taken. */
  takesFirst: boolean
  timer: ReturnType<typeof setTimeout> | undefined
  asking: AbortController | null
  /** Loads the pictures of entries that come into view. */
  watcher: IntersectionObserver | undefined
  kept: Kept
}

const states = new WeakMap<View, PickerState>()

/** Opens the list. `at` is the position of the typed sign in the message, and the text after it is the query. */
export async function openPicker(view: View, kind: keyof typeof sources, at: number | null): Promise<void> {
  const field = view.find<HTMLTextAreaElement>('#message')
  const typed = at === null ? '' : (field?.value.slice(at + 1, field.selectionStart) ?? '')
  if (/\s/.test(typed)) return
  const state: PickerState = {
    query: typed,
    found: null,
    active: -1,
    hasFailed: false,
    isOld: true,
    takesFirst: false,
    timer: undefined,
    asking: null,
    watcher: undefined,
    kept: {},
  }
  states.set(view, state)
  view.ui.set({ picker: { kind, at } })
  void ask(view, state)
  await view.focusDrawn('#pick')
}

/** Draws the search field and the list of results. */
export function picker(view: View): unknown {
  adoptStyles(view, css)
  const { t, ui } = view
  const state = states.get(view)
  if (!state || !ui.picker) return nothing
  const source = sources[ui.picker.kind]
  const label = t(source.label)
  const { found, active } = state
  return html`<div class="picker" @focusout=${(event: FocusEvent) => left(view, event)}>
    <input id="pick" type="text" role="combobox" autocomplete="off" aria-label=${label} placeholder=${label}
      aria-autocomplete="list" aria-expanded=${String((found?.length ?? 0) > 0)} aria-controls="picks"
      aria-activedescendant=${active >= 0 ? `pick-${active}` : nothing} .value=${live(state.query)}
      @input=${(event: InputEvent) => typed(view, state, event)}
      @keydown=${(event: KeyboardEvent) => pressed(view, state, event)} />
    <ul id="picks" class=${ui.picker.kind === 'file' ? 'picks-grid' : ''} role="listbox" aria-label=${t(source.found)}>
      ${(found ?? []).map((it, at) => option(view, it, at, at === active))}
    </ul>
    ${pickerNote(view, state, source)}
  </div>`
}

function option(view: View, it: Choice, at: number, isActive: boolean): TemplateResult {
  const isPicture = view.ui.picker?.kind === 'file'
  const picture = html`<span class="pick-picture">${it.url ? html`<img src=${it.url} alt="" decoding="async" />` : icon(it.sign)}</span>`
  return html`<li class="row" id="pick-${at}" role="option" aria-selected=${String(isActive)}
      @pointerdown=${(event: Event) => event.preventDefault()} @click=${() => takeChoice(view, it)}>
    ${isPicture ? picture : icon(it.sign)}<span class="ellipsis" dir="auto">${it.title}</span><small>${it.note}</small>
  </li>`
}

function pickerNote({ t }: View, { found, hasFailed, query }: PickerState, source: Source): unknown {
  const said = (words: string) => html`<p>${words}</p>`
  if (hasFailed) return said(t(source.failed))
  if (found === null) return said(t('mention.looking'))
  if (found.length > 0) return nothing
  return said(query.trim() === '' ? t(source.empty) : t(source.none, { query }))
}

function typed(view: View, state: PickerState, event: InputEvent): void {
  const before = state.query
  state.query = (event.target as HTMLInputElement).value
  mirror(view, before.length, state.query)
  // A sign followed by a space is a word of the message, so the list closes.
  if (view.ui.picker?.at != null && state.query !== '' && state.query.trim() === '') {
    close(view, true)
    return
  }
  state.isOld = true
  state.takesFirst = false
  clearTimeout(state.timer)
  state.timer = setTimeout(() => void ask(view, state), pauseMs)
  view.requestUpdate()
}

/** Copies the query from the list into the message, after the sign, so that the message is always complete. */
function mirror(view: View, length: number, query: string): void {
  const { store, conversation, ui } = view
  const at = ui.picker?.at ?? null
  if (at === null) return
  const { draft } = conversation
  const text = draft.slice(0, at + 1) + query + draft.slice(at + 1 + length)
  Send.draft(store, conversation, text)
  const field = view.find<HTMLTextAreaElement>('#message')
  if (field) field.value = text
}

async function ask(view: View, state: PickerState): Promise<void> {
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
      takeChoice(view, found[0])
      return
    }
    announcer.say(t('mention.count', { count: found.length }))
    view.requestUpdate()
    void view.updateComplete.then(() => watch(view, state))
  } catch (error) {
    if (isOver()) return
    store.caught(error)
    Object.assign(state, { found: [], active: -1, hasFailed: true, isOld: false })
    announcer.say(t(source.failed))
    view.requestUpdate()
  }
}

/** Loads the picture of an entry only when the entry is in view: a picture can have 3 MB. */
function watch(view: View, state: PickerState): void {
  const { store, renderRoot } = view
  if (!state.found?.some(({ picture }) => picture)) return
  const show = async ({ isIntersecting, target }: IntersectionObserverEntry) => {
    const choice = state.found?.[Number(target.id.slice('pick-'.length))]
    if (!isIntersecting || !choice?.picture || choice.url) return
    const picture = await sitePicture(store, choice.picture)
    if (picture) choice.url = picture.url
    view.requestUpdate()
  }
  state.watcher?.disconnect()
  state.watcher = new IntersectionObserver((entries) => entries.forEach((entry) => void show(entry)))
  for (const entry of renderRoot.querySelectorAll('#picks > li')) state.watcher.observe(entry)
}

/** Returns the number of entries that a key moves in the list; in the grid of pictures, left and right move, too. */
function stepOf({ renderRoot, ui, t }: View, key: string): number {
  const line = { ArrowDown: 1, ArrowUp: -1 }[key] ?? 0
  if (ui.picker?.kind !== 'file') return line
  const entries = [...renderRoot.querySelectorAll<HTMLElement>('#picks > li')]
  const columns = entries.filter(({ offsetTop }) => offsetTop === entries[0]?.offsetTop).length
  const ahead = t('writing.direction') === 'rtl' ? -1 : 1
  const beside = { ArrowRight: ahead, ArrowLeft: -ahead }[key] ?? 0
  return line * columns || beside
}

function pressed(view: View, state: PickerState, event: KeyboardEvent): void {
  if (event.isComposing || event.keyCode === 229) return
  const { found, active } = state
  const count = found?.length ?? 0
  const step = stepOf(view, event.key)
  const chosen = found?.[active]
  if (step && count > 0) {
    const next = active + step
    // Up and down stop at the first and last row of the grid.
    if (Math.abs(step) === 1) state.active = (next + count) % count
    else if (next >= 0 && next < count) state.active = next
    hold(state)
  } else if (event.key === 'Enter' && state.isOld) state.takesFirst = state.query.trim() !== ''
  else if (event.key === 'Enter' && chosen) takeChoice(view, chosen)
  else if (event.key === 'Escape' || event.key === 'Tab') close(view, true)
  else if (event.key === 'Backspace' && state.query === '' && view.ui.picker?.at !== null) close(view, true)
  else if (!step && event.key !== 'Enter') return
  event.preventDefault()
  event.stopPropagation()
  view.requestUpdate()
  void view.updateComplete.then(() =>
    view.find(`#pick-${state.active}`)?.scrollIntoView({ block: 'nearest' }),
  )
}

/** Stops a pending search, because the user moves among the shown entries; they stay until the user types again. */
function hold(state: PickerState): void {
  clearTimeout(state.timer)
  state.asking?.abort()
  state.isOld = false
}

/** Runs the action of the chosen entry, and removes the sign that opened the list from the message. */
function takeChoice(view: View, it: Choice): void {
  const { ui, conversation } = view
  const at = ui.picker?.at ?? null
  const { query = '' } = states.get(view) ?? {}
  end(view)
  if (at !== null) writeMessage(view, without(conversation.draft, at, query), at)
  void view.updateComplete.then(() => view.focusMessage())
  it.take(view, at)
}

/** Returns the message without the sign and the query after it. */
const without = (draft: string, at: number, query: string) =>
  draft.slice(0, at) + draft.slice(at + 1 + query.length)

/** Closes the list without a choice. The query stays in the message; a sign without a query is removed. */
function close(view: View, takesFocus: boolean): void {
  const at = view.ui.picker?.at ?? null
  const { query = '' } = states.get(view) ?? {}
  end(view)
  if (!takesFocus) return
  const { draft } = view.conversation
  if (at === null) writeMessage(view, draft, draft.length)
  else if (query === '') writeMessage(view, without(draft, at, ''), at)
  else writeMessage(view, draft, at + 1 + query.length)
}

function writeMessage(view: View, text: string, caret: number): void {
  fill(view, text)
  view.find<HTMLTextAreaElement>('#message')?.setSelectionRange(caret, caret)
}

function end(view: View): void {
  const state = states.get(view)
  clearTimeout(state?.timer)
  state?.asking?.abort()
  state?.watcher?.disconnect()
  states.delete(view)
  view.ui.set({ picker: null })
}

function left(view: View, event: FocusEvent): void {
  const list = event.currentTarget as HTMLElement
  // If another window gets the focus, the list stays open.
  if (list.contains(event.relatedTarget as Node | null) || !document.hasFocus() || !states.has(view)) return
  close(view, false)
}

/** Draws the open menu of further things to add to a message. */
export function addMenu(view: View): TemplateResult {
  adoptStyles(view, css)
  const { t, store } = view
  const items: MenuItem[] = [
    { label: t('mention.add'), icon: 'search', run: () => void openPicker(view, 'mention', null) },
    { label: t('composer.attach'), icon: 'attach', run: () => view.find('[data-attach]')?.click() },
  ]
  if (store.status?.siteFiles)
    items.push({ label: t('mention.files'), icon: 'image', run: () => void openPicker(view, 'file', null) })
  items.push(
    'line',
    { label: t('prompts.pick'), icon: 'list', run: () => void openPicker(view, 'prompt', null) },
    { label: t('prompts.manage'), icon: 'pencil', run: () => view.ui.set({ dialog: ownPrompts }) },
  )
  return menu(view, { name: 'add', label: t('mention.menu'), items, look: 'menu-add' })
}
