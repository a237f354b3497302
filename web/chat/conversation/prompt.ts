import type { Key } from '../../../core/languages/en/chat.ts'
import type { OpenPlace } from '../events.ts'
import type { Icon } from '../icon.ts'

/** What one might ask before the first message. `needs` a page that is open, or one that the user may change. */
export type Prompt = { sign: Icon; key: Key; tool: string; needs?: 'page' | 'edit' }

const onPage: Prompt[] = [
  { sign: 'page', key: 'prompt.summary', tool: 'get_page_content', needs: 'page' },
  { sign: 'search', key: 'prompt.find', tool: 'search_records', needs: 'page' },
  { sign: 'pencil', key: 'prompt.shorten', tool: 'update_record', needs: 'edit' },
  { sign: 'clock', key: 'prompt.who', tool: 'get_record_history', needs: 'page' },
]
const inLog: Prompt[] = [
  { sign: 'warning', key: 'prompt.exceptions', tool: 'get_last_exception' },
  { sign: 'log', key: 'prompt.errors', tool: 'fetch_logs' },
  { sign: 'info', key: 'prompt.status', tool: 'get_system_status' },
]
const inList: Prompt[] = [
  { sign: 'record', key: 'prompt.explain', tool: 'list_records' },
  { sign: 'clock', key: 'prompt.who', tool: 'get_record_history', needs: 'page' },
]
const anywhere: Prompt[] = [
  { sign: 'list', key: 'prompt.tree', tool: 'get_page_tree' },
  { sign: 'search', key: 'prompt.missing', tool: 'check_site' },
  { sign: 'record', key: 'prompt.news', tool: 'search_records' },
  { sign: 'info', key: 'prompt.status', tool: 'get_system_status' },
  { sign: 'image', key: 'prompt.pictures', tool: 'view_image' },
]

/** At most four that fit the place and the tools that the user may use, each once. */
export function promptsFor(place: OpenPlace | null, tools: readonly string[]): Prompt[] {
  const module = place?.module ?? ''
  const own = /log/i.test(module) ? inLog : /list/i.test(module) ? inList : []
  const hasPage = place !== null && place.pageId !== 0
  const fits = ({ needs }: Prompt) => !needs || (hasPage && (needs === 'page' || place.mayEdit !== false))
  const fitting = [...own, ...onPage, ...anywhere].filter(
    (prompt) => fits(prompt) && tools.includes(prompt.tool),
  )
  return [...new Map(fitting.map((prompt) => [prompt.key, prompt])).values()].slice(0, 4)
}
