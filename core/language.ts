import type { Catalogue, Sentence } from './languages/sentence.ts'

/** The folders of `core/languages` beyond English and German, whose sentences are in the code itself. */
const folders: Record<string, () => Promise<{ sentences: Catalogue }>> = {
  fr: () => import('./languages/fr/sentences.ts'),
}
const catalogues: Record<string, Catalogue> = {}

/** The languages of the service. */
export const languages: readonly string[] = ['en', 'de', ...Object.keys(folders)]

/** Loads the sentences of a language, once in a process. Until then its readers get English. */
export async function learn(tag: string): Promise<void> {
  const language = languageOf(tag)
  const folder = folders[language]
  if (folder) catalogues[language] ??= (await folder()).sentences
}

/** Something in the languages that the code itself has. */
export type Translated<T = string> = { en: T; de: T }

/** The language for a reader who asks for `tag` (`de`, `de-AT`); English where the service does not speak it. */
export function languageOf(tag: string): string {
  const wanted = tag
    .toLowerCase()
    .split(/[-_,;]/)[0]
    ?.trim()
  return languages.find((language) => language === wanted) ?? 'en'
}

/** What a reader of the language gets; English where the service does not speak it. */
export function inLanguage<T>(all: Translated<T>, lang: string): T {
  const language = languageOf(lang)
  return (all as Record<string, T>)[language] ?? inCatalogue(catalogues[language] ?? {}, all.en)
}

/** English words with each sentence as the catalogue has it; a sentence that it lacks stays English. */
export function inCatalogue<T>(catalogue: Catalogue, words: T): T {
  if (typeof words === 'string') return (catalogue[words] ?? words) as T
  if (typeof words !== 'object' || words === null) return words
  return Object.fromEntries(
    Object.entries(words).map(([name, one]) => [name, inCatalogue(catalogue, one)]),
  ) as T
}

/** Words that are made for each language of the service. */
export function inEach<T>(make: (lang: string) => T): Translated<T> {
  return Object.fromEntries(languages.map((lang) => [lang, make(lang)])) as Translated<T>
}

/** The sentence in its form for `{count}`, each `{name}` in it replaced by the parameter of that name. */
export function filled(sentence: Sentence, lang: string, params: Record<string, string | number>): string {
  const text = typeof sentence === 'string' ? sentence : sentence[form(lang, Number(params.count))]
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ''))
}

function form(lang: string, count: number): 'one' | 'other' {
  return new Intl.PluralRules(languageOf(lang)).select(count) === 'one' ? 'one' : 'other'
}
