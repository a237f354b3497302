/** The start of a mark. No text of a value contains it: `readable` refuses a value with such a bracket. */
export const open = '⟦'
/** The end of a mark. */
export const close = '⟧'

/** Maximum indent; deeper lists and rows get no further indent. */
const maxIndent = 8

/** Collects the lines of a readable form from its beginning to its end. */
export class Sheet {
  readonly #lines: string[] = []
  #line = ''
  /** True if the line is empty or ends with a space. A check of the line itself would copy the line each time. */
  #isSpaced = true
  /** True if the line contains only the sign of its item. */
  #isFresh = false
  #wantsGap = false

  /** Adds words to a line; joins runs of spaces into one space. */
  words(text: string): void {
    const words = text.replace(/[ \t\r\n\f]+/g, ' ')
    this.#add(this.#isSpaced && words.startsWith(' ') ? words.slice(1) : words)
  }

  /** Adds a text with its own lines and spaces. */
  lines(text: string): void {
    for (const [at, line] of text.split(/\r?\n/).entries()) {
      if (at > 0) this.break()
      this.#add(line)
    }
  }

  /** Adds source that is no text of a person: as it is, between brackets that no text contains. */
  mark(source: string): void {
    this.#add(`${open}${source.replace(/\s+/g, ' ').trim()}${close}`)
  }

  /** Adds source before a text. */
  label(source: string): void {
    this.mark(source)
    this.#add(' ')
  }

  /** Makes the next output begin a line. */
  break(): void {
    if (this.#isFresh) return
    this.#flush()
  }

  /** Makes the next output begin a paragraph. */
  paragraph(): void {
    if (this.#isFresh) return
    this.#flush()
    this.#wantsGap = true
  }

  /** Begins a list item with its sign, indented by its depth (0: no indent). */
  item(depth: number, sign: string): void {
    this.#flush()
    this.#add(`${'  '.repeat(Math.max(0, Math.min(depth, maxIndent)))}${sign} `)
    this.#isFresh = true
  }

  /** Ends an item, also an item without words. */
  end(): void {
    this.#flush()
  }

  /** Returns all lines. */
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
