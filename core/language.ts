/** Something in the two languages that the product speaks. */
export type Bilingual<T = string> = { en: T; de: T }

/** What a reader of the language gets; English for whoever reads neither. */
export function inLanguage<T>(both: Bilingual<T>, lang: string): T {
  return lang === 'de' ? both.de : both.en
}
