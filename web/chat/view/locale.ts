import { Format } from '../format.ts'
import { labelsOf, languageOf, type Translate, translator } from '../i18n/i18n.ts'
import type { ChatStore } from '../store/store.ts'

/** Asks the stage for its words in the language that the page chose, and again for what it has in another language. */
export function chooseFor(store: ChatStore | null, tag: string): void {
  const language = tag ? languageOf(tag) : null
  if (!store || store.language === language) return
  store.language = language
  if (store.status) void store.refresh()
}

/** The language that a view speaks: its words, and how it writes times. */
export class Locale {
  /** null: none has been chosen yet. */
  language: string | null = null
  t: Translate = translator('en', {})
  format = new Format('en', this.t)
  /** Ends when the words of the chosen language are there. */
  ready: Promise<void> = Promise.resolve()
  readonly #changed: () => void

  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** Speaks the language of the first tag that is given. */
  choose(...tags: (string | null | undefined)[]): void {
    const language = languageOf(tags.find(Boolean))
    if (language === this.language) return
    this.language = language
    this.ready = labelsOf(language).then((labels) => {
      if (language !== this.language) return
      this.t = translator(language, labels)
      this.format = new Format(language, this.t)
      this.#changed()
    })
  }
}
