import { own } from '../../base/json.ts'
import { fromText, type Limits, leftOutOf, paragraphs, section } from './excerpt.ts'
import { markdownOf, numberText } from './markdown.ts'
import { inFormat } from './numbering.ts'
import { openParts } from './parts.ts'
import type { Extraction, LeftOut } from './schema.ts'
import { descendants, type Element, element, elements, type Node, wordsIn, xmlTree } from './tree.ts'

/** The state while the text is read. */
type Reading = {
  headings: Headings
  /** The HTML elements for the styles whose words are struck or raised. */
  marks: ReadonlyMap<string, string>
  /** The ordered levels of each list style. */
  ordered: ReadonlyMap<string, ReadonlySet<number>>
  /** The styles of the open lists, and the last number of each style and level. */
  styles: string[]
  numbers: Map<string, number>
  notes: Node[][]
  comments: Node[][]
  found: Partial<Record<LeftOut, boolean>>
}

/** Elements whose words are not part of the text. */
const unread = new Set(
  'tracked-changes sequence-decls forms note-citation creator date settings number'.split(' '),
)

/** Elements whose contents the text leaves out. */
const lacking: Record<string, LeftOut> = {
  image: 'pictures',
  object: 'charts',
  'object-ole': 'embeddedFiles',
  plugin: 'recordings',
}

/** HTML elements for elements whose contents need no other conversion. */
const equals: Record<string, string> = {
  p: 'div',
  'line-break': 'br',
  table: 'table',
  'table-row': 'tr',
  'list-item': 'li',
  'list-header': 'li',
}

/**
 * Returns the text of an OpenDocument text as Markdown: headings, lists, tables, links, footnotes. Headers, footers and
 * comments follow, each kind under its own heading. Only for use in the sandbox, after the pre-flight.
 */
export async function readOdt(bytes: Uint8Array, limits: Limits): Promise<Extraction> {
  const parts = await openParts(bytes)
  const content = xmlTree(await parts.text('content.xml'))
  const styles = xmlTree(await parts.text('styles.xml'))
  const reading = readingOf([styles, content])
  const hasDeletions = descendants(content, 'deletion').length > 0
  const body = markdownOf(descendants(content, 'body').flatMap((part) => nodesOf(part, reading)))
  const margins = (kind: string) =>
    descendants(styles, kind, `${kind}-left`, `${kind}-first`).map((margin) =>
      markdownOf(nodesOf(margin, readingOf([]))),
    )
  const text = paragraphs(
    body,
    section('## Footnotes', reading.notes.map(markdownOf)),
    section('## Header', margins('header')),
    section('## Footer', margins('footer')),
    section('## Comments', reading.comments.map(markdownOf)),
  )
  const { found } = reading
  found.pictures ||= parts.names.some((name) => /^Pictures\/./.test(name))
  return fromText(text, limits, leftOutOf({ ...found, trackedChanges: hasDeletions }))
}

/** Returns the state before the first element, with the list styles and the heading numbering of these trees. */
function readingOf(trees: Element[]): Reading {
  return {
    headings: headingsOf(trees),
    marks: new Map(trees.flatMap((tree) => descendants(tree, 'style')).flatMap(marksOf)),
    ordered: new Map(
      trees
        .flatMap((tree) => descendants(tree, 'list-style'))
        .map((style) => [styleName(style), orderedIn(style)]),
    ),
    styles: [],
    numbers: new Map(),
    notes: [],
    comments: [],
    found: {},
  }
}

const styleName = ({ attributes }: Element) => attributes['style:name'] ?? ''

function marksOf(style: Element): [string, string][] {
  const [{ attributes } = style] = elements(style.children, 'text-properties')
  const isStruck = (attributes['style:text-line-through-style'] ?? 'none') !== 'none'
  const isRaised = /^(super|[1-9])/.test(attributes['style:text-position'] ?? '')
  return isStruck || isRaised ? [[styleName(style), isStruck ? 's' : 'sup']] : []
}

function orderedIn({ children }: Element): Set<number> {
  const levels = elements(children, 'list-level-style-number').map(({ attributes }) => attributes)
  return new Set(levels.filter((it) => it['style:num-format']).map((it) => Number(it['text:level'])))
}

/** The numbering of a level of headings. */
type Numbering = { format: string; prefix: string; suffix: string; shown: number; start: number }
/** The numbering of headings: the format of each level, the styles without a number, and the current numbers. */
type Headings = { levels: Map<number, Numbering>; bare: Set<string>; counter: number[] }

const numberFormats: Record<string, string> = {
  '1': 'decimal',
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
}

function headingsOf(trees: Element[]): Headings {
  const all = (tag: string) => trees.flatMap((tree) => descendants(tree, tag))
  const bare = all('style').filter(({ attributes }) => attributes['style:list-style-name'] === '')
  const levels = all('outline-level-style').map(({ attributes }): [number, Numbering] => {
    const style = (name: string) => attributes[`style:${name}`] ?? ''
    const numbering = {
      format: own(numberFormats, style('num-format')) ?? '',
      prefix: style('num-prefix'),
      suffix: style('num-suffix'),
      shown: Number(attributes['text:display-levels']) || 1,
      start: Number(attributes['text:start-value']) || 1,
    }
    return [Number(attributes['text:level']), numbering]
  })
  return { levels: new Map(levels), bare: new Set(bare.map(styleName)), counter: [] }
}

/** Returns the number of the next heading at a level; empty for a heading without a number. */
function headingNumber({ levels, bare, counter }: Headings, attributes: Element['attributes']): string {
  const at = level(attributes)
  const numbering = levels.get(at)
  const isBare = attributes['text:is-list-header'] === 'true' || bare.has(attributes['text:style-name'] ?? '')
  if (!numbering?.format || isBare) return ''
  counter[at] = counter[at] === undefined ? numbering.start : counter[at] + 1
  counter.length = at + 1
  const numbers: string[] = []
  for (let outer = Math.max(1, at - numbering.shown + 1); outer <= at; outer++) {
    const { format = '', start = 1 } = levels.get(outer) ?? {}
    if (format !== '') numbers.push(inFormat(counter[outer] ?? start, format))
  }
  return numberText(`${numbering.prefix}${numbers.join('.')}${numbering.suffix}`.trim())
}

function level(attributes: Element['attributes']): number {
  return Math.min(Math.max(Number(attributes['text:outline-level']) || 1, 1), 6)
}

/** Converts an element of the document to HTML elements; collects its notes and comments separately. */
function nodesOf(node: Node, reading: Reading): Node[] {
  if (typeof node === 'string') return [node]
  const { tag, attributes, children } = node
  if (unread.has(tag)) return []
  const kind = own(lacking, tag)
  if (kind) reading.found[kind] = true
  // Removes the children from the tree of the document, so that a long text is not in memory twice.
  const inside = () => {
    const nodes = children.splice(0).flatMap((child) => nodesOf(child, reading))
    const mark = reading.marks.get(attributes['text:style-name'] ?? '')
    return mark ? [element(mark, nodes)] : nodes
  }
  switch (tag) {
    case 'h': {
      const number = headingNumber(reading.headings, attributes)
      return [element(`h${level(attributes)}`, [number, ...inside()])]
    }
    case 's':
      return Array<Node>(Math.min(Number(attributes['text:c'] ?? 1) || 1, 100)).fill(' ')
    case 'tab':
      return [' ']
    case 'a':
      return [element('a', inside(), { href: attributes['xlink:href'] ?? '' })]
    case 'list':
      return [listOf(node, reading)]
    case 'list-item':
      count(attributes, reading)
      return [element('li', inside())]
    case 'table-cell': {
      const [colspan, rowspan] = [spanned(attributes, 'columns'), spanned(attributes, 'rows')]
      return [element('td', inside(), { colspan, rowspan })]
    }
    case 'note':
      return [noteMark(inside(), reading)]
    case 'annotation': {
      const author = wordsIn(elements(children, 'creator')) || 'Comment'
      reading.comments.push([element('ul', [element('li', after(`${author}:`, inside()))])])
      return []
    }
    default: {
      const equal = own(equals, tag)
      return equal ? [element(equal, inside())] : inside()
    }
  }
}

const spanned = (attributes: Element['attributes'], kind: 'columns' | 'rows') =>
  attributes[`table:number-${kind}-spanned`] ?? '1'

/** Collects a note and returns its mark, which stays in the text. */
function noteMark(contents: Node[], { notes }: Reading): string {
  const mark = `[${notes.length + 1}]`
  notes.push(after(mark, contents))
  return mark
}

/** Puts words before the contents of a note. */
function after(words: string, [first = '', ...rest]: Node[]): Node[] {
  if (typeof first === 'string' || first.tag !== 'div') return [`${words} `, first, ...rest]
  return [element('div', [`${words} `, ...first.children]), ...rest]
}

/** Converts a list to an HTML list. A list that continues after a break begins with its next number. */
function listOf({ attributes, children }: Element, reading: Reading): Element {
  const { styles, numbers, ordered } = reading
  const style = attributes['text:style-name'] ?? styles.at(-1) ?? ''
  styles.push(style)
  const isOrdered = ordered.get(style)?.has(styles.length)
  const goesOn = attributes['text:continue-numbering'] === 'true' || 'text:continue-list' in attributes
  if (!goesOn) numbers.set(placeIn(styles), 0)
  const start = String((numbers.get(placeIn(styles)) ?? 0) + 1)
  const items = children.flatMap((child) => nodesOf(child, reading))
  styles.pop()
  return element(isOrdered ? 'ol' : 'ul', items, { start })
}

/** Counts an item of the innermost open list. */
function count(attributes: Element['attributes'], { styles, numbers }: Reading): void {
  const place = placeIn(styles)
  numbers.set(place, Number(attributes['text:start-value']) || (numbers.get(place) ?? 0) + 1)
}

const placeIn = (styles: string[]) => `${styles.at(-1)} ${styles.length}`
