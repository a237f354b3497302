import { own } from '../../base/json.ts'
import { withEquations } from './equation.ts'
import * as Excerpt from './excerpt.ts'
import { markdownOf } from './markdown.ts'
import {
  externalLinks,
  mainPartOf,
  openParts,
  type Parts,
  type Relationship,
  relationshipsOf,
} from './parts.ts'
import type { Extent, Extraction, LeftOut } from './schema.ts'
import { descendants, type Element, element, elements, type Node, wordsIn, xmlTree } from './tree.ts'

/** The kinds of related parts whose contents the text of a slide leaves out. */
const lacking: Record<string, LeftOut> = {
  image: 'pictures',
  chart: 'charts',
  chartEx: 'charts',
  diagramData: 'charts',
  oleObject: 'embeddedFiles',
  package: 'embeddedFiles',
  video: 'recordings',
  audio: 'recordings',
  media: 'recordings',
}

/** Kinds of placeholders without content of their own. */
const empty = new Set(['sldNum', 'sldImg'])
/** Placeholders for date, header and footer. They repeat on most slides, so the same words appear only once. */
const furniture = new Set(['dt', 'ftr', 'hdr'])

/**
 * Returns the text of a presentation, slide by slide: title, lists, tables, then the speaker's notes and the comments.
 * Marks hidden slides. Only for use in the sandbox, after the pre-flight.
 */
export async function readPptx(bytes: Uint8Array, limits: Excerpt.Limits): Promise<Extraction> {
  const until = Excerpt.processorMs() + limits.softMs
  const parts = await openParts(bytes)
  const slides = await slidesOf(parts)
  const found: Partial<Record<LeftOut, boolean>> = {}
  const told = new Set<string>()
  const texts: string[] = []
  const outline: string[] = []
  const last = Math.min(slides.length, limits.from + limits.pages - 1)
  let to = 0
  let length = 0
  for (let at = Math.min(limits.from, slides.length); at <= last && at > 0; at++) {
    if (Excerpt.processorMs() > until || length > limits.characters) break
    const slide = await slideText(parts, slides[at - 1] as string, found, told)
    const name = `## Slide ${at}${slide.isHidden ? ' (hidden)' : ''}`
    texts.push(Excerpt.paragraphs(name, slide.text))
    if (slide.title) outline.push(`${name.slice(3)}: ${slide.title}`)
    length += slide.text.length
    to = at
  }
  if (length === 0 && to === slides.length) return Excerpt.without('noText')
  const from = Math.min(limits.from, slides.length)
  const extent: Extent = { unit: 'slide', from, to, total: slides.length }
  const part = Excerpt.partOf(texts.join('\n\n'), extent, Excerpt.leftOutOf(found), limits)
  return {
    ...Excerpt.outlined(part, outline, limits),
    ...(to < last && length <= limits.characters && { isCutByTime: true }),
  }
}

/** Returns the parts of the slides, in presentation order. */
async function slidesOf({ text }: Parts): Promise<string[]> {
  const name = (await mainPartOf(text)) || 'ppt/presentation.xml'
  const related = new Map((await relationshipsOf(text, name)).map(({ id, target }) => [id, target]))
  const listed = descendants(xmlTree(await text(name)), 'sldId')
  return listed.flatMap(({ attributes }) => related.get(attributes['r:id'] ?? '') ?? [])
}

type Slide = { text: string; title: string; isHidden: boolean }

async function slideText(
  { text }: Parts,
  slide: string,
  found: Partial<Record<LeftOut, boolean>>,
  told: Set<string>,
): Promise<Slide> {
  const xml = await text(slide)
  const related = await relationshipsOf(text, slide)
  for (const { type } of related) {
    const kind = own(lacking, type)
    if (kind) found[kind] = true
  }
  const reading: Reading = { links: await externalLinks(text, slide), told, title: '' }
  const shown = markdownOf(nodesOf(xmlTree(withEquations(xml)), reading))
  const beside = async (kind: string, heading: string) => {
    const targets = related.filter(({ type }: Relationship) => type === kind).map(({ target }) => target)
    const trees = await Promise.all(targets.map(async (target) => xmlTree(withEquations(await text(target)))))
    const plain: Reading = { links: new Map(), told, title: '' }
    return Excerpt.section(`### ${heading}`, [markdownOf(trees.flatMap((tree) => nodesOf(tree, plain)))])
  }
  return {
    text: Excerpt.paragraphs(
      shown,
      await beside('notesSlide', 'Notes'),
      await beside('comments', 'Comments'),
    ),
    title: reading.title,
    isHidden: /<p:sld\s[^>]*\bshow="(?:0|false)"/.test(xml),
  }
}

/** The state while the shapes of a part are read. */
type Reading = {
  /** The addresses of links, by the ids of their relationships. */
  links: ReadonlyMap<string, string>
  /** The words of headers and footers on earlier slides. */
  told: Set<string>
  title: string
}

/** Returns the words of a slide, of its notes or of its comments, as HTML elements. */
function nodesOf(node: Node, reading: Reading): Node[] {
  if (typeof node === 'string') return []
  const { tag, attributes, children } = node
  const inside = () => children.flatMap((child) => nodesOf(child, reading))
  switch (tag) {
    case 'Fallback':
      return []
    case 't':
      return [wordsIn(children)]
    case 'br':
      return [element('br')]
    case 'r':
    case 'fld':
      return styleRun(node, inside(), reading)
    case 'p':
      return paragraph(inside(), elements(children, 'pPr')[0]?.attributes.lvl)
    case 'text':
      return paragraph([wordsIn(children)])
    case 'sp':
      return shapeOf(node, inside() as Element[], reading)
    case 'tbl':
      return [element('table', inside())]
    case 'tr':
      return [element('tr', inside())]
    case 'tc':
      return cellOf(attributes, inside())
    default:
      return inside()
  }
}

/** Returns the words of a run: struck, raised or with a link, as the run has them. */
function styleRun(run: Element, words: Node[], { links }: Reading): Node[] {
  const [click] = descendants(run, 'hlinkClick')
  const href = links.get(click?.attributes['r:id'] ?? '')
  const { strike = 'noStrike', baseline } = elements(run.children, 'rPr')[0]?.attributes ?? {}
  const raised = Number(baseline) > 0 ? [element('sup', words)] : words
  const struck = strike === 'noStrike' ? raised : [element('s', raised)]
  return href ? [element('a', struck, { href })] : struck
}

function paragraph(words: Node[], level = '0'): Element[] {
  return wordsIn(words).trim() === '' ? [] : [element('p', words, { level })]
}

function cellOf({ gridSpan, rowSpan, hMerge, vMerge }: Element['attributes'], contents: Node[]): Element[] {
  if (hMerge === '1' || vMerge === '1') return []
  return [element('td', contents, { colspan: gridSpan ?? '1', rowspan: rowSpan ?? '1' })]
}

/** Returns the paragraphs of a shape: a title, bullet points, words that repeat on each slide, or other text. */
function shapeOf(shape: Element, lines: Element[], reading: Reading): Element[] {
  const [placeholder] = descendants(shape, 'ph')
  const kind = placeholder ? (placeholder.attributes.type ?? 'body') : ''
  if (empty.has(kind)) return []
  if (kind === 'body') return lines.length === 0 ? [] : [listOf(lines)]
  if (kind === 'title' || kind === 'ctrTitle') {
    reading.title ||= markdownOf(lines.slice(0, 1))
    return lines.map(({ children }) => element('h3', children))
  }
  if (!furniture.has(kind)) return lines
  const words = (line: Element) => wordsIn(line.children)
  const unknown = lines.filter((line) => !reading.told.has(words(line)))
  for (const line of unknown) reading.told.add(words(line))
  return unknown
}

/** Returns bullet points as one list; a deeper point belongs to the point before it. */
function listOf(points: Element[]): Element {
  const root = element('ul')
  const open = [root]
  for (const { children, attributes } of points) {
    const depth = Math.min(Math.max(Number(attributes.level) || 0, 0), 8)
    open.length = Math.min(open.length, depth + 1)
    for (let list = open.at(-1) as Element; open.length <= depth; open.push(list)) {
      const item = elements(list.children, 'li').at(-1) ?? element('li')
      if (list.children.length === 0) list.children.push(item)
      list = element('ul')
      item.children.push(list)
    }
    open.at(-1)?.children.push(element('li', [...children]))
  }
  return root
}
