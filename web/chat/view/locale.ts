import { labelsOf, languageOf, type Translate, translator } from '../i18n/i18n.ts'
import { Format } from '../reader-format.ts'
import type { ChatStore } from '../store/chat-store.ts'

/** The language that a view speaks: its words, and how it writes times. */
export class Locale {
  /** null: none has been chosen yet. */
  language: string | null = null
  t: Translate = translator('en', {})
  format = new Format('en', this.t)
  /** Ends when the words of the chosen language are there. */
  ready: Promise<void> = Promise.resolve()
  readonly #changed: () => void
  /** The store that was asked last, and in which language. */
  #asked: { store: ChatStore | null; tag: string } = { store: null, tag: '' }

  constructor(changed: () => void) {
    this.#changed = changed
  }

  /**
   * Makes the stage answer in the language that the page chose for an element, once for each choice. Elements of one
   * page share a store, so the last choice wins. An element without a language chooses none.
   */
  chooseFor(store: ChatStore | null, tag = ''): void {
    const before = this.#asked
    if (before.store === store && before.tag === tag) return
    this.#asked = { store, tag }
    const language = tag ? languageOf(tag) : null
    if (!store || (!tag && !before.tag) || store.language === language) return
    store.language = language
    if (store.status) void store.refresh()
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
