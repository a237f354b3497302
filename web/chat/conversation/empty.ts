import { html, type TemplateResult } from 'lit'
import type { Key } from '../../../core/base/languages/sentence.ts'
import type { OpenPlace } from '../events.ts'
import { type Icon, icon } from '../icon.ts'
import { lazy } from '../lazy.ts'
import { fill } from '../view/message-field.ts'
import { logModule, placeKind } from '../view/place.ts'
import { pageTable } from '../view/record-link.ts'
import type { View } from '../view/view.ts'

/** The conversations that wait or have ended, above the suggestions; loaded when a conversation is empty. */
const inbox = lazy(async () => (await import('./inbox.ts')).inbox)

/**
 * Draws a conversation before its first message: the conversations that wait or have ended, and suggestions. A click on
 * a suggestion fills the field.
 */
export function empty(view: View): TemplateResult {
  const { t } = view
  const place = knownPlace(view)
  const chosen = prompts(view, place)
  const title = place && place.pageId !== 0 ? t('empty.page', { title: place.title }) : t('empty.plain')
  return html`<div class="empty">
    <div>
      <h2>${title}</h2>
      <p>${t('empty.text')}</p>
    </div>
    ${inbox(view)}
    <ul class="prompts" ?hidden=${chosen.length === 0}>
      ${chosen.map(
        ({ sign, words }) =>
          html`<li><button type="button" @click=${() => fill(view, words)}>${icon(sign)}<span>${words}</span></button></li>`,
      )}
    </ul>
  </div>`
}

/** Returns the open place; null while its title is not known: the page may not be there. */
const knownPlace = ({ place }: View): OpenPlace | null => (place?.title === '…' ? null : place)

/** Returns the suggested prompts for the open place, in the user's language. */
function prompts(view: View, place: OpenPlace | null): { sign: Icon; words: string }[] {
  const { t, store } = view
  const pages = pageTable(view)
  const may = (store.status?.tools ?? []).filter(({ available }) => available).map(({ name }) => name)
  const title = place?.title ?? ''
  return promptsFor(place, may, pages).map(({ sign, key }) => ({ sign, words: t(key, { title }) }))
}

/**
 * A suggested first prompt, with the tools that its answer needs. `needs` is `page` for an open page, `edit` for a page
 * that the user may change, `record` for another record. `any` stands for a page or record.
 */
type Prompt = { sign: Icon; key: Key; tools: string[]; needs?: 'page' | 'edit' | 'record' | 'any' }

const onRecord: Prompt[] = [
  { sign: 'page', key: 'prompt.summary', tools: ['get_page_content'], needs: 'page' },
  { sign: 'search', key: 'prompt.find', tools: ['search_records'], needs: 'any' },
  { sign: 'pencil', key: 'prompt.shorten', tools: ['get_page_content', 'update_record'], needs: 'edit' },
  { sign: 'clock', key: 'prompt.who', tools: ['get_record_history'], needs: 'page' },
  { sign: 'record', key: 'prompt.summaryRecord', tools: ['get_record'], needs: 'record' },
  { sign: 'clock', key: 'prompt.whoRecord', tools: ['get_record_history'], needs: 'record' },
]
const inLog: Prompt[] = [
  { sign: 'warning', key: 'prompt.exceptions', tools: ['get_last_exception'] },
  { sign: 'log', key: 'prompt.errors', tools: ['fetch_logs'] },
  { sign: 'info', key: 'prompt.status', tools: ['get_system_status'] },
]
const inList: Prompt[] = [
  { sign: 'record', key: 'prompt.explain', tools: ['list_records'] },
  { sign: 'clock', key: 'prompt.who', tools: ['get_record_history'], needs: 'page' },
]
/** Prompts that no other place suggests: examples of a proposal, a batch and a translation. */
const inChat: Prompt[] = [
  { sign: 'pencil', key: 'prompt.describe', tools: ['check_site', 'update_record'] },
  { sign: 'image', key: 'prompt.pictures', tools: ['find_media', 'view_image', 'update_records'] },
  { sign: 'page', key: 'prompt.translate', tools: ['check_site', 'translate_record'] },
]
const anywhere: Prompt[] = [
  { sign: 'list', key: 'prompt.tree', tools: ['get_page_tree'] },
  { sign: 'search', key: 'prompt.missing', tools: ['check_site'] },
  { sign: 'record', key: 'prompt.about', tools: ['search_records'] },
  { sign: 'info', key: 'prompt.status', tools: ['get_system_status'] },
  { sign: 'image', key: 'prompt.pictures', tools: ['view_image'] },
]

function promptsIn(module: string, isAlone: boolean): readonly Prompt[] {
  if (logModule.test(module)) return inLog
  if (/list/i.test(module)) return inList
  return isAlone ? inChat : []
}

/** Returns at most four different prompts for the open place, the type of the site's pages, and the user's tools. */
export function promptsFor(place: OpenPlace | null, may: readonly string[], pages: string | null): Prompt[] {
  const module = place?.module ?? ''
  const own = promptsIn(module, !place || (place.pageId === 0 && /chat/i.test(module)))
  const kind = place ? placeKind(place, pages) : 'module'
  const isThere = {
    page: kind === 'page',
    edit: kind === 'page' && place?.mayEdit !== false,
    // A tool cannot read a record without its type.
    record: kind === 'record' && place?.table !== undefined,
    any: kind !== 'module',
  }
  const fitting = [...own, ...onRecord, ...anywhere].filter(
    ({ needs, tools }) => (!needs || isThere[needs]) && tools.every((tool) => may.includes(tool)),
  )
  return [...new Map(fitting.map((prompt) => [prompt.key, prompt])).values()].slice(0, 4)
}
