/// <reference types="vite/types/importMeta.d.ts" />
import type { Key, Labels, Sentence } from '../../../core/base/languages/sentence.ts'
import { once } from '../lazy.ts'

type Params = Record<string, string | number>

/** The labels of the interface in one language by key; of sentences from the stage, their text. */
export type Translate = (key: Key | { words: Sentence }, params?: Params) => string

const files = import.meta.glob<Labels>('../../../core/base/languages/*/chat.json', { import: 'default' })
/** Loads the labels of a language: each folder of `core/base/languages` is one. */
const loaders = new Map(Object.entries(files).map(([path, load]) => [path.split('/').at(-2) ?? '', load]))

/** The interface language for a requested tag; English if there is no match. */
export function languageOf(tag: string | null | undefined): string {
  const wanted = (tag ?? '').toLowerCase().split('-')[0] ?? ''
  return loaders.has(wanted) ? wanted : 'en'
}

/** The labels of a language, fetched when they are first needed; tried again until the connection allows it. */
export async function labelsOf(language: string): Promise<Partial<Labels>> {
  try {
    return (await loaders.get(language)?.()) ?? {}
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    return labelsOf(language)
  }
}

/** A noun within a sentence, as the language writes it there. */
export function noun(t: Translate, word: string): string {
  return t('writing.nouns') === 'small' ? word.toLowerCase() : word
}

/** `1,200`. Every number is a count; the browser's first number formatter costs more than the first picture. */
function grouped(count: number, separator: string): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, separator)
}

/** Words of a language. `{name}` is replaced by the parameter; `{count}` also chooses the plural form. */
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
