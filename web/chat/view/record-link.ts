import type { Key } from '../../../core/base/languages/sentence.ts'
import type { StatusAnswer } from '../../../core/chat/status-request.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import type { RecordName } from '../../../core/conversation/transcript/schema.ts'
import { type NavigateDetail, sendChatEvent } from '../events.ts'
import type { Translate } from '../i18n/i18n.ts'

/** The type of the site's pages, `pages` where it is not known yet; null: the CMS has no page tree. */
export function pagesOf({
  store,
}: {
  readonly store: { readonly status: StatusAnswer | null }
}): string | null {
  return store.status ? store.status.pages : 'pages'
}

/** The address of a record in the page around. */
export function recordHref({ recordHref }: { recordHref: string }, table: string, uid: RecordId): string {
  return recordHref.replace('{table}', encodeURIComponent(table)).replace('{uid}', encodeURIComponent(uid))
}

/** The id that a text is: a number where it is one of digits. */
export const idIn = (text: string): RecordId => (/^[0-9]{1,15}$/.test(text) ? Number(text) : text)

/** Takes the user to a record: by the page around, else by the link itself. */
export function navigate(view: EventTarget, event: Event, detail: NavigateDetail): void {
  if (!sendChatEvent(view, 'ai-chat-navigate', detail)) event.preventDefault()
}

/** The label of a table's records. */
export function tableWord({ t }: { readonly t: Translate }, table: string): string {
  const key = `table.${table}` as Key
  const word = t(key)
  return word === key ? table : word
}

/** A record by its name, or by what people call the records of its table. */
export function recordName(view: { readonly t: Translate }, { table, uid, title }: RecordName): string {
  return `${title || tableWord(view, table)} [${uid}]`
}
