/// <reference types="vite/types/importMeta.d.ts" />
import english from '../../core/base/languages/en/backend.json'
import type { Label } from '../../core/base/languages/sentence.ts'

/** The name of the reference backend's site. */
export const site = 'Northlight'

const files = import.meta.glob<Record<Label, string>>(
  ['../../core/base/languages/*/backend.json', '!../../core/base/languages/en/backend.json'],
  { import: 'default' },
)
/** Functions that load the labels of a language: one per folder of `core/base/languages`. English is bundled. */
const loaders = new Map(Object.entries(files).map(([path, load]) => [path.split('/').at(-2) ?? '', load]))
let current = 'en'
let labels: Record<Label, string> = english
/** The language that was requested last; labels of an earlier request may arrive later and are dropped. */
let wanted = current

/** Returns the language of the interface. It changes only at login and logout, before anything is drawn in it. */
export const language = (): string => current

/**
 * Loads the labels of a language, then sets it, with its direction, for interface and document. A language without
 * labels shows English labels. Rejects if the labels cannot be loaded.
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

const isKnown = (lang: string): boolean => lang === 'en' || loaders.has(lang)

/** Returns the label in the language of the interface, with its parameters filled in. */
export function t(label: Label, params: Record<string, string | number> = {}): string {
  return labels[label].replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ''))
}

/** Isolates text inside a sentence, so that its direction does not change the order of the other words. */
export const isolated = (text: string): string => `\u2068${text}\u2069`

const rightToLeft = new Set(['ar', 'dv', 'fa', 'he', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi'])

/** Returns the direction in which a language is written. */
export function direction(lang: string): 'ltr' | 'rtl' {
  return rightToLeft.has(lang.toLowerCase().split('-')[0] ?? '') ? 'rtl' : 'ltr'
}

/** Returns the first browser language, without region, that has labels or is written from right to left; else `en`. */
export function preferred(languages: readonly string[]): string {
  const known = languages.map((lang) => lang.toLowerCase().split('-')[0] ?? '')
  return known.find((lang) => isKnown(lang) || rightToLeft.has(lang)) ?? 'en'
}

/** Formats a past day, such as `18 Nov`, with the year if it is not the current year; `clock` adds the time. */
export function day(at: string, now = new Date(), clock: Intl.DateTimeFormatOptions = {}): string {
  const date = new Date(at)
  const year = date.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' as const }
  return date.toLocaleString(locale(), { day: 'numeric', month: 'short', ...year, ...clock })
}

/** Formats a calendar day: `YYYY-MM-DD` becomes `18 Nov 2026`. */
export function date(text: string): string {
  const style = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const
  return new Date(text).toLocaleDateString(locale(), style)
}

/** Formats a count with separators between thousands. */
export const amount = (count: number): string => count.toLocaleString(locale())

/** Formats a past time: the day as `day` does, with hour and minute. */
export const moment = (at: string, now = new Date()): string =>
  day(at, now, { hour: '2-digit', minute: '2-digit' })

/** Formats the remaining time in words, such as `in 12 minutes`. */
export function until(ms: number): string {
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: 'always' })
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  return seconds < 90 ? format.format(seconds, 'second') : format.format(Math.ceil(seconds / 60), 'minute')
}

/** Returns the locale for dates and numbers; English is British, so that the day is before the month. */
export function locale(): string {
  return current === 'en' ? 'en-GB' : current
}
