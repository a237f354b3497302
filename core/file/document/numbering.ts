import { escapeUTF8 } from 'entities/escape'
import { Parser } from 'htmlparser2'
import { numberText } from './markdown.ts'
import { descendants, type Element, xmlTree } from './tree.ts'

type Level = { start: number; format: string; text: string; style: string }
type Levels = Map<number, Level>
/** A use of a list definition; it may restart levels. */
type Use = { list: string; starts: Map<number, number> }
/** The list and the level of a paragraph or of a style. */
type Place = { use?: string | undefined; level?: number | undefined }
type Style = Place & { base: string | undefined }
type Lists = { lists: Map<string, Levels>; uses: Map<string, Use>; styles: Map<string, Style> }

/** Limit of base styles to follow, because styles may be based on each other in a circle. */
const maxBases = 20

/**
 * Returns the XML of a Word part with the number of each numbered paragraph as its first text. It counts like Word:
 * lists with the same definition continue after a break, deeper levels restart, and headings have numbers too.
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
      `<w:r><w:t xml:space="preserve">${escapeUTF8(numberText(label))}</w:t></w:r>`,
    )
    done = end
  })
  return out.join('') + xml.slice(done)
}

/** Calls `found` for the properties of each paragraph, with the position of their end in the XML. */
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

function listsOf(numbering: string, styles: string): Lists {
  const tree = xmlTree(numbering)
  const lists = descendants(tree, 'abstractNum').map((list): [string, Levels] => [
    list.attributes['w:abstractNumId'] ?? '',
    new Map(descendants(list, 'lvl').map((level) => [Number(level.attributes['w:ilvl']), levelIn(level)])),
  ])
  const uses = descendants(tree, 'num').map((use): [string, Use] => [
    use.attributes['w:numId'] ?? '',
    { list: valueIn(use, 'abstractNumId') ?? '', starts: startsIn(use) },
  ])
  const known = descendants(xmlTree(styles), 'style').map((style): [string, Style] => [
    style.attributes['w:styleId'] ?? '',
    { ...placeIn(style), base: valueIn(style, 'basedOn') },
  ])
  return { lists: new Map(lists), uses: new Map(uses), styles: new Map(known) }
}

/** Returns the value of the last element with a tag: earlier elements are alternatives for newer programs. */
function valueIn(element: Element, tag: string): string | undefined {
  return descendants(element, tag).at(-1)?.attributes['w:val']
}

function levelIn(level: Element): Level {
  return {
    start: Number(valueIn(level, 'start') ?? 1),
    format: valueIn(level, 'numFmt') ?? 'decimal',
    text: valueIn(level, 'lvlText') ?? '',
    style: valueIn(level, 'pStyle') ?? '',
  }
}

/** Returns the levels that a use of a list restarts, with their first numbers. */
function startsIn(use: Element): Use['starts'] {
  const again = descendants(use, 'lvlOverride').filter((level) => valueIn(level, 'startOverride'))
  return new Map(
    again.map((level) => [Number(level.attributes['w:ilvl']), Number(valueIn(level, 'startOverride'))]),
  )
}

function placeIn(style: Element): Place {
  const level = valueIn(style, 'ilvl')
  return { use: valueIn(style, 'numId'), level: level === undefined ? undefined : Number(level) }
}

/** Returns the number of a paragraph as text; undefined for a paragraph with a bullet or without a number. */
function labelOf(
  own: Place,
  style: string,
  { lists, uses, styles }: Lists,
  counters: Map<string, number[]>,
  begun: Set<string>,
): string | undefined {
  const inherited = inheritedPlace(style, styles)
  const name = own.use ?? inherited.use
  const use = name === undefined || name === '0' ? undefined : uses.get(name)
  const levels = use && lists.get(use.list)
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

function inheritedPlace(style: string, styles: Lists['styles']): Place {
  let found = styles.get(style)
  for (let n = 0; n < maxBases && found?.use === undefined && found?.base !== undefined; n++)
    found = styles.get(found.base)
  return found ?? {}
}

const romanSigns = ['m', 'cm', 'd', 'cd', 'c', 'xc', 'l', 'xl', 'x', 'ix', 'v', 'iv', 'i']
const romanValues = [1_000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1]

/** Returns a number in the format of a level: as digits, letters or Roman numerals. */
export function inFormat(number: number, format: string): string {
  if (format === 'decimalZero') return String(number).padStart(2, '0')
  const small = inLetters(number, format)
  return format.startsWith('upper') ? small.toUpperCase() : small
}

function inLetters(number: number, format: string): string {
  const times = Math.min(Math.ceil(number / 26), 20) || 1
  if (/Letter$/.test(format)) return String.fromCharCode(97 + ((number - 1) % 26)).repeat(times)
  if (!/Roman$/.test(format) || number <= 0 || number >= 4_000) return String(number)
  let rest = number
  let roman = ''
  for (const [at, value] of romanValues.entries()) {
    roman += romanSigns[at]?.repeat(rest / value)
    rest %= value
  }
  return roman
}
