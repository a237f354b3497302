import { once } from '../once.ts'
import type { Entry, Key, Labels } from './labels.ts'

export type Params = Record<string, string | number>

/** The words of the interface in one language, by their name; of those that the stage has handed over, the words. */
export type Translate = (key: Key | { words: Entry }, params?: Params) => string

/** The languages of the interface. */
export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]

/** The language of the interface for what a user or a page asks for: English where there is no other. */
export function languageOf(tag: string | null | undefined): Language {
  const wanted = (tag ?? '').toLowerCase().split('-')[0]
  return languages.find((language) => language === wanted) ?? 'en'
}

const loaders: Record<Language, () => Promise<Labels>> = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
}

/** The labels of a language, fetched when they are first needed; tried again until the connection allows it. */
export async function labelsOf(language: Language): Promise<Labels> {
  try {
    return await loaders[language]()
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    return labelsOf(language)
  }
}

const separators: Record<Language, string> = { en: ',', de: '.' }

/** A noun within a sentence: only a language that writes nouns large keeps it as it is. */
export const noun: Record<Language, (word: string) => string> = {
  en: (word) => word.toLowerCase(),
  de: (word) => word,
}

/** `1,200`. Every number is a count; the browser's first number formatter costs more than the first picture. */
function grouped(count: number, language: Language): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, separators[language])
}

/** Words of a language. `{name}` is replaced by the parameter; `{count}` also chooses the plural form. */
export function translator(language: Language, labels: Partial<Labels>): Translate {
  const rules = once(() => new Intl.PluralRules(language))
  const say = (value: string | number) => (typeof value === 'number' ? grouped(value, language) : value)
  return (key, params = {}) => {
    const entry: Entry | undefined = typeof key === 'string' ? labels[key] : key.words
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
