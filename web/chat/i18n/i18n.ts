/// <reference types="vite/types/importMeta.d.ts" />
import type { Key, Labels, Sentence } from '../../../core/base/languages/sentence.ts'
import { once } from '../lazy.ts'

type Params = Record<string, string | number>

/** Returns the label for a key in the language of the interface, or the text of the stage's sentence. */
export type Translate = (key: Key | { words: Sentence }, params?: Params) => string

const files = import.meta.glob<Labels>('../../../core/base/languages/*/chat.json', { import: 'default' })
/** The function that loads each language's labels; each folder of `core/base/languages` is a language. */
const loaders = new Map(Object.entries(files).map(([path, load]) => [path.split('/').at(-2) ?? '', load]))

/** Returns the interface language for a requested language tag; English if there is no match. */
export function languageOf(tag: string | null | undefined): string {
  const wanted = (tag ?? '').toLowerCase().split('-')[0] ?? ''
  return loaders.has(wanted) ? wanted : 'en'
}

/** Returns the labels of a language. The first call loads them; a failed load is repeated until it succeeds. */
export async function labelsOf(language: string): Promise<Partial<Labels>> {
  try {
    return (await loaders.get(language)?.()) ?? {}
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    return labelsOf(language)
  }
}

/** Returns a noun as the language writes it within a sentence. */
export function noun(t: Translate, word: string): string {
  return t('writing.nouns') === 'small' ? word.toLowerCase() : word
}

/**
 * Formats a count with separators between thousands: `1,200`. The browser's first number formatter would cost more time
 * than the first drawing.
 */
function grouped(count: number, separator: string): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, separator)
}

/**
 * Returns a function that gives the labels of a language. The function replaces `{name}` with the parameter `name`; the
 * parameter `count` selects the plural form.
 */
export function translator(language: string, labels: Partial<Labels>): Translate {
  const rules = once(() => new Intl.PluralRules(language))
  const separator = String(labels['writing.thousands'] ?? ',')
  const say = (value: string | number) => (typeof value === 'number' ? grouped(value, separator) : value)
  return (key, params = {}) => {
    const entry: Sentence | undefined = typeof key === 'string' ? labels[key] : key.words
    if (entry === undefined) return String(key)
    const text = typeof entry === 'string' ? entry : entry[plural(rules(), params.count)]
    if (!text.includes('{')) return text
    return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
      params[name] === undefined ? whole : say(params[name]),
    )
  }
}

function plural(rules: Intl.PluralRules, count: string | number | undefined): 'one' | 'other' {
  return rules.select(Number(count)) === 'one' ? 'one' : 'other'
}
