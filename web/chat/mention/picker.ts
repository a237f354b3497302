import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { icon } from '../icon.ts'
import { lazy } from '../lazy.ts'
import * as Send from '../store/outbox.ts'
import { adoptStyles } from '../style/sheet.ts'
import { sitePicture } from '../view/media.ts'
import { fill, isComposed } from '../view/message-field.ts'
import { type MenuItem, menu } from '../view/popup-menu.ts'
import type { Choice, Picker, View } from '../view/view.ts'
import css from './mention.css?inline'
import { type Source, sources } from './source.ts'

/** The dialog of the user's own prompts, loaded when it opens. */
const ownPrompts = lazy(async () => (await import('../prompts/own.ts')).ownPrompts)

/** The pause in typing before a request, in milliseconds. */
const pauseMs = 200

/** Opens the list. `at` is the position of the typed `@` or `/` in the message; the query is the text after it. */
export async function openPicker(view: View, kind: Picker['kind'], at: number | null): Promise<void> {
  const field = view.find<HTMLTextAreaElement>('#message')
  const query = at === null ? '' : (field?.value.slice(at + 1, field.selectionStart) ?? '')
  if (/\s/.test(query)) return
  const picker: Picker = { kind, at, query, found: null, active: 0, hasFailed: false, isOld: true }
  view.ui.set({ picker })
  void ask(view, picker)
  await view.focusDrawn('#pick')
}

/** Draws the search field and the list of results. */
export function picker(view: View): unknown {
  adoptStyles(view, css)
  const { t, ui } = view
  if (!ui.picker) return nothing
  const open = ui.picker
  const { kind, query, found, active } = open
  const source = sources[kind]
  const label = t(source.label)
  return html`<div class="picker" @focusout=${(event: FocusEvent) => left(view, open, event)}>
    <input id="pick" type="text" role="combobox" autocomplete="off" aria-label=${label} placeholder=${label}
      aria-autocomplete="list" aria-expanded=${String((found?.length ?? 0) > 0)} aria-controls="picks"
      aria-activedescendant=${found?.[active] ? `pick-${active}` : nothing} .value=${live(query)}
      @input=${(event: InputEvent) => typed(view, open, event)}
      @keydown=${(event: KeyboardEvent) => pressed(view, open, event)} />
    <ul id="picks" class=${kind === 'file' ? 'picks-grid' : ''} role="listbox" aria-label=${t(source.found)}>
      ${found?.map((it, at) => option(view, open, it, at))}
    </ul>
    ${pickerNote(view, open, source)}
  </div>`
}

function option(view: View, open: Picker, it: Choice, at: number): TemplateResult {
  const picture = html`<span class="pick-picture">${it.url ? html`<img src=${it.url} alt="" decoding="async" />` : icon(it.sign)}</span>`
  return html`<li class="row" id="pick-${at}" role="option" aria-selected=${String(at === open.active)}
      @pointerdown=${(event: Event) => event.preventDefault()} @click=${() => takeChoice(view, open, it)}>
    ${open.kind === 'file' ? picture : icon(it.sign)}<span class="ellipsis" dir="auto">${it.title}</span><small>${it.note}</small>
  </li>`
}

function pickerNote({ t }: View, { found, hasFailed, query }: Picker, source: Source): unknown {
  const said = (words: string) => html`<p>${words}</p>`
  if (hasFailed) return said(t(source.failed))
  if (found === null) return said(t('mention.looking'))
  if (found.length > 0) return nothing
  return said(query.trim() === '' ? t(source.empty) : t(source.none, { query }))
}

function typed(view: View, open: Picker, event: InputEvent): void {
  const before = open.query
  open.query = (event.target as HTMLInputElement).value
  mirror(view, open, before.length)
  // A typed `@` or `/` with a space after it is a part of the message, so the list closes.
  if (open.at !== null && open.query !== '' && open.query.trim() === '') {
    close(view, open)
    return
  }
  open.isOld = true
  open.takesFirst = false
  clearTimeout(open.timer)
  open.timer = setTimeout(() => void ask(view, open), pauseMs)
  view.requestUpdate()
}

/**
 * Copies the query from the list into the message, after the typed `@` or `/`, so that the message is always complete.
 */
function mirror(view: View, { at, query }: Picker, length: number): void {
  const { store, conversation } = view
  if (at === null) return
  const { draft } = conversation
  const text = draft.slice(0, at + 1) + query + draft.slice(at + 1 + length)
  Send.draft(store, conversation, text)
  const field = view.find<HTMLTextAreaElement>('#message')
  if (field) field.value = text
}

async function ask(view: View, open: Picker): Promise<void> {
  const { store, ui, announcer, t } = view
  open.asking?.abort()
  const asking = new AbortController()
  open.asking = asking
  const source = sources[open.kind]
  const isOver = () => asking.signal.aborted || ui.picker !== open
  try {
    const found = await source.look(view, open, asking.signal)
    if (isOver()) return
    Object.assign(open, { found, active: 0, hasFailed: false, isOld: false })
    if (open.takesFirst && found[0]) {
      takeChoice(view, open, found[0])
      return
    }
    announcer.say(t('mention.count', { count: found.length }))
    view.requestUpdate()
    void view.updateComplete.then(() => watch(view, open))
  } catch (error) {
    if (isOver()) return
    store.caught(error)
    Object.assign(open, { found: [], hasFailed: true, isOld: false })
    announcer.say(t(source.failed))
    view.requestUpdate()
  }
}

/** Loads the picture of an entry only when the entry is in view: a picture can have 3 MB. */
function watch(view: View, open: Picker): void {
  const { store, renderRoot } = view
  if (!open.found?.some(({ picture }) => picture)) return
  const show = async ({ isIntersecting, target }: IntersectionObserverEntry) => {
    const choice = open.found?.[Number(target.id.slice('pick-'.length))]
    if (!isIntersecting || !choice?.picture || choice.url) return
    const picture = await sitePicture(store, choice.picture)
    if (picture) choice.url = picture.url
    view.requestUpdate()
  }
  open.watcher?.disconnect()
  open.watcher = new IntersectionObserver((entries) => entries.forEach((entry) => void show(entry)))
  for (const entry of renderRoot.querySelectorAll('#picks > li')) open.watcher.observe(entry)
}

/**
 * Returns the number of entries by which a key moves the selection. In the grid of pictures, the left and right keys
 * also move the selection.
 */
function stepOf({ renderRoot, t }: View, { kind }: Picker, key: string): number {
  const line = { ArrowDown: 1, ArrowUp: -1 }[key] ?? 0
  if (kind !== 'file') return line
  const entries = [...renderRoot.querySelectorAll<HTMLElement>('#picks > li')]
  const columns = entries.filter(({ offsetTop }) => offsetTop === entries[0]?.offsetTop).length
  const ahead = t('writing.direction') === 'rtl' ? -1 : 1
  const beside = { ArrowRight: ahead, ArrowLeft: -ahead }[key] ?? 0
  return line * columns || beside
}

function pressed(view: View, open: Picker, event: KeyboardEvent): void {
  if (isComposed(event)) return
  const { found, active, query } = open
  const count = found?.length ?? 0
  const step = stepOf(view, open, event.key)
  const chosen = found?.[active]
  if (step && count > 0) {
    const next = active + step
    // Up and down stop at the first and last row of the grid.
    if (Math.abs(step) === 1) open.active = (next + count) % count
    else if (next >= 0 && next < count) open.active = next
    hold(open)
  } else if (event.key === 'Enter' && open.isOld) open.takesFirst = query.trim() !== ''
  else if (event.key === 'Enter' && chosen) takeChoice(view, open, chosen)
  else if (event.key === 'Escape' || event.key === 'Tab') close(view, open)
  else if (event.key === 'Backspace' && query === '' && open.at !== null) close(view, open)
  else if (!step && event.key !== 'Enter') return
  event.preventDefault()
  event.stopPropagation()
  view.requestUpdate()
  void view.updateComplete.then(() => view.find(`#pick-${open.active}`)?.scrollIntoView({ block: 'nearest' }))
}

/** Stops a pending search, because the user moves among the shown entries; they stay until the user types again. */
function hold(open: Picker): void {
  clearTimeout(open.timer)
  open.asking?.abort()
  open.isOld = false
}

/**
 * Runs the action of the chosen entry. The title of a mention replaces the typed `@` and query, so that the sentence
 * keeps its noun; a prompt writes its own text.
 */
function takeChoice(view: View, open: Picker, it: Choice): void {
  const { kind, at, query } = open
  end(view, open)
  if (at !== null) replaceQuery(view, at, query, kind === 'prompt' ? '' : it.title)
  void view.updateComplete.then(() => view.focusMessage())
  it.take(view, at)
}

/** Replaces the typed `@` or `/` and the query after it, and puts the caret behind the new text. */
function replaceQuery(view: View, at: number, query: string, text: string): void {
  const { draft } = view.conversation
  writeMessage(view, draft.slice(0, at) + text + draft.slice(at + 1 + query.length), at + text.length)
}

/** Closes the list without a choice. The query stays in the message; a typed `@` or `/` without a query is removed. */
function close(view: View, open: Picker): void {
  end(view, open)
  const { at, query } = open
  const { draft } = view.conversation
  if (at === null) writeMessage(view, draft, draft.length)
  else if (query === '') replaceQuery(view, at, '', '')
  else writeMessage(view, draft, at + 1 + query.length)
}

function writeMessage(view: View, text: string, caret: number): void {
  fill(view, text)
  view.find<HTMLTextAreaElement>('#message')?.setSelectionRange(caret, caret)
}

function end({ ui }: View, { timer, asking, watcher }: Picker): void {
  clearTimeout(timer)
  asking?.abort()
  watcher?.disconnect()
  ui.set({ picker: null })
}

/** Closes the list after the focus left it. If another window gets the focus, the list stays open. */
function left(view: View, open: Picker, event: FocusEvent): void {
  const list = event.currentTarget as HTMLElement
  const isInside = list.contains(event.relatedTarget as Node | null)
  if (!isInside && document.hasFocus() && view.ui.picker === open) end(view, open)
}

/** Draws the open menu of further additions to a message. */
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
