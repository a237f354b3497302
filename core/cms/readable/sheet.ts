/** Begins and ends what no text of a value can hold: `readable` refuses a value with one of them in it. */
export const open = '⟦'
/** The end of a mark. */
export const close = '⟧'

/** Deeper lists and rows are not set in further. */
const maxIndent = 8

/** Lines of a readable form, as they are written from beginning to end. */
export class Sheet {
  readonly #lines: string[] = []
  #line = ''
  /** The line is empty or ends with a space. To look at its end would copy it each time. */
  #isSpaced = true
  /** The line holds nothing but the sign of its item. */
  #isFresh = false
  #wantsGap = false

  /** Words within a line; runs of spaces are one. */
  words(text: string): void {
    const words = text.replace(/[ \t\r\n\f]+/g, ' ')
    this.#add(this.#isSpaced && words.startsWith(' ') ? words.slice(1) : words)
  }

  /** Text with its own lines and spaces. */
  lines(text: string): void {
    for (const [at, line] of text.split(/\r?\n/).entries()) {
      if (at > 0) this.break()
      this.#add(line)
    }
  }

  /** Marks source that is no text of a person: shown as it is, between brackets that no text has. */
  mark(source: string): void {
    this.#add(`${open}${source.replace(/\s+/g, ' ').trim()}${close}`)
  }

  /** Marks source in front of a text. */
  label(source: string): void {
    this.mark(source)
    this.#add(' ')
  }

  /** The next output begins a line. */
  break(): void {
    if (this.#isFresh) return
    this.#flush()
  }

  /** The next output is a paragraph of its own. */
  paragraph(): void {
    if (this.#isFresh) return
    this.#flush()
    this.#wantsGap = true
  }

  /** Begins an item of a list, set in by its depth (0: not at all), with its sign. */
  item(depth: number, sign: string): void {
    this.#flush()
    this.#add(`${'  '.repeat(Math.max(0, Math.min(depth, maxIndent)))}${sign} `)
    this.#isFresh = true
  }

  /** An item ends here, also one without words. */
  end(): void {
    this.#flush()
  }

  /** All lines. */
  text(): string {
    this.#flush()
    return this.#lines.join('\n')
  }

  #add(text: string): void {
    if (text === '') return
    if (this.#line === '' && this.#wantsGap && this.#lines.length > 0) this.#lines.push('')
    this.#wantsGap = false
    this.#line += text
    this.#isSpaced = text.endsWith(' ')
    this.#isFresh = false
  }

  #flush(): void {
    const line = this.#line.trimEnd()
    if (line !== '') this.#lines.push(line)
    this.#line = ''
    this.#isSpaced = true
    this.#isFresh = false
  }
}
