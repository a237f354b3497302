import { labelsOf, languageOf, type Translate, translator } from '../i18n/i18n.ts'
import { Format } from '../reader-format.ts'
import type { ChatStore } from '../store/chat-store.ts'

/** The language of a view: its labels, and its formats. */
export class Locale {
  /** The language; null before the first choice. */
  language: string | null = null
  t: Translate = translator('en', {})
  format = new Format('en', this.t)
  /** Resolves when the labels of the chosen language are loaded. */
  ready: Promise<void> = Promise.resolve()
  readonly #changed: () => void
  /** The last store and the last language for which `chooseFor` was called. */
  #asked: { store: ChatStore | null; tag: string } = { store: null, tag: '' }

  constructor(changed: () => void) {
    this.#changed = changed
  }

  /**
   * Sets the language of the stage's answers to the language that the page chose for an element, after each change.
   * Elements of one page share a store, so the last choice wins. An element without a language sets nothing.
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

  /** Chooses the language of the first tag that is set. */
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
