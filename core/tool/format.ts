import { ToolError } from '../base/error.ts'
import { cut } from '../base/safety/invisible.ts'
import type { Capabilities } from '../cms/capabilities.ts'
import type { CmsRecord, Page, Value } from '../cms/schema.ts'
import type { RecordName } from '../conversation/transcript/schema.ts'

/**
 * Formats values for several tools, so that the model always gets the same form: names in quotes, uids in brackets,
 * marks in parentheses, times in UTC.
 */

/**
 * Returns the error for a record that does not exist or that the actor may not see; the text is the same for both
 * cases.
 */
export function missing(what: string, hint = ''): ToolError {
  return new ToolError(`${what} was not found, or the user may not see it.${hint && ` ${hint}`}`, {
    outcome: 'missing',
  })
}

/** Returns a name on one line, in quotes. */
export const quoted = (name: string): string => `“${cut(name.replace(/\s+/g, ' ').trim(), 200)}”`

/** Returns the rootline of a page: `Home [1] > Products [2]`. */
export function pathOf(page: Page): string {
  return page.path.map(({ title, uid }) => `${title} [${uid}]`).join(' > ')
}

/**
 * Returns the address at which visitors open a record, or its editors while it is hidden; undefined if the CMS names no
 * address.
 */
export function urlOf(
  { addresses }: Pick<Capabilities, 'addresses'>,
  { addresses: [path] }: { addresses: readonly string[] },
): string | undefined {
  const [origin] = addresses?.origins ?? []
  const url = origin && path ? URL.parse(path, origin) : null
  const isOfSite =
    url?.origin === (origin && URL.parse(origin)?.origin) && /^https?:$/.test(url?.protocol ?? '')
  return isOfSite ? url?.href : undefined
}

/** Returns the true marks in parentheses after a space; empty if no mark is true. */
export function marks(...entries: [string, boolean][]): string {
  const held = entries.flatMap(([mark, holds]) => (holds ? [mark] : []))
  return held.length > 0 ? ` (${held.join(', ')})` : ''
}

/** Returns a time to the minute: `2026-11-20 14:05 UTC`; `unknown` for null. */
export function when(iso: string | null): string {
  return iso ? `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC` : 'unknown'
}

/** Returns `1 page` or `2 pages`; the default plural adds an s. */
export function count(number: number, word: string, plural = `${word}s`): string {
  return `${number} ${number === 1 ? word : plural}`
}

/**
 * Returns the line that says that a list was cut at its limit, with the ways to see the rest; empty if the list is
 * complete.
 */
export function moreLines(hasMore: boolean, limit: number, ...otherwise: string[]): string[] {
  const ways = [...(limit < 100 ? ['raise limit (at most 100)'] : []), ...otherwise].join(', or ')
  return hasMore ? [`There are more${ways && `: ${ways}`}.`] : []
}

/** Returns the stored value of a field as text: a list or a map as JSON. */
export function shown(value: Value | undefined): string {
  if (value === null || value === undefined || value === '') return '(empty)'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Returns a record on one line: `[12] “Aurora lamp” (hidden)`. */
export function recordLine(record: CmsRecord): string {
  return `[${record.uid}] ${quoted(record.title)}${marks(['hidden', record.hidden])}`
}

/** Returns a record's name for the transcript, with its page; for a page, with its parent. */
export function nameOf({ table, uid, title, pid }: CmsRecord): RecordName {
  return { table, uid, title, ...(pid !== 0 && { page: pid }) }
}
