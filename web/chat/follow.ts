import type { ChangedDetail, OpenPlace } from './events.ts'
import { idIn, prefixIn } from './view/record-link.ts'

/** The attributes of the script tag that describe the addresses of records in the backend. */
type FollowData = {
  /** The address of a record, with `{table}` and `{uid}`. */
  recordHref: string
  /** The selector of the heading with the record's title. */
  follow: string
  /** The type of the page records. */
  pages: string | undefined
}

/** Words that replace the id in the address of a record that is not stored yet. */
const unstored = ['create', 'new']

/** Returns the record that an address names; undefined if the address names no record. */
export function recordAt(recordHref: string, address: Location | URL) {
  return recordHref
    .split(' ')
    .map((template) => recordIn(template, address))
    .find(Boolean)
}

function recordIn(template: string, { pathname, search }: Location | URL) {
  const whole = template.includes('?') ? pathname + search : pathname
  const prefix = prefixIn(template)
  const pattern = template
    .replace(`{${prefix}table}`, '{table}')
    .replace(/[.*+?^$()|[\]\\/-]/g, '\\$&')
    .replace('{table}', '(?<table>[\\w.-]+)')
    .replace('{uid}', '(?<uid>[\\w.~-]+)')
  const { table, uid = '1' } = new RegExp(`^${pattern}$`).exec(whole)?.groups ?? {}
  return table && !unstored.includes(uid) ? { table: prefix + table, uid: idIn(uid) } : undefined
}

/**
 * Keeps a panel up to date with a backend that changes pages without a reload. The address names the open record;
 * `data-theme` of the document is the theme. If the chat has changed the open record, the page is reloaded. Otherwise a
 * save in the page's form would restore old values.
 */
export function followPage(panel: HTMLElementTagNameMap['ai-chat-panel'], data: FollowData): void {
  let isDue = false
  const look = () => {
    isDue = false
    const context = placeOf(data)
    if (JSON.stringify(panel.context) !== JSON.stringify(context)) panel.context = context
    const { theme } = document.documentElement.dataset
    if (theme && panel.dataset.theme !== theme) panel.dataset.theme = theme
  }
  const observer = new MutationObserver(() => {
    if (!isDue) requestAnimationFrame(look)
    isDue = true
  })
  observer.observe(document.documentElement, {
    childList: true,
    subtree: true,
    attributeFilter: ['data-theme'],
  })
  look()
  panel.addEventListener('ai-chat-changed', ({ detail }) => {
    if (isOpenIn(detail, data)) location.reload()
  })
}

function placeOf({ recordHref, follow, pages }: FollowData): OpenPlace | null {
  const open = recordAt(recordHref, location)
  if (!open) return null
  const heading = follow && document.querySelector(follow)?.textContent?.trim()
  const isPage = open.table === pages
  const title = heading || document.title
  return { pageId: open.uid, ...(!isPage && { table: open.table }), module: 'page', title }
}

function isOpenIn({ records }: ChangedDetail, { recordHref }: FollowData): boolean {
  const open = recordAt(recordHref, location)
  return records.some(({ table, uid }) => table === open?.table && String(uid) === String(open.uid))
}
