import type { CmsRecord, Page, Value } from '../cms/schema.ts'
import { ToolError } from '../error.ts'
import type { RecordName } from '../transcript/schema.ts'

/**
 * How tools word what several of them show, so that the model meets one form: names in quotes, uids in brackets, marks
 * in parentheses, times in UTC.
 */

/** The refusal for what is not there and for what the actor may not see: both read the same. */
export function missing(what: string, hint = ''): ToolError {
  return new ToolError(`${what} was not found, or the user may not see it.${hint && ` ${hint}`}`, {
    outcome: 'missing',
  })
}

/** A name on one line, in quotes. */
export function quoted(name: string): string {
  return `“${cut(name.replace(/\s+/g, ' ').trim(), 200)}”`
}

/** The rootline of a page: `Home [1] > Products [2]`. */
export function pathOf(page: Page): string {
  return page.path.map(({ title, uid }) => `${title} [${uid}]`).join(' > ')
}

/** The marks that hold, in parentheses with a space before; nothing when none does. */
export function marks(...entries: [string, boolean][]): string {
  const held = entries.flatMap(([mark, holds]) => (holds ? [mark] : []))
  return held.length > 0 ? ` (${held.join(', ')})` : ''
}

/** A time to the minute: `2026-11-20 14:05 UTC`; `unknown` for none. */
export function when(iso: string | null): string {
  return iso ? `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC` : 'unknown'
}

/** `1 page`, `2 pages`; the plural is the word with an s unless named. */
export function count(number: number, word: string, plural = `${word}s`): string {
  return `${number} ${number === 1 ? word : plural}`
}

/** The stored value of a field in words: a list or a map as its JSON. */
export function shown(value: Value | undefined): string {
  if (value === null || value === undefined || value === '') return '(empty)'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** At most so many characters, with an ellipsis where something is left out. */
export function cut(text: string, length: number): string {
  const characters = [...text]
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`
}

/** A record in one line: `[12] “Aurora lamp” (hidden)`. */
export function recordLine(record: CmsRecord): string {
  return `[${record.uid}] ${quoted(record.title)}${marks(['hidden', record.hidden])}`
}

/** A record as the transcript names it. */
export function nameOf({ table, uid, title, pid }: CmsRecord): RecordName {
  return { table, uid, title, ...(table !== 'pages' && pid !== 0 && { page: pid }) }
}
