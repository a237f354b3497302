/** The languages of the service. Each room has its words in all of them: another language is a line here, and data there. */
export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]

/** Something in every language of the service. */
export type Translated<T = string> = Record<Language, T>

/** A sentence; where `{count}` decides its form, the sentence for one and the sentence for any other number. */
export type Sentence = string | { one: string; other: string }

/** The language for a reader who asks for `tag` (`de`, `de-AT`); English where the service does not speak it. */
export function languageOf(tag: string): Language {
  const wanted = tag
    .toLowerCase()
    .split(/[-_,;]/)[0]
    ?.trim()
  return languages.find((language) => language === wanted) ?? 'en'
}

/** What a reader of the language gets; English where the service does not speak it. */
export function inLanguage<T>(all: Translated<T>, lang: string): T {
  return all[languageOf(lang)]
}

/** The sentence in its form for `{count}`, each `{name}` in it replaced by the parameter of that name. */
export function filled(sentence: Sentence, lang: string, params: Record<string, string | number>): string {
  const text = typeof sentence === 'string' ? sentence : sentence[form(lang, Number(params.count))]
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ''))
}

function form(lang: string, count: number): 'one' | 'other' {
  return new Intl.PluralRules(languageOf(lang)).select(count) === 'one' ? 'one' : 'other'
}
