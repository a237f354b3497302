import {
  Marked,
  type MarkedExtension,
  type MarkedToken,
  type Token,
  type TokenizerAndRendererExtension,
  type Tokens,
} from 'marked'
import type { Translate } from '../i18n/i18n.ts'
import { adoptStyles } from '../style/sheet.ts'
import { codeBlock, csvOf, el, type Kids, recordChip, tableBlock, wordsOf } from './block.ts'
import { decoded, hostToName, linkOf } from './link.ts'
import css from './markdown.css?inline'

/** Adds the styles of answers to a view. */
export const adoptProse = (view: Parameters<typeof adoptStyles>[0]): void => adoptStyles(view, css)

/** The data that the builder needs besides the text. */
export type Surroundings = {
  /** The address of the page. A link to another site counts as foreign. */
  here: string
  t: Translate
  /** References, such as `31` or `posts:p-4`, to records that occur in no source that the model has read. */
  unread: ReadonlySet<string>
  /** Figures and dates in the text, as written there, that have no source. */
  unsupported: ReadonlySet<string>
  /** The sources that the text cites, with their names; a source in a file opens with a button. */
  sources: readonly SourceMark[]
  /** The names of records that the turn found, by `table:uid`. */
  titles: ReadonlyMap<string, string>
  /** The type of the site's pages; null without a page tree. */
  pages: string | null
  recordHref(table: string, uid: string): string
  /** The label of a table's records. */
  tableName(table: string): string
  /** Formats a time (ISO 8601) in the user's language and time zone. */
  stamp(at: string): string
}

/** A source that the text cites; the citation follows the first `at` characters of the text. */
export type SourceMark = { at: number; name: string } & (
  | { href: string; table: string; uid: string }
  | { file: number; page: number | undefined }
)

/** The maximum nesting that is drawn; deeper parts are shown as Markdown source. */
const mostNesting = 60

/**
 * Renders an answer as DOM nodes. It never parses HTML: raw HTML stays text, images become links, and links must pass
 * `linkOf`. Text that would take too long to parse is shown as its source.
 */
export function markdown(text: string, around: Surroundings): HTMLElement {
  const readable = lexable(withMarks(text, around.sources))
  if (readable === undefined) return plainProse(text)
  try {
    const prose = el('div', { class: 'prose', dir: 'auto' })
    prose.append(...new Builder(around).blocks(lexed(readable), 0))
    return prose
  } catch {
    return plainProse(text)
  }
}

/**
 * Parses text; searches for formulas only in text that may contain one, because the search takes time at every word.
 */
const lexed = (text: string): Token[] => new Marked({ gfm: true }, hasMath(text) ? math : {}).lexer(text)

function plainProse(text: string): HTMLElement {
  return el('div', { class: 'prose prose-plain', dir: 'auto' }, [text])
}

/** Runs the action of a button in an answer: copies code, copies a table as CSV, or wraps long lines. */
export function pressButton(button: HTMLElement, copy: (text: string) => void): void {
  const { act } = button.dataset
  const figure = button.closest('.code')
  const table = button.closest('.table')?.querySelector('table')
  if (act === 'copy') copy(figure?.querySelector('code')?.textContent ?? '')
  if (act === 'csv' && table) copy(csvOf(table))
  if (act === 'wrap') button.setAttribute('aria-pressed', String(figure?.classList.toggle('code-wrapped')))
}

class Builder {
  readonly #around: Surroundings
  #heading: HTMLElement | undefined
  /** Matches every citation mark and every figure without a source; undefined if there is nothing to match. */
  readonly #marked: RegExp | undefined

  constructor(around: Surroundings) {
    this.#around = around
    this.#marked = markedOf(around)
  }

  blocks(tokens: readonly Token[], depth: number): Kids {
    if (depth > mostNesting) return tokens.map(({ raw }) => raw)
    return tokens.flatMap((token) => this.#node(token as MarkedToken | MathToken, depth))
  }

  #node(token: MarkedToken | MathToken, depth: number): Kids {
    const kids = (tokens: readonly Token[] = []) => this.blocks(tokens, depth + 1)
    switch (token.type) {
      case 'space':
      case 'def':
        return []
      case 'paragraph':
        return [el('p', {}, kids(token.tokens))]
      case 'blockquote':
      case 'strong':
      case 'em':
      case 'del':
        return [el(token.type, {}, kids(token.tokens))]
      case 'hr':
      case 'br':
        return [el(token.type)]
      case 'heading':
        this.#heading = el(token.depth < 3 ? 'h3' : 'h4', {}, kids(token.tokens))
        return [this.#heading]
      case 'list':
        return [list(token, kids)]
      case 'table':
        return [this.#table(token, kids)]
      case 'code':
        return [codeBlock(token.text, token.lang ?? '', this.#around.t)]
      case 'codespan':
        return [el('code', { dir: 'ltr' }, [token.text])]
      case 'math':
        return [formula(token)]
      case 'link':
        return this.#link(token.href, kids(token.tokens))
      case 'image':
        return this.#link(token.href, [token.text || token.href])
      case 'text':
        return token.tokens ? kids(token.tokens) : this.#text(decoded(token.text))
      case 'escape':
        return [token.text]
      case 'checkbox':
        return [token.checked ? '☑ ' : '☐ ']
      default:
        return [/^<br *\/?>$/i.test(token.raw) ? el('br') : token.raw]
    }
  }

  #table(token: Tokens.Table, kids: (tokens: Token[]) => Kids): HTMLElement {
    const cells = (row: Tokens.TableCell[]) =>
      row.map((cell) => ({ kids: kids(cell.tokens), align: cell.align }))
    const { t } = this.#around
    const label = (this.#heading && wordsOf(this.#heading)) || t('code.table')
    return tableBlock(cells(token.header), token.rows.map(cells), label, t('code.csv'))
  }

  #link(href: string, kids: Kids): Kids {
    const link = linkOf(href, this.#around.here)
    if (!link) return kids
    const anchor = el('a', { href: link.href, rel: 'noopener noreferrer nofollow', target: '_blank' }, kids)
    const host = hostToName(link, anchor.textContent ?? '')
    return host === null ? [anchor] : [anchor, ' ', el('span', { class: 'fine host' }, [`(${host})`])]
  }

  /** Returns text with record references as chips, and UTC times in the user's time zone. */
  #text(text: string): Kids {
    if (!/\[|UTC/.test(text)) return this.#plain(text)
    const kids: Kids = []
    let end = 0
    for (const match of text.matchAll(special)) {
      const part = this.#special(match as unknown as Special)
      const isUnread = this.#around.unread.has(match[0].slice(1, -1))
      const behind = text.slice(match.index + match[0].length)
      // A browser breaks the line on both sides of a chip, even before a full stop.
      const [stop = ''] = (typeof part !== 'string' && !isUnread && /^[.,;:!?)]+/.exec(behind)) || []
      kids.push(...this.#plain(text.slice(end, match.index)))
      kids.push(stop ? el('span', { class: 'kept' }, [part, stop]) : part)
      if (isUnread) kids.push(' ', this.#doubt('unread'))
      end = match.index + match[0].length + stop.length
    }
    return [...kids, ...this.#plain(text.slice(end))]
  }

  /**
   * Converts text without record references: puts a link at each citation mark, and a sign after each figure that has
   * no source.
   */
  #plain(text: string): Kids {
    if (!this.#marked) return [text]
    return text.split(this.#marked).flatMap((part, at) => {
      if (at % 2 === 0) return [part]
      const source = this.#around.sources[part.charCodeAt(0) - firstMark]
      return source ? [this.#source(source)] : [part, ' ', this.#doubt('unsupported')]
    })
  }

  /** Returns the number that opens a source; the same source always has the same number. */
  #source(source: SourceMark): HTMLElement {
    const names = [...new Set(this.#around.sources.map(({ name }) => name))]
    const words = { title: source.name, 'aria-label': source.name, class: 'source' }
    const number = [String(names.indexOf(source.name) + 1)]
    if ('href' in source) {
      const { href, table, uid } = source
      return el('a', { ...words, href, 'data-table': table, 'data-uid': uid }, number)
    }
    const { file, page } = source
    const place = {
      'data-act': 'file',
      'data-file': String(file),
      ...(page && { 'data-page': String(page) }),
    }
    return el('button', { ...words, type: 'button', ...place }, number)
  }

  #doubt(why: 'unread' | 'unsupported'): HTMLElement {
    const { t } = this.#around
    return el('bdi', { class: 'doubt', title: t(`answer.${why}Help`) }, [t(`answer.${why}`)])
  }

  #special([whole, table, uid = '', day, clock]: Special): HTMLElement | string {
    if (table) {
      const known = this.#around.titles.get(`${table}:${uid}`)
      // Returns bracketed text unchanged, unless it has a numeric id or names a record that a call found.
      if (known === undefined && !/^[0-9]{1,15}$/.test(uid)) return whole
      return recordChip(
        table === this.#around.pages ? 'page' : 'record',
        table,
        uid,
        known ?? this.#around.tableName(table),
        this.#around.recordHref(table, uid),
      )
    }
    if (day === undefined) return whole
    const at = `${day}T${clock}:00Z`
    return Number.isNaN(Date.parse(at))
      ? whole
      : el('time', { datetime: at, title: whole }, [this.#around.stamp(at)])
  }
}

function list(token: Tokens.List, kids: (tokens: Token[]) => Kids): HTMLElement {
  const start = token.ordered && token.start !== 1 ? { start: String(token.start) } : {}
  const items = token.items.map((item) => el('li', item.task ? { class: 'task' } : {}, kids(item.tokens)))
  return el(token.ordered ? 'ol' : 'ul', start, items)
}

/** Matches references to records (`[pages:3]`, `[posts:p-3]`, `[3]`), and times of tools (`2026-11-20 14:05 UTC`). */
const special =
  /\[([A-Za-z_][A-Za-z0-9_.-]{1,63}):([A-Za-z0-9_-][A-Za-z0-9_.~-]{0,127})\]|\[\d{1,15}\]|\b(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC\b/g
type Special = [whole: string, table?: string, uid?: string, day?: string, clock?: string]

/** The character that marks the first source in the text; each further source has the next character. */
const firstMark = 0xe000
const mostSources = 200
/** Matches the parts that must not contain a mark: code, and the addresses of links. */
const whole = /```[\s\S]*?(?:```|$)|`[^`\n]*`|\]\([^)\n]*\)/g

/** Returns the text with one private-use character at each source. */
function withMarks(text: string, sources: readonly SourceMark[]): string {
  if (sources.length === 0) return text
  const spans = [...text.matchAll(whole)].map(({ 0: { length }, index }) => [index, index + length] as const)
  let marked = ''
  let end = 0
  for (const [nth, { at }] of sources.slice(0, mostSources).entries()) {
    const behind = spans.find(([from, to]) => at > from && at < to)?.[1] ?? at
    const before = text.slice(0, behind).replace(/[ \t]*\|[ \t]*$/, '')
    const place = Math.max(end, before.length)
    marked += unmarked(text.slice(end, place)) + gapAfter(before) + String.fromCharCode(firstMark + nth)
    end = place
  }
  return marked + unmarked(text.slice(end))
}

const unmarked = (text: string) => text.replace(/[\ue000-\ue0ff]/g, '')

/** Returns the separator before a mark: the mark must not break the end of a code block or bold words. */
function gapAfter(text: string): string {
  if (/```\s*$/.test(text)) return '\n'
  return /[*_~]$/.test(text) ? ' ' : ''
}

/** Returns a pattern for the figures without a source, each with its unit, and for the marks of sources. */
function markedOf({ unsupported, sources }: Surroundings): RegExp | undefined {
  if (unsupported.size + sources.length === 0) return undefined
  const figures = [...unsupported].map((figure) => figure.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  const doubtful = figures
    ? `|(?<![\\d.,])(?:${figures})(?!\\d)(?:[ \\u00a0\\u202f]?(?:[€$£%]|[\\p{L}²]{1,14}))?`
    : ''
  return new RegExp(`([\\ue000-\\ue0ff]${doubtful})`, 'u')
}

/** Draws a formula as its TeX source, because no math renderer is loaded. */
function formula({ source, isBlock }: MathToken): HTMLElement {
  const code = el('code', { class: 'math', dir: 'ltr' }, [source])
  return isBlock ? el('p', { class: 'math-block' }, [code]) : code
}

/** A formula: its TeX source without its delimiters, and the raw text. */
type MathToken = { type: 'math'; raw: string; source: string; isBlock: boolean }

/** The length of a formula is limited, so that a delimiter without an end costs little time. */
const block = /^ {0,3}(?:\$\$([^$]{1,2000}?)\$\$|\\\[([\s\S]{1,2000}?)\\\])[ \t]*(?:\n|$)/
const inline = /^(?:\$\$([^$\n]{1,500}?)\$\$|\\\[([^\n]{1,500}?)\\\]|\\\(([^\n]{1,500}?)\\\))/

const tokenizer = (
  level: 'block' | 'inline',
  begin: RegExp,
  whole: RegExp,
): TokenizerAndRendererExtension => ({
  name: 'math',
  level,
  start: (text) => {
    const at = text.search(begin)
    return at < 0 ? undefined : at
  },
  tokenizer: (text) => {
    const found = whole.exec(text)
    if (!found) return undefined
    const source = (found[1] ?? found[2] ?? found[3] ?? '').trim()
    return { type: 'math', raw: found[0], source, isBlock: level === 'block' } satisfies MathToken
  },
})

/** Reads `\( \)`, `\[ \]` and `$$ $$` as formulas; a single `$` is a price. */
const math: MarkedExtension = {
  extensions: [
    tokenizer('block', /(?<=\n) {0,3}(?:\$\$|\\\[)/, block),
    tokenizer('inline', /\$\$|\\[[(]/, inline),
  ],
}

/**
 * The maximum number of formula delimiters in a text. The time to search for the closing delimiters grows with the
 * square of the number of delimiters.
 */
const mostMarks = 400

/** True for text that may contain formulas, but not for text with too many delimiters. */
function hasMath(text: string): boolean {
  const marks = text.match(/\$\$|\\[[(]/g)?.length ?? 0
  return marks > 0 && marks <= mostMarks
}

/**
 * Limits that keep hostile text from freezing the page. The lexer's time grows with the square of nesting and of open
 * delimiters; real answers stay far below these limits.
 */
const maxLength = 100_000
const maxNesting = 40
const maxDelimiters = 4_000

/** Returns the text for the lexer; `undefined` if the text must be shown as its source. */
export function lexable(text: string): string | undefined {
  if (text.length > maxLength) return undefined
  if ((text.match(/[*_~`[\]<!]/g)?.length ?? 0) > maxDelimiters) return undefined
  return (
    text
      .replace(/^(?:[ \t]{0,3}>){41,}/gm, (marks) => '>'.repeat(maxNesting) + marks.replace(/[^\n]*/, ''))
      .replace(/^[ \t]{120,}/gm, ' '.repeat(maxNesting * 2))
      // The pattern can match the space between two list markers in only one way. With a second way, each further
      // marker would double the time.
      .replace(/^([ \t]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+){20})(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)+/gm, '$1')
  )
}
