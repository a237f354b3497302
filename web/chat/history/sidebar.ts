import { html, nothing, type TemplateResult } from 'lit'
import { ifDefined } from 'lit/directives/if-defined.js'
import { repeat } from 'lit/directives/repeat.js'
import type { Key } from '../../../core/base/languages/sentence.ts'
import type { Summary } from '../../../core/conversation/schema.ts'
import { type Icon, icon, iconButton } from '../icon.ts'
import { lazy, loadAhead } from '../lazy.ts'
import { daysBetween } from '../reader-format.ts'
import { isBusy } from '../store/known-transcript.ts'
import { Listing, type ListingKind, Selected } from '../store/listing.ts'
import type { Choice } from '../store/manage.ts'
import { adoptStyles } from '../style/sheet.ts'
import { startNew } from '../view/message-field.ts'
import type { View } from '../view/view.ts'
import css from './history.css?inline'

/** A conversation of the list with its checkbox, loaded when the user begins to select. */
const tick = loadAhead(lazy(async () => (await import('./several.ts')).tick))

/** The actions on the selected conversations and their result, loaded when the user begins to select. */
const foot = loadAhead(lazy(async () => (await import('./several.ts')).foot))

const typingMs = 250
const timers = new WeakMap<View, ReturnType<typeof setTimeout>>()

/** Draws all conversations: search, the filter (active, waiting, archived), and the list in groups. */
export function historySidebar(view: View, close: unknown = nothing): TemplateResult {
  adoptStyles(view, css)
  const { t, store } = view
  const { kind } = store.listing
  const toggle = (value: ListingKind, key: Key) => html`<button type="button"
      aria-pressed=${String(kind === value)} @click=${() => showListing(view, value, view.ui.search)}>
    ${t(key)}
  </button>`
  const isSelecting = Boolean(store.selected)
  return html`<aside class="history" aria-label=${t('app.conversations')}
      @keydown=${(event: KeyboardEvent) => isSelecting && pressed(view, event)}>
    <div class="stack history-head">
      <div class="row history-top">
        <h2>${t('app.name')}</h2>
        <button class="icon-btn select" type="button" aria-label=${t('several.start')}
          title=${t('several.start')} aria-pressed=${String(isSelecting)} aria-disabled=${String(store.selected?.isActing ?? false)}
          @click=${() => toggleSelecting(view)}>${icon('select')}</button>
        ${iconButton('plus', t('app.new'), () => startNew(view))}
        ${close}
      </div>
      <div class="stack history-tools">
        <label class="search"
          >${icon('search')}<span class="vh">${t('history.search')}</span>
          <input type="search" placeholder=${t('history.search')} .value=${view.ui.search}
            @input=${(event: InputEvent) => search(view, (event.target as HTMLInputElement).value)}
        /></label>
        <div class="segments" role="group" aria-label=${t('history.show')}>
          ${toggle('active', 'history.active')}${toggle('waiting', 'history.onlyWaiting')}${toggle('archived', 'history.archived')}
        </div>
      </div>
    </div>
    ${conversationGroups(view)} ${isSelecting || (view.ui.isTimed && view.ui.offer?.inList) ? foot(view) : nothing}
  </aside>`
}

/** Ends the selection when the user presses Escape. In a search field with text, Escape clears the text instead. */
function pressed(view: View, event: KeyboardEvent): void {
  const { type, value } = event.target as HTMLInputElement
  if (event.key !== 'Escape' || (type === 'search' && value)) return
  event.preventDefault()
  event.stopPropagation()
  void toggleSelecting(view)
}

/** Begins or ends the selection of several conversations, and focuses the button for this. */
async function toggleSelecting(view: View): Promise<void> {
  await Promise.all([tick.load(), foot.load()])
  const { store } = view
  if (store.selected?.isActing) return
  store.selected = store.selected ? null : new Selected()
  store.changed()
  view.find('.select')?.focus()
}

/** Archives, unarchives or deletes one conversation of the list, and then offers for a while to undo this. */
async function putAway(view: View, item: Summary, choice: Choice): Promise<void> {
  const part = await import('./several.ts').catch(() => null)
  if (part) await part.putAway(view, [item], choice)
  else view.announcer.say(view.t('offline.trying'))
}

/**
 * Shows the conversation, below 896 px in place of the list. The log gets the focus, because the pressed link is gone.
 */
function showConversation(view: View): void {
  const wasList = view.ui.side === 'list'
  view.ui.set({ side: 'conversation' })
  if (wasList) void view.updateComplete.then(() => view.find('.log')?.focus({ preventScroll: true }))
}

function search(view: View, text: string): void {
  view.ui.search = text
  clearTimeout(timers.get(view))
  const show = () => showListing(view, view.store.listing.kind, text)
  timers.set(view, setTimeout(show, typingMs))
}

function showListing(view: View, kind: ListingKind, text: string): void {
  const { store } = view
  const wanted = text.trim()
  store.listing = kind === 'active' && !wanted ? store.active : new Listing(kind, wanted, store.listing)
  void store.refreshLists()
  store.changed()
}

function conversationGroups(view: View): TemplateResult {
  const { t, store } = view
  const listing = store.listing.drawn
  const { items, search } = listing
  const rest = listing.nextCursor
    ? html`<div role="listitem">
        <button class="btn btn-sm btn-quiet more" type="button" @click=${() => showMore(view, listing)}>
          ${t(search ? 'history.further' : 'history.more')}
        </button>
      </div>`
    : nothing
  const none = listing.isLoaded
    ? html`<p class="none" role="listitem">${nothingFound(view, listing)}</p>`
    : nothing
  const groups = grouped(items, search).map(
    ([key, group]) => html`<div role="listitem">
      <h3 id="group-${key}">${t(`history.${key}`, { count: group.length })}</h3>
      <ul aria-labelledby="group-${key}">
        ${repeat(
          group,
          (item) => item.id,
          (item) => html`<li>${historyEntry(view, item)}${deeds(view, item)}</li>`,
        )}
      </ul>
    </div>`,
  )
  return html`<div class="history-list" role="list" aria-label=${t('app.conversations')}>
    ${items.length === 0 ? none : groups} ${rest}
  </div>`
}

/** Loads the next page of the list. After the last page the button is removed; then the first new row gets the focus. */
async function showMore(view: View, listing: Listing): Promise<void> {
  const rows = () => [...view.renderRoot.querySelectorAll<HTMLElement>('a.conv, .conv input')]
  const known = new Set(rows())
  await listing.more(view.store.api).catch((error) => view.store.caught(error))
  view.store.changed()
  view.requestUpdate()
  await view.updateComplete
  if (!listing.nextCursor) (rows().find((row) => !known.has(row)) ?? rows().at(-1))?.focus()
}

function nothingFound({ t }: View, listing: Listing): string {
  if (listing.search) return t('history.noneFound', { search: listing.search })
  const empty = {
    active: 'history.none',
    waiting: 'history.noneWaiting',
    archived: 'history.noneArchived',
  } as const
  return t(empty[listing.kind])
}

type HistoryGroup = 'decide' | 'pinned' | 'today' | 'yesterday' | 'week' | 'earlier' | 'found'

function grouped(items: readonly Summary[], search: string): [HistoryGroup, readonly Summary[]][] {
  if (search) return [['found', items]]
  const now = Date.now()
  const groupOf = (item: Summary): HistoryGroup => {
    if (item.status === 'awaiting_approval') return 'decide'
    if (item.pinned) return 'pinned'
    const days = daysBetween(item.updatedAt, now)
    if (days <= 1) return days === 0 ? 'today' : 'yesterday'
    return days <= 7 ? 'week' : 'earlier'
  }
  const groups = Map.groupBy(items, groupOf)
  return (['decide', 'pinned', 'today', 'yesterday', 'week', 'earlier'] as const).flatMap((group) => {
    const members = groups.get(group)
    return members ? [[group, members] as const] : []
  })
}

function historyEntry(view: View, item: Summary): TemplateResult {
  const { conversation, t } = view
  const isCurrent = conversation.id === item.id
  const open = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    view.show(item.id)
    showConversation(view)
  }
  const { look, sign, words } = state(view, item)
  const { search, excerpts } = view.store.listing.drawn
  const face = html`<b dir="auto">${item.title ? marked(item.title, search) : t('app.new')}</b>${below(words, excerpts[item.id] ? undefined : item.pageTitle)}${sign}`
  if (view.store.selected) return html`${tick(view, item, look, face)}`
  return html`<a class="conv ${look}"
      href=${(view.conversationHref || '?conversation={id}').replace('{id}', encodeURIComponent(item.id))}
      aria-current=${ifDefined(isCurrent ? 'true' : undefined)} @click=${open}>${face}</a
  >`
}

/** Draws the line below the title: the page that the conversation was about, then its state or time. */
function below(words: unknown, page: string | undefined): TemplateResult {
  return page
    ? html`<small class="fine about ellipsis"><span class="ellipsis" dir="auto">${page}</span> <span>${words}</span></small>`
    : html`<small class="fine ellipsis">${words}</small>`
}

/** Draws the actions of a conversation in its row. They are visible while the row has the pointer or focus. */
function deeds(view: View, item: Summary): unknown {
  const { t, store } = view
  if (store.selected || isBusy(item.status)) return nothing
  const deed = (choice: Choice, sign: Icon) => {
    const name = t('writing.named', { name: t(`menu.${choice}`), text: item.title || t('app.new') })
    return html`<button class="icon-btn icon-btn-sm" type="button" aria-label=${name} title=${t(`menu.${choice}`)} @click=${() => putAway(view, item, choice)}>
      ${icon(sign)}
    </button>`
  }
  return html`<div class="row-deeds">${deed(item.archived ? 'unarchive' : 'archive', 'archive')}${deed('delete', 'trash')}</div>`
}

function state(view: View, item: Summary) {
  const { t, format, conversation } = view
  const when = format.when(item.updatedAt, Date.now())
  if (isBusy(item.status)) {
    const since = conversation.id === item.id && conversation.runningSince
    const words = since
      ? t('history.working', { elapsed: format.elapsed(Date.now() - since) })
      : t('history.workingPlain')
    return { look: 'is-run', sign: icon('spin', 'sign'), words }
  }
  if (item.status === 'awaiting_approval')
    return { look: 'is-wait', sign: icon('shield', 'sign'), words: t('history.waiting', { when }) }
  if (item.status === 'failed')
    return { look: 'is-bad', sign: icon('warning', 'sign'), words: t('history.failed', { when }) }
  const { excerpts, search } = view.store.listing.drawn
  const excerpt = excerpts[item.id]
  return { look: '', sign: nothing, words: excerpt ? marked(excerpt, search) : when }
}

/** Marks the words of a search in a text, regardless of case. */
function marked(text: string, search: string): unknown {
  const words = search.split(/\s+/u).filter(Boolean)
  if (words.length === 0) return text
  const literal = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  // `split` returns the captured words at odd positions.
  return text
    .split(new RegExp(`(${literal.join('|')})`, 'iu'))
    .map((part, at) => (at % 2 === 0 ? part : html`<mark>${part}</mark>`))
}
