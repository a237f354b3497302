import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { own } from '../../base/json.ts'
import { Sheet } from './sheet.ts'

/**
 * The readable form of HTML. Every character of the source belongs to a text, a tag or a comment, and appears in the
 * readable form. Texts appear as text, tags of simple structure by their meaning, and everything else as source in a
 * mark (`sheet.ts`). An HTML parser would drop what browsers ignore; here nothing may be dropped.
 */

/** The words that readable forms add to the value. */
export type Words = { heading: string; image: string }

/** Elements whose content is shown as source, because it is no text with tags. */
const verbatim = new Set(
  'script style textarea title iframe noscript noembed noframes template xmp svg math object'.split(' '),
)
/** Elements that only begin a paragraph, or have no visible effect. */
const paragraphs = new Set(
  'p div section article header footer main figure figcaption table dl blockquote'.split(' '),
)
const lines = new Set(['tr', 'dt', 'dd', 'caption'])
const silent = new Set(['span', 'thead', 'tbody', 'tfoot', 'colgroup'])
const around = new Map([
  ['strong', '**'],
  ['b', '**'],
  ['em', '*'],
  ['i', '*'],
  ['code', '`'],
])
/** Default classes of WordPress blocks by element; any other class is shown. */
const ownClass: Record<string, RegExp> = {
  h: /^wp-block-heading$/,
  ul: /^wp-block-list$/,
  ol: /^wp-block-list$/,
  blockquote: /^wp-block-quote$/,
  figure: /^wp-block-(?:image|table)$/,
  figcaption: /^wp-element-caption$/,
  hr: /^wp-block-separator$/,
}
/** Block comments that only repeat the meaning of the element inside. */
const plainBlock =
  /^<!-- \/?wp:(?:(?:paragraph|list-item|quote|table|image|separator|list|heading) |heading \{"level":[1-6]\} |list \{"ordered":true\} )\/?-->$/

/** Returns the readable form of HTML; undefined if a tag or a comment has no end. */
export function readableHtml(html: string, words: Words): string | undefined {
  const reading = new Reading(words, !/<(?:p|br|div|li|h[1-6]|table)\b/i.test(html))
  for (let at = 0; at < html.length; ) {
    const next = opening(html, at)
    reading.text(html.slice(at, next))
    if (next === html.length) break
    const end = endOf(html, next)
    if (end < 0) return undefined
    reading.part(html.slice(next, end))
    at = end
  }
  return reading.end()
}

/** Returns the position of the next tag or comment; the length of the text if there is no further one. */
function opening(html: string, from: number): number {
  for (let at = html.indexOf('<', from); at >= 0; at = html.indexOf('<', at + 1))
    if (/[a-z/!?]/i.test(html[at + 1] ?? '')) return at
  return html.length
}

/**
 * Returns the end position of the tag or comment at `at`; for an element that is shown as source, the end of the
 * element. Returns -1 if there is no end.
 */
function endOf(html: string, at: number): number {
  if (html.startsWith('<!--', at)) return behind(html, '-->', at + 4)
  if (!/[a-z]/i.test(html[at + 1] ?? '')) return behind(html, '>', at + 1)
  const end = endOfTag(html, at)
  if (end < 0) return -1
  const name = nameOf(html.slice(at, Math.min(end, at + 20)))
  if (!verbatim.has(name)) return end
  const last = html.slice(end).search(new RegExp(`</${name}`, 'i'))
  return last < 0 ? -1 : behind(html, '>', end + last)
}

/** Returns the lower-case name of the element in a start or end tag. */
const nameOf = (tag: string) => /^<\/?([^\s/>]*)/.exec(tag)?.[1]?.toLowerCase() ?? ''

function behind(html: string, end: string, from: number): number {
  const found = html.indexOf(end, from)
  return found < 0 ? -1 : found + end.length
}

/** Puts the parts of HTML on a sheet, in their order. */
class Reading {
  readonly #sheet = new Sheet()
  readonly #words: Words
  readonly #keepsLines: boolean
  /** The open lists: the number of the next item, 0 for lists without numbers. */
  readonly #lists: number[] = []
  /** The addresses of open links, shown at the ends of the links. */
  readonly #links: string[] = []
  #preformatted = 0

  constructor(words: Words, keepsLines: boolean) {
    this.#words = words
    this.#keepsLines = keepsLines
  }

  text(source: string): void {
    const text = decodeHTML(source)
    if (this.#preformatted > 0 || this.#keepsLines) {
      this.#sheet.lines(text)
      return
    }
    for (const [at, part] of text.split(/\n[ \t\r]*\n/).entries()) {
      if (at > 0) this.#sheet.paragraph()
      this.#sheet.words(part)
    }
  }

  part(source: string): void {
    if (source.startsWith('<!') || source.startsWith('<?')) this.#comment(source)
    else if (/^<\/[^a-z]/i.test(source)) this.#sheet.mark(source)
    else if (verbatim.has(nameOf(source))) this.#block(source)
    else this.#tag(tagOf(source))
  }

  end(): string {
    // The address of a link without an end tag follows at the very end.
    for (const address of this.#links.reverse()) this.#sheet.mark(address)
    return this.#sheet.text()
  }

  #comment(source: string): void {
    if (plainBlock.test(source)) return
    const block = /^<!-- (\/?wp:[^\n]*) \/?-->$/.exec(source)
    this.#block(block?.[1] ?? source)
  }

  /** Adds a mark on a separate line. */
  #block(source: string): void {
    this.#sheet.break()
    this.#sheet.mark(source)
    this.#sheet.break()
  }

  #tag(tag: Tag): void {
    const { source, attributes, isEnd } = tag
    // A valid end tag has no attributes.
    if (!attributes || (isEnd && attributes.size > 0)) this.#sheet.mark(source)
    else if (isEnd) this.#close(tag)
    else this.#open(tag, attributes)
  }

  #open({ name, source }: Tag, attributes: Map<string, string>): void {
    if (name === 'a' && attributes.has('href')) {
      this.#sheet.words('[')
      this.#links.push(`→ ${address(attributes, 'href')}`)
      return
    }
    if (name === 'img') {
      const alt = attributes.get('alt')
      const named = alt === undefined ? '' : ` ${JSON.stringify(alt)}`
      this.#sheet.mark(`${this.#words.image}${named} → ${address(attributes, 'src', 'alt')}`)
      return
    }
    if (!this.#begin(name)) {
      this.#sheet.mark(source)
      return
    }
    const expected = own(ownClass, /^h[1-6]$/.test(name) ? 'h' : name)
    const isOwn = attributes.size === 1 && expected?.test(attributes.get('class') ?? '')
    if (attributes.size > 0 && !isOwn) this.#sheet.label(source)
  }

  /** Begins an element of known structure; false for any other element. */
  #begin(name: string): boolean {
    const sheet = this.#sheet
    if (paragraphs.has(name)) this.#paragraph()
    else if (lines.has(name) || name === 'br') sheet.break()
    else if (name === 'td' || name === 'th') sheet.words(' | ')
    else if (around.has(name)) sheet.words(around.get(name) ?? '')
    else if (name === 'ul' || name === 'ol') this.#list(name)
    else if (name === 'li') this.#item()
    else if (name === 'pre') {
      sheet.paragraph()
      this.#preformatted++
    } else if (name === 'hr') {
      sheet.paragraph()
      sheet.words('———')
      sheet.paragraph()
    } else if (/^h[1-6]$/.test(name)) {
      sheet.paragraph()
      sheet.label(this.#words.heading.replace('{level}', name.slice(1)))
    } else return silent.has(name)
    return true
  }

  /** Inside a list, a paragraph only begins a new line. */
  #paragraph(): void {
    if (this.#lists.length === 0) this.#sheet.paragraph()
    else this.#sheet.break()
  }

  #list(name: string): void {
    this.#paragraph()
    this.#lists.push(name === 'ol' ? 1 : 0)
  }

  #item(): void {
    const next = this.#lists.at(-1) ?? 0
    if (next > 0) this.#lists[this.#lists.length - 1] = next + 1
    this.#sheet.item(this.#lists.length - 1, next > 0 ? `${next}.` : '•')
  }

  #close({ name, source }: Tag): void {
    const sheet = this.#sheet
    if (name === 'a' && this.#links.length > 0) {
      sheet.words('] ')
      sheet.mark(this.#links.pop() as string)
    } else if ((name === 'ul' || name === 'ol') && this.#lists.length > 0) {
      this.#lists.pop()
      sheet.end()
      this.#paragraph()
    } else if (name === 'li') sheet.end()
    else if (name === 'pre' && this.#preformatted > 0) {
      this.#preformatted--
      sheet.paragraph()
    } else if (paragraphs.has(name) || /^h[1-6]$/.test(name)) this.#paragraph()
    else if (lines.has(name)) sheet.break()
    else if (around.has(name)) sheet.words(around.get(name) ?? '')
    else if (!silent.has(name) && name !== 'td' && name !== 'th') sheet.mark(source)
  }
}

/** Returns an address with all other attributes of its element in readable form. */
function address(attributes: Map<string, string>, name: string, ...apart: string[]): string {
  const value = attributes.get(name)
  const others = [...attributes].flatMap(([one, text]) =>
    one === name || apart.includes(one) ? [] : [`${one}=${JSON.stringify(text)}`],
  )
  return [value === undefined ? '' : addressText(value), ...others].join(' ').trim()
}

/** Returns an address in readable form: quoted if it contains a space or a quote. */
export function addressText(address: string): string {
  return address !== '' && !/[\s"]/.test(address) ? address : JSON.stringify(address)
}

/**
 * Returns the position after the tag that begins at `at`: after its first `>` outside quotes; -1 if the tag has no end.
 */
function endOfTag(html: string, at: number): number {
  let quote = ''
  for (let end = at; end < html.length; end++) {
    const character = html[end] as string
    if (quote !== '') quote = character === quote ? '' : quote
    else if (character === '>') return end + 1
    else if (character === '"' || character === "'") quote = character
  }
  return -1
}

const names = /<(\/?)([a-z][^\s/>]*)/iy
const attribute = /\s+([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/y
const ending = /\s*\/?>$/y

/** Returns the parts of an HTML tag. */
function tagOf(source: string) {
  names.lastIndex = 0
  const [head = '', slash, name = ''] = names.exec(source) ?? []
  return {
    /** The whole tag, from `<` to `>`. */
    source,
    name: name.toLowerCase(),
    isEnd: slash === '/',
    /** Values by lower-case name, with entities decoded; undefined if the attributes are not valid HTML. */
    attributes: attributesOf(source, head.length),
  }
}
type Tag = ReturnType<typeof tagOf>

function attributesOf(source: string, from: number): Map<string, string> | undefined {
  const attributes = new Map<string, string>()
  let at = from
  for (;;) {
    attribute.lastIndex = at
    const found = attribute.exec(source)
    if (!found) break
    at = attribute.lastIndex
    const [, name = '', double, single, bare] = found
    // A browser uses the first of two attributes with the same name, but a person could read the second. The tag is
    // then not shown in readable form.
    if (attributes.has(name.toLowerCase())) return undefined
    attributes.set(name.toLowerCase(), decodeHTMLAttribute(double ?? single ?? bare ?? ''))
  }
  ending.lastIndex = at
  return ending.test(source) ? attributes : undefined
}
