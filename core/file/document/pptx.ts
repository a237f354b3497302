import { own } from '../../base/json.ts'
import { withEquations } from './equation.ts'
import { escapeHtml, toMarkdown } from './markdown.ts'
import {
  eachTag,
  externalLinks,
  mainPartOf,
  openParts,
  type Parts,
  type Relationship,
  relationshipsOf,
} from './parts.ts'
import {
  cap,
  type Extent,
  type Extraction,
  type LeftOut,
  type Limits,
  leftOutOf,
  outlined,
  processorMs,
  reached,
  without,
} from './schema.ts'

/** The kinds of related parts that the text of a slide lacks. */
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

/** Kinds of placeholders that hold nothing of their own. */
const empty = new Set(['sldNum', 'sldImg'])
/** Placeholders for date and footer: mostly equal on every slide, so equal words are told once. */
const furniture = new Set(['dt', 'ftr', 'hdr'])

/**
 * The text of a presentation, slide by slide: title, lists, tables, then the speaker's notes and the comments. A slide
 * that is not shown is marked. Only for use in the sandbox, after the pre-flight.
 */
export async function readPptx(bytes: Uint8Array, limits: Limits): Promise<Extraction> {
  const until = processorMs() + limits.softMs
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
    if (processorMs() > until || length > limits.characters) break
    const slide = await slideText(parts, slides[at - 1] as string, found, told)
    const name = `## Slide ${at}${slide.isHidden ? ' (hidden)' : ''}`
    texts.push([name, slide.text].filter((text) => text !== '').join('\n\n'))
    if (slide.title) outline.push(`${name.slice(3)}: ${slide.title}`)
    length += slide.text.length
    to = at
  }
  if (length === 0 && to === slides.length) return without('noText')
  const { text, isCut } = cap(texts.join('\n\n'), limits.characters)
  const from = Math.min(limits.from, slides.length)
  const extent: Extent = { unit: 'slide', from, to, total: slides.length }
  const isWhole = limits.from === 1 && to === slides.length && !isCut
  return {
    state: isWhole ? 'whole' : 'truncated',
    text,
    extent: isCut ? reached(extent, text) : extent,
    leftOut: leftOutOf(found),
    ...(!isWhole && outlined(outline, limits)),
    ...(to < last && length <= limits.characters && { isCutByTime: true }),
  }
}

/** The parts of the slides, in the order of the show. */
async function slidesOf({ text }: Parts): Promise<string[]> {
  const name = (await mainPartOf(text)) || 'ppt/presentation.xml'
  const related = new Map((await relationshipsOf(text, name)).map(({ id, target }) => [id, target]))
  const slides: string[] = []
  eachTag(await text(name), (tag, attributes) => {
    const target = tag === 'sldId' ? related.get(attributes['r:id'] ?? '') : undefined
    if (target) slides.push(target)
  })
  return slides
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
  const { html, title } = shapes(xml, await externalLinks(text, slide), told)
  const of = async (kind: string, heading: string) => {
    const targets = related.filter(({ type }: Relationship) => type === kind).map(({ target }) => target)
    const bodies = await Promise.all(
      targets.map(async (target) => shapes(await text(target), new Map(), told).html),
    )
    const words = toMarkdown(bodies.join(''))
    return words === '' ? '' : `### ${heading}\n\n${words}`
  }
  const sections = [toMarkdown(html), await of('notesSlide', 'Notes'), await of('comments', 'Comments')]
  return {
    text: sections.filter((section) => section !== '').join('\n\n'),
    title,
    isHidden: /<p:sld\s[^>]*\bshow="(?:0|false)"/.test(xml),
  }
}

/** The open places of a part while its shapes are read. */
type Open = {
  html: string
  title: string
  line: string
  /** The points of the shape that is open, with their levels. */
  points: { line: string; level: number }[]
  level: number
  placeholder: string
  fallback: number
  /** The words of headers and footers that an earlier slide had. */
  told: Set<string>
}

/** The words of the shapes of a slide, of its notes or of its comments, as HTML, and its title. */
function shapes(
  xml: string,
  links: ReadonlyMap<string, string>,
  told: Set<string>,
): { html: string; title: string } {
  const open: Open = {
    html: '',
    title: '',
    line: '',
    points: [],
    level: 0,
    placeholder: '',
    fallback: 0,
    told,
  }
  let isText = false
  let link = ''
  eachTag(
    withEquations(xml),
    (tag, attributes) => {
      if (tag === 'Fallback') open.fallback += 1
      if (open.fallback > 0) return
      isText = tag === 't' || tag === 'text'
      if (tag === 'sp') open.placeholder = ''
      if (tag === 'ph') open.placeholder = attributes.type ?? 'body'
      if (tag === 'pPr') open.level = Number(attributes.lvl ?? 0) || 0
      if (tag === 'p') Object.assign(open, { line: '', level: 0 })
      if (tag === 'br') open.line += '<br>'
      if (tag === 'r') link = ''
      if (tag === 'hlinkClick') link = links.get(attributes['r:id'] ?? '') ?? ''
      open.html += tableTag(tag, attributes)
    },
    {
      text: (words) => {
        if (!isText || open.fallback > 0) return
        const escaped = escapeHtml(words)
        open.line += link ? `<a href="${escapeHtml(link)}">${escaped}</a>` : escaped
      },
      closed: (tag) => {
        isText = false
        if (tag === 'Fallback') open.fallback -= 1
        else if (open.fallback === 0) close(tag, open)
      },
    },
  )
  return { html: open.html, title: open.title }
}

function tableTag(tag: string, { gridSpan, rowSpan, hMerge, vMerge }: Record<string, string>): string {
  if (tag === 'tbl') return '<table>'
  if (tag === 'tr') return '<tr>'
  if (tag !== 'tc' || hMerge === '1' || vMerge === '1') return ''
  return `<td colspan="${Number(gridSpan) || 1}" rowspan="${Number(rowSpan) || 1}">`
}

function close(tag: string, open: Open): void {
  if (tag === 'tbl') open.html += '</table>'
  if (tag === 'tr') open.html += '</tr>'
  if (tag === 'tc') open.html += '</td>'
  if (tag === 'sp') {
    open.html += listOf(open.points)
    open.points = []
  }
  if (tag !== 'p' && tag !== 'text') return
  const { line, level, placeholder, told } = open
  open.line = ''
  const isKnown = furniture.has(placeholder) && told.has(line)
  if (line.trim() === '' || empty.has(placeholder) || isKnown) return
  if (furniture.has(placeholder)) told.add(line)
  if (placeholder === 'title' || placeholder === 'ctrTitle') {
    open.title ||= toMarkdown(line)
    open.html += `<h3>${line}</h3>`
  } else if (placeholder === 'body') open.points.push({ line, level })
  else open.html += `<p>${line}</p>`
}

/** Points as one list; a deeper point belongs to the one before. */
function listOf(points: Open['points']): string {
  let html = ''
  let depth = 0
  for (const { line, level } of points) {
    const to = Math.min(Math.max(level, 0), 8) + 1
    html += to > depth ? '<ul><li>'.repeat(to - depth) : `${'</li></ul>'.repeat(depth - to)}</li><li>`
    html += line
    depth = to
  }
  return html + '</li></ul>'.repeat(depth)
}
