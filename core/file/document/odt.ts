import { own } from '../../base/json.ts'
import { escapeHtml, numberText, toMarkdown } from './markdown.ts'
import { inFormat } from './numbering.ts'
import { eachTag, openParts } from './parts.ts'
import { type Extraction, fromText, type LeftOut, type Limits, leftOutOf } from './schema.ts'

/** The state of the text while it is read: the HTML of the places that are open, and what was set aside. */
type Open = {
  /** The HTML of the document, and of the notes and comments that are open in it. */
  html: string[]
  aside: { notes: string[]; comments: string[] }
  /** Open lists, with the tag of each. */
  lists: string[]
  headings: Headings
  /** The level of the heading that is open. */
  level: number
  /** The number of open elements whose content is no text. */
  hidden: number
  author: string
  isAuthor: boolean
  found: Partial<Record<LeftOut, boolean>>
}

/** Elements whose words are no text of the document. */
const unread = new Set('tracked-changes sequence-decls forms note-citation date settings number'.split(' '))

const frames: Record<string, [open: string, close: string]> = {
  p: ['<div>', '</div>'],
  table: ['<table>', '</table>'],
  'table-row': ['<tr>', '</tr>'],
  'table-cell': ['<td>', '</td>'],
  'list-item': ['<li>', '</li>'],
  'list-header': ['<li>', '</li>'],
}

/**
 * The text of an OpenDocument text as Markdown: headings, lists, tables, links, footnotes. Headers, footers and
 * comments follow, each kind under its own heading. Only for use in the sandbox, after the pre-flight.
 */
export async function readOdt(bytes: Uint8Array, limits: Limits): Promise<Extraction> {
  const parts = await openParts(bytes)
  const [content, styles] = [await parts.text('content.xml'), await parts.text('styles.xml')]
  const body = convert(
    content.slice(Math.max(0, content.indexOf('<office:body'))),
    orderedLists(content + styles),
    headingsOf(styles + content),
  )
  const { notes, comments } = body.aside
  const section = (heading: string, html: string[]) => {
    const texts = [...new Set(html.map(toMarkdown).filter((text) => text !== ''))]
    return texts.length === 0 ? '' : `## ${heading}\n\n${texts.join('\n\n')}`
  }
  const margins = (kind: string) =>
    [
      ...styles.matchAll(
        new RegExp(`<style:${kind}(?:-left|-first)?(?:\\s[^<>]*[^/<>])?>([\\s\\S]*?)</style:${kind}`, 'g'),
      ),
    ].map(([, xml = '']) => convert(xml, new Map(), headingsOf('')).html.join(''))
  const text = [
    toMarkdown(body.html.join('')),
    section('Footnotes', notes),
    section('Header', margins('header')),
    section('Footer', margins('footer')),
    section('Comments', comments),
  ]
  const { found } = body
  found.pictures ||= parts.names.some((name) => /^Pictures\/./.test(name))
  return fromText(text.filter((part) => part !== '').join('\n\n'), limits, leftOutOf(found))
}

/** The ordered levels of each list style. */
function orderedLists(xml: string): Map<string, Set<number>> {
  const styles = new Map<string, Set<number>>()
  let name = ''
  eachTag(xml.replace(/<office:body[\s\S]*?<\/office:body>/, ''), (tag, attributes) => {
    if (tag === 'list-style') name = attributes['style:name'] ?? ''
    if (tag !== 'list-level-style-number' || !attributes['style:num-format']) return
    styles.set(name, (styles.get(name) ?? new Set<number>()).add(Number(attributes['text:level'])))
  })
  return styles
}

/** How a level of headings is numbered. */
type Numbering = { format: string; prefix: string; suffix: string; shown: number; start: number }
/** The numbers of the headings: how each level counts, styles without a number, and the numbers so far. */
type Headings = { levels: Map<number, Numbering>; bare: Set<string>; counter: number[] }

const numberFormats: Record<string, string> = {
  '1': 'decimal',
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
}

function headingsOf(xml: string): Headings {
  const found: Headings = { levels: new Map(), bare: new Set(), counter: [] }
  eachTag(xml.replace(/<office:body[\s\S]*?<\/office:body>/, ''), (tag, attributes) => {
    const of = (name: string) => attributes[`style:${name}`] ?? ''
    if (tag === 'style' && attributes['style:list-style-name'] === '') found.bare.add(of('name'))
    if (tag !== 'outline-level-style') return
    found.levels.set(Number(attributes['text:level']), {
      format: own(numberFormats, of('num-format')) ?? '',
      prefix: of('num-prefix'),
      suffix: of('num-suffix'),
      shown: Number(attributes['text:display-levels']) || 1,
      start: Number(attributes['text:start-value']) || 1,
    })
  })
  return found
}

/** The number of the next heading at a level, as HTML; empty for one without. */
function headingNumber({ levels, bare, counter }: Headings, attributes: Record<string, string>): string {
  const at = level(attributes)
  const numbering = levels.get(at)
  const isBare = attributes['text:is-list-header'] === 'true' || bare.has(attributes['text:style-name'] ?? '')
  if (!numbering?.format || isBare) return ''
  counter[at] = counter[at] === undefined ? numbering.start : counter[at] + 1
  counter.length = at + 1
  const numbers: string[] = []
  for (let one = Math.max(1, at - numbering.shown + 1); one <= at; one++) {
    const { format = '', start = 1 } = levels.get(one) ?? {}
    if (format !== '') numbers.push(inFormat(counter[one] ?? start, format))
  }
  return escapeHtml(numberText(`${numbering.prefix}${numbers.join('.')}${numbering.suffix}`.trim()))
}

function convert(xml: string, ordered: ReadonlyMap<string, ReadonlySet<number>>, headings: Headings): Open {
  const open: Open = {
    html: [''],
    aside: { notes: [], comments: [] },
    lists: [],
    headings,
    level: 1,
    hidden: 0,
    author: '',
    isAuthor: false,
    found: {},
  }
  const numbers = new Map<string, number>()
  const styles: string[] = []
  eachTag(
    xml,
    (tag, attributes) => {
      if (unread.has(tag)) open.hidden += 1
      if (tag === 'deletion') open.found.trackedChanges = true
      open.isAuthor = tag === 'creator'
      if (open.hidden > 0) return
      if (tag === 'list') write(open, listOf(attributes, { open, styles, numbers, ordered }))
      else if (tag === 'list-item') repeatsOf(styles, numbers, open.lists.length, attributes)
      start(tag, attributes, open)
    },
    {
      text: (words) => {
        if (open.isAuthor) open.author = words
        else if (open.hidden === 0) write(open, escapeHtml(words))
      },
      closed: (tag) => {
        if (unread.has(tag)) open.hidden -= 1
        else if (open.hidden === 0) end(tag, open, styles)
        open.isAuthor = false
      },
    },
  )
  return open
}

function write(open: Open, html: string): void {
  open.html[open.html.length - 1] += html
}

type Lists = {
  open: Open
  styles: string[]
  numbers: Map<string, number>
  ordered: ReadonlyMap<string, ReadonlySet<number>>
}

/** The tag of a list; one that goes on after a break begins with its next number. */
function listOf(attributes: Record<string, string>, { open, styles, numbers, ordered }: Lists): string {
  const level = open.lists.length + 1
  const style = attributes['text:style-name'] ?? styles.at(-1) ?? ''
  const tag = ordered.get(style)?.has(level) ? 'ol' : 'ul'
  const goesOn = attributes['text:continue-numbering'] === 'true' || 'text:continue-list' in attributes
  if (!goesOn) numbers.set(`${style} ${level}`, 0)
  open.lists.push(tag)
  styles.push(style)
  return tag === 'ol' ? `<ol start="${(numbers.get(`${style} ${level}`) ?? 0) + 1}">` : '<ul>'
}

function repeatsOf(
  styles: string[],
  numbers: Map<string, number>,
  level: number,
  attributes: Record<string, string>,
): void {
  const key = `${styles.at(-1)} ${level}`
  numbers.set(key, Number(attributes['text:start-value']) || (numbers.get(key) ?? 0) + 1)
}

function start(tag: string, attributes: Record<string, string>, open: Open): void {
  if (tag === 'h') {
    open.level = level(attributes)
    write(open, `<h${open.level}>${headingNumber(open.headings, attributes)}`)
  } else if (tag === 's') write(open, '&nbsp;'.repeat(Math.min(Number(attributes['text:c'] ?? 1) || 1, 100)))
  else if (tag === 'tab') write(open, ' ')
  else if (tag === 'line-break') write(open, '<br>')
  else if (tag === 'a') write(open, `<a href="${escapeHtml(attributes['xlink:href'] ?? '')}">`)
  else if (tag === 'note' || tag === 'annotation') open.html.push('')
  else if (tag === 'image') open.found.pictures = true
  else if (tag === 'object') open.found.charts = true
  else if (tag === 'object-ole') open.found.embeddedFiles = true
  else if (tag === 'plugin') open.found.recordings = true
  else if (tag === 'table-cell') {
    const span = (name: string) => Number(attributes[`table:number-${name}-spanned`]) || 1
    write(open, `<td colspan="${span('columns')}" rowspan="${span('rows')}">`)
  } else write(open, own(frames, tag)?.[0] ?? '')
}

function end(tag: string, open: Open, styles: string[]): void {
  if (tag === 'h') write(open, `</h${open.level}>`)
  else if (tag === 'a') write(open, '</a>')
  else if (tag === 'list') {
    styles.pop()
    write(open, `</${open.lists.pop()}>`)
  } else if (tag === 'note') {
    open.aside.notes.push(after(`[${open.aside.notes.length + 1}]`, open.html.pop()))
    write(open, `[${open.aside.notes.length}]`)
  } else if (tag === 'annotation') {
    const comment = after(`${escapeHtml(open.author || 'Comment')}:`, open.html.pop())
    open.aside.comments.push(`<ul><li>${comment}</li></ul>`)
  } else write(open, own(frames, tag)?.[1] ?? '')
}

function level(attributes: Record<string, string>): number {
  return Math.min(Math.max(Number(attributes['text:outline-level']) || 1, 1), 6)
}

/** The HTML of a note with these words at its beginning. */
function after(words: string, html = ''): string {
  return html.startsWith('<div>') ? `<div>${words} ${html.slice(5)}` : `${words} ${html}`
}
