import type { Key } from '../../../core/base/languages/sentence.ts'
import type { StatusAnswer } from '../../../core/chat/status-request.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import type { RecordName } from '../../../core/conversation/transcript/schema.ts'
import { type NavigateDetail, sendChatEvent } from '../events.ts'
import type { Translate } from '../i18n/i18n.ts'

type Staged = { readonly store: { readonly status: StatusAnswer | null } }

/** Returns the name of the table of pages; `pages` if it is not known yet, and null if the CMS has no page tree. */
export function pageTable({ store }: Staged): string | null {
  return store.status ? store.status.pages : 'pages'
}

/** Returns the prefix of the types that a template serves, such as `global.` in `{global.table}`; often empty. */
export const prefixIn = (template: string): string => /{([\w.]*)table}/.exec(template)?.[1] ?? ''

/** Returns the address of a record in the surrounding page. */
export function recordHref({ recordHref }: { recordHref: string }, table: string, uid: RecordId): string {
  const [first = '', ...others] = recordHref.split(' ')
  const template = others.find((it) => table.startsWith(prefixIn(it))) ?? first
  const prefix = prefixIn(template)
  return template
    .replace(`{${prefix}table}`, encodeURIComponent(table.slice(prefix.length)))
    .replace('{uid}', encodeURIComponent(uid))
}

/** Returns the id in a text: a number if the text has only digits (at most 15), else the text. */
export const idIn = (text: string): RecordId => (/^[0-9]{1,15}$/.test(text) ? Number(text) : text)

/** Opens a record: the surrounding page may handle the event; else the browser follows the link. */
export function navigate(view: EventTarget, event: Event, detail: NavigateDetail): void {
  if (!sendChatEvent(view, 'ai-chat-navigate', detail)) event.preventDefault()
}

/** Returns the label of a table's records. */
export function tableWord({ t }: { readonly t: Translate }, table: string): string {
  const key = `table.${table}` as Key
  const word = t(key)
  return word === key ? table : word
}

/** Returns the name of a record, or else the label of its table, with its id. */
export function recordName(view: { readonly t: Translate }, { table, uid, title }: RecordName): string {
  return `${title || tableWord(view, table)} [${uid}]`
}
