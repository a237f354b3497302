import { Parser } from 'htmlparser2'
import { escapeHtml, numberText } from './markdown.ts'
import { eachTag } from './parts.ts'

type Level = { start: number; format: string; text: string; style: string }
type List = { levels: Map<number, Level> }
/** A use of a list, which may begin levels again. */
type Use = { list: string; starts: Map<number, number> }
/** The place of a paragraph, or of its style, in a list. */
type Place = { use?: string; level?: number }
type Lists = {
  lists: Map<string, List>
  uses: Map<string, Use>
  styles: Map<string, Place & { base?: string }>
}

/** Styles may be based on each other in a circle. */
const maxBases = 20

/**
 * The XML of a Word part with the number of each numbered paragraph as its first run, as Word counts: lists that share
 * a definition go on after a break, deeper levels begin again, headings have numbers too.
 */
export function withNumbers(xml: string, numbering: string, styles: string): string {
  if (numbering === '' || !xml.includes('xmlns:w=')) return xml
  const lists = listsOf(numbering, styles)
  const counters = new Map<string, number[]>()
  const begun = new Set<string>()
  const out: string[] = []
  let done = 0
  eachPlace(xml, (place, style, end) => {
    const label = labelOf(place, style, lists, counters, begun)
    if (!label) return
    out.push(
      xml.slice(done, end),
      `<w:r><w:t xml:space="preserve">${escapeHtml(numberText(label))}</w:t></w:r>`,
    )
    done = end
  })
  return out.join('') + xml.slice(done)
}

/** Calls back for the properties of each paragraph, with the place at which they end in the XML. */
function eachPlace(xml: string, found: (place: Place, style: string, end: number) => void): void {
  let place: Place = {}
  let style = ''
  let depth = 0
  let past = 0
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        if (tag === 'w:pPr' && depth++ === 0) [place, style] = [{}, '']
        if (tag === 'w:pPrChange') past += 1
        if (depth === 0 || past > 0) return
        if (tag === 'w:pStyle') style = attributes['w:val'] ?? ''
        if (tag === 'w:numId') place.use = attributes['w:val'] ?? ''
        if (tag === 'w:ilvl') place.level = Number(attributes['w:val'])
      },
      onclosetag(tag) {
        if (tag === 'w:pPrChange') past -= 1
        if (tag === 'w:pPr' && --depth === 0) found(place, style, parser.endIndex + 1)
      },
    },
    { xmlMode: true },
  )
  parser.end(xml)
}

function listsOf(numbering: string, styleXml: string): Lists {
  const lists = new Map<string, List>()
  const uses = new Map<string, Use>()
  let list: List = { levels: new Map() }
  let use: Use | undefined
  let level: Level = { start: 1, format: '', text: '', style: '' }
  let overridden = 0
  eachTag(numbering, (tag, attributes) => {
    const value = attributes['w:val'] ?? ''
    if (tag === 'abstractNum') {
      list = { levels: new Map() }
      lists.set(attributes['w:abstractNumId'] ?? '', list)
    }
    if (tag === 'num') {
      use = { list: '', starts: new Map() }
      uses.set(attributes['w:numId'] ?? '', use)
    }
    if (tag === 'abstractNumId' && use) use.list = value
    if (tag === 'lvlOverride') overridden = Number(attributes['w:ilvl'])
    if (tag === 'startOverride') use?.starts.set(overridden, Number(value))
    if (tag === 'lvl') {
      level = { start: 1, format: 'decimal', text: '', style: '' }
      // Levels within a use replace those of its list; the list's own come first in the part.
      if (!use) list.levels.set(Number(attributes['w:ilvl']), level)
    }
    if (tag === 'start') level.start = Number(value)
    if (tag === 'numFmt') level.format = value
    if (tag === 'lvlText') level.text = value
    if (tag === 'pStyle') level.style = value
  })
  return { lists, uses, styles: stylesOf(styleXml) }
}

function stylesOf(xml: string): Lists['styles'] {
  const styles: Lists['styles'] = new Map()
  let style: Place & { base?: string } = {}
  eachTag(xml, (tag, attributes) => {
    const value = attributes['w:val'] ?? ''
    if (tag === 'style') {
      style = {}
      styles.set(attributes['w:styleId'] ?? '', style)
    }
    if (tag === 'basedOn') style.base = value
    if (tag === 'numId') style.use = value
    if (tag === 'ilvl') style.level = Number(value)
  })
  return styles
}

/** The number of a paragraph in words; undefined for one that has none, or a bullet. */
function labelOf(
  own: Place,
  style: string,
  { lists, uses, styles }: Lists,
  counters: Map<string, number[]>,
  begun: Set<string>,
): string | undefined {
  const inherited = levelOf(style, styles)
  const name = own.use ?? inherited.use
  const use = name === undefined || name === '0' ? undefined : uses.get(name)
  const levels = use && lists.get(use.list)?.levels
  if (!use || !levels) return undefined
  const ofStyle = [...levels].find(([, one]) => style !== '' && one.style === style)?.[0]
  const at = own.level ?? inherited.level ?? ofStyle ?? 0
  const level = levels.get(at)
  if (!level) return undefined
  const counter = counters.get(use.list) ?? []
  counters.set(use.list, counter)
  const again = begun.has(`${name} ${at}`) ? undefined : use.starts.get(at)
  begun.add(`${name} ${at}`)
  counter[at] = again ?? (counter[at] === undefined ? level.start : counter[at] + 1)
  counter.length = at + 1
  if (level.format === 'bullet' || level.format === 'none') return undefined
  return level.text.replace(/%([1-9])/g, (_, digit: string) => {
    const of = levels.get(Number(digit) - 1)
    return inFormat(counter[Number(digit) - 1] ?? of?.start ?? 1, of?.format ?? 'decimal')
  })
}

function levelOf(style: string, styles: Lists['styles']): Place {
  let found = styles.get(style)
  for (let n = 0; n < maxBases && found?.use === undefined && found?.base !== undefined; n++) {
    found = styles.get(found.base)
  }
  return found ?? {}
}

const romans = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
] as const

/** A number in the format of a level: as digits, letters or Roman numerals. */
export function inFormat(number: number, format: string): string {
  if (/Letter$/.test(format)) {
    const letter = String.fromCharCode(97 + ((number - 1) % 26)).repeat(
      Math.min(Math.ceil(number / 26), 20) || 1,
    )
    return format.startsWith('upper') ? letter.toUpperCase() : letter
  }
  if (/Roman$/.test(format) && number > 0 && number < 4_000) {
    let rest = number
    let roman = ''
    for (const [value, sign] of romans) {
      while (rest >= value) {
        roman += sign
        rest -= value
      }
    }
    return format.startsWith('upper') ? roman.toUpperCase() : roman
  }
  return format === 'decimalZero' ? String(number).padStart(2, '0') : String(number)
}
