import { html, type TemplateResult } from 'lit'
import type { Key } from '../i18n/labels.ts'
import { type Icon, icon } from '../icon.ts'
import { fill } from '../view/field.ts'
import type { View } from '../view/view.ts'

type Prompt = { sign: Icon; key: Key; tool: string }

const onPage: Prompt[] = [
  { sign: 'page', key: 'prompt.summary', tool: 'get_page_content' },
  { sign: 'search', key: 'prompt.find', tool: 'search_records' },
  { sign: 'pencil', key: 'prompt.shorten', tool: 'update_record' },
  { sign: 'clock', key: 'prompt.who', tool: 'get_record_history' },
]
const inLog: Prompt[] = [
  { sign: 'warning', key: 'prompt.exceptions', tool: 'get_last_exception' },
  { sign: 'log', key: 'prompt.errors', tool: 'fetch_logs' },
  { sign: 'info', key: 'prompt.status', tool: 'get_system_status' },
]
const inList: Prompt[] = [
  { sign: 'record', key: 'prompt.explain', tool: 'list_records' },
  { sign: 'clock', key: 'prompt.who', tool: 'get_record_history' },
]
const anywhere: Prompt[] = [
  { sign: 'list', key: 'prompt.tree', tool: 'get_page_tree' },
  { sign: 'search', key: 'prompt.missing', tool: 'search_records' },
  { sign: 'record', key: 'prompt.news', tool: 'list_records' },
  { sign: 'info', key: 'prompt.status', tool: 'get_system_status' },
]

/** Before the first message: what one might ask here. A click fills the field and does not send. */
export function empty(view: View): TemplateResult {
  const { t, place } = view
  const title = place && place.pageId > 0 ? t('empty.page', { title: place.title }) : t('empty.plain')
  return html`<div class="empty">
    <div>
      <h2>${title}</h2>
      <p>${t('empty.text')}</p>
    </div>
    <ul class="prompts">
      ${prompts(view).map(
        ({ sign, words }) => html`<li>
        <button type="button" @click=${() => fill(view, words)}>${icon(sign)}<span>${words}</span></button>
      </li>`,
      )}
    </ul>
  </div>`
}

/** Three or four that fit the open module and the tools that the user may use. */
function prompts(view: View): { sign: Icon; words: string }[] {
  const { t, store, place } = view
  const module = place?.module ?? ''
  const own = /log/i.test(module) ? inLog : /list/i.test(module) ? inList : []
  const fitting = [...own, ...(place && place.pageId > 0 ? onPage : []), ...anywhere]
  const tools = store?.status?.tools ?? []
  const usable = ({ tool }: Prompt) => tools.find(({ name }) => name === tool)?.available ?? false
  const title = place?.title ?? ''
  return fitting
    .filter((prompt) => usable(prompt) && (prompt.key !== 'prompt.find' || title))
    .slice(0, 4)
    .map(({ sign, key }) => ({ sign, words: t(key, { title }) }))
}
