import { type English, inLanguage } from '../../base/language.ts'

/** The words that readable forms add to those of the value. */
export type Words = { heading: string; image: string }

const words: English<Words> = { en: { heading: 'Heading {level}', image: 'Image' } }

/** The words in the language of a reader. */
export function wordsOf(lang: string): Words {
  return inLanguage(words, lang)
}
