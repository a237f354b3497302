import { own } from './json.ts'
import type { Catalogue, Sentence } from './languages/sentence.ts'

/** Languages whose sentences have a folder in `core/base/languages`; the English sentences are in the code itself. */
const folders: Record<string, () => Promise<{ default: Catalogue }>> = {
  de: () => import('./languages/de/sentences.json', { with: { type: 'json' } }),
  fr: () => import('./languages/fr/sentences.json', { with: { type: 'json' } }),
}
const catalogues = new Map<string, Catalogue>()

/** The languages of the service. */
export const languages: readonly string[] = ['en', ...Object.keys(folders)]

/** Loads the sentences of a language, once per process. Before that, users of this language get English. */
export async function loadLanguage(tag: string): Promise<void> {
  const language = languageOf(tag)
  const folder = own(folders, language)
  if (folder && !catalogues.has(language)) catalogues.set(language, (await folder()).default)
}

/**
 * An English text, or an object of English texts. Each English text is the key of its translations in the folders of
 * the other languages.
 */
export type English<T = string> = { en: T }

/** Returns the language for a language tag (`de`, `de-AT`); English if the service does not support the language. */
export function languageOf(tag: string): string {
  const wanted = tag
    .toLowerCase()
    .split(/[-_,;]/)[0]
    ?.trim()
  return languages.find((language) => language === wanted) ?? 'en'
}

/**
 * Returns the value in a user's language; English if the service does not support the language or has not loaded it.
 */
export function inLanguage<T>(words: English<T>, lang: string): T {
  const language = languageOf(lang)
  return own(words as Record<string, T>, language) ?? inCatalogue(catalogues.get(language) ?? {}, words.en)
}

/** Translates English texts with a catalogue; a text that the catalogue lacks stays English. */
export function inCatalogue<T>(catalogue: Catalogue, words: T): T {
  if (typeof words === 'string') return (own(catalogue, words) ?? words) as T
  if (typeof words !== 'object' || words === null) return words
  return Object.fromEntries(
    Object.entries(words).map(([name, one]) => [name, inCatalogue(catalogue, one)]),
  ) as T
}

/** Fills in a sentence: chooses its form by `{count}`, and replaces each `{name}` by the parameter of that name. */
export function fillIn(sentence: Sentence, lang: string, params: Record<string, string | number>): string {
  const text = typeof sentence === 'string' ? sentence : sentence[pluralForm(lang, Number(params.count))]
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(own(params, name) ?? ''))
}

function pluralForm(lang: string, count: number): 'one' | 'other' {
  return new Intl.PluralRules(languageOf(lang)).select(count) === 'one' ? 'one' : 'other'
}
