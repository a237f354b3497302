/// <reference types="vite/types/importMeta.d.ts" />
import english from '../../core/base/languages/en/backend.json'
import type { Label } from '../../core/base/languages/sentence.ts'

/** The name of the reference backend's site. */
export const site = 'Northlight'

const files = import.meta.glob<Record<Label, string>>(
  ['../../core/base/languages/*/backend.json', '!../../core/base/languages/en/backend.json'],
  { import: 'default' },
)
/** Loads the labels of a language: each folder of `core/base/languages` is one, and English is bundled. */
const loaders = new Map(Object.entries(files).map(([path, load]) => [path.split('/').at(-2) ?? '', load]))
let current = 'en'
let labels: Record<Label, string> = english
/** The language that was asked for last: the labels of an earlier one may come later. */
let wanted = current

/** The language of the interface; changes only at login and logout, before anything is drawn in it. */
export function language(): string {
  return current
}

/**
 * Sets the language of interface and document, and its direction, as soon as its labels are here. A language without
 * labels shows the English ones. Rejects when they cannot be fetched.
 */
export async function speak(lang: string): Promise<void> {
  wanted = lang
  const fetched = (await loaders.get(lang)?.()) ?? english
  if (lang !== wanted) return
  current = lang
  labels = fetched
  document.documentElement.lang = isKnown(lang) ? lang : 'en'
  document.documentElement.dir = direction(lang)
}

function isKnown(lang: string): boolean {
  return lang === 'en' || loaders.has(lang)
}

/** The label in the language of the interface. */
export function t(label: Label, params: Record<string, string | number> = {}): string {
  return labels[label].replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ''))
}

/** Text of another script inside a sentence, so that it does not disturb the order of the rest. */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`
}

const rightToLeft = new Set(['ar', 'dv', 'fa', 'he', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi'])

/** The direction in which a language is written. */
export function direction(lang: string): 'ltr' | 'rtl' {
  return rightToLeft.has(lang.toLowerCase().split('-')[0] ?? '') ? 'rtl' : 'ltr'
}

/** The first of the browser's languages that the backend speaks or mirrors for, without its region. */
export function preferred(languages: readonly string[]): string {
  const known = languages.map((lang) => lang.toLowerCase().split('-')[0] ?? '')
  return known.find((lang) => isKnown(lang) || rightToLeft.has(lang)) ?? 'en'
}

/** A past day: `18 Nov`, with the year if it is not the current one. */
export function day(at: string, now = new Date()): string {
  const date = new Date(at)
  const year = date.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' as const }
  return date.toLocaleDateString(locale(), { day: 'numeric', month: 'short', ...year })
}

/** A day of a calendar, `YYYY-MM-DD`: `18 Nov 2026`. */
export function date(text: string): string {
  const style = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const
  return new Date(text).toLocaleDateString(locale(), style)
}

/** A count in groups of thousands. */
export function amount(count: number): string {
  return count.toLocaleString(locale())
}

/** A share of one in percent, with the two digits that tell most. */
export function percent(share: number): string {
  return share.toLocaleString(locale(), { style: 'percent', maximumSignificantDigits: 2 })
}

/** `$12.40`; below a cent with as many digits as tell something. */
export function dollars(sum: number): string {
  const digits = sum > 0 && sum < 0.01 ? { maximumSignificantDigits: 1 } : {}
  const style = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', ...digits } as const
  return sum.toLocaleString(locale(), style)
}

/** Day and time of something that happened. */
export function moment(at: string): string {
  return new Date(at).toLocaleString(locale(), {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })
}

/** The time until something is possible, in words: `in 12 minutes`. */
export function until(ms: number): string {
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: 'always' })
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  return seconds < 90 ? format.format(seconds, 'second') : format.format(Math.ceil(seconds / 60), 'minute')
}

/** English as the design writes it: the day before the month. */
function locale(): string {
  return current === 'en' ? 'en-GB' : current
}
