import { decodeXML } from 'entities/decode'
import { formatValue } from 'hucre'
import { type CellValue, parseCellRef, type StreamRow, streamXlsxRows } from 'hucre/xlsx'
import { type Limits, leftOutOf } from './excerpt.ts'
import { externalLinks, mainPartOf, openParts, type Parts, relationshipsOf } from './parts.ts'
import type { Extraction, LeftOut } from './schema.ts'
import { readSheets, type Sheet } from './sheets.ts'
import { descendants, type Element, elements, wordsIn, xmlTree } from './tree.ts'

type Listed = { name: string; isHidden: boolean; part: string }

/** `formats` has, at the number of a cell style, a format that writes a percent sign or leading zeros. */
type Workbook = { sheets: Listed[]; chartSheets: number; startsIn1904: boolean; formats: string[] }

/**
 * Returns the cells of a workbook. A formula becomes its stored result if there is one, and a date its ISO form. A
 * percentage and a number with leading zeros keep their format. A link becomes its words with the address, and the text
 * boxes of a sheet follow its rows. Sheets are streamed, so that no large sheet is ever in memory. Only for use in the
 * sandbox, after the pre-flight.
 */
export async function readXlsx(bytes: Uint8Array, limits: Limits): Promise<Extraction> {
  const parts = await openParts(bytes)
  const workbook = await workbookOf(parts)
  const sheets = workbook.sheets.map(
    (sheet): Sheet => ({ ...sheet, rows: sheetRows(parts, sheet, workbook) }),
  )
  const extraction = await readSheets(sheets, limits)
  if (extraction.text === '') return extraction
  return { ...extraction, leftOut: [...besideCells(parts, workbook), ...extraction.leftOut] }
}

function besideCells({ names }: Parts, { chartSheets }: Workbook): LeftOut[] {
  const any = (pattern: RegExp) => names.some((name) => pattern.test(name))
  return leftOutOf({
    pictures: any(/^xl\/media\/./i),
    charts: chartSheets === 0 && any(/^xl\/charts\/./i),
    chartSheets: chartSheets > 0,
    embeddedFiles: any(/^xl\/embeddings\/./i),
    cellComments: any(/^xl\/(comments|threadedComments\/)/i),
  })
}

async function workbookOf({ text }: Parts): Promise<Workbook> {
  const main = await mainPartOf(text)
  const tree = xmlTree(await text(main))
  const [list] = descendants(tree, 'sheets')
  if (!list) throw new Error('The file has no list of sheets')
  const related = await relationshipsOf(text, main)
  const all = elements(list.children, 'sheet').map(({ attributes }) => {
    const { target: part = '', type } = related.find(({ id }) => id === idIn(attributes)) ?? {}
    const { name = '', state = '' } = attributes
    return { name, isHidden: /hidden$/i.test(state), part, type }
  })
  const sheets = all.filter(({ type }) => type !== 'chartsheet')
  const { date1904 = '' } = descendants(tree, 'workbookPr')[0]?.attributes ?? {}
  const styles = related.find(({ type }) => type === 'styles')?.target ?? ''
  return {
    sheets,
    chartSheets: all.length - sheets.length,
    startsIn1904: /^(1|true)$/.test(date1904),
    formats: formatsOf(xmlTree(await text(styles))),
  }
}

function formatsOf(styles: Element): string[] {
  const lists = descendants(styles, 'numFmts', 'cellXfs').flatMap(({ children }) => children)
  const codes: Record<string, string> = { 9: '0%', 10: '0.00%' }
  for (const { attributes } of elements(lists, 'numFmt'))
    codes[attributes.numFmtId ?? ''] = attributes.formatCode ?? ''
  return elements(lists, 'xf').map(({ attributes }) => keptFormat(codes[attributes.numFmtId ?? '']))
}

/** Returns a format with a percent sign that multiplies, or with leading zeros; empty for any other. */
function keptFormat(code = ''): string {
  const bare = code.replace(/"[^"]*"|\\./g, '')
  const isKept = bare.includes('%') || (!code.includes('%') && /(?<![#?.,+\d])00/.test(bare))
  return isKept ? code : ''
}

async function* sheetRows(
  parts: Parts,
  { name, part }: Listed,
  { startsIn1904, formats }: Workbook,
): AsyncGenerator<string[]> {
  const links = await linksOf(parts, part)
  const rows = streamXlsxRows(parts.bytes, { sheet: name })
  for await (const row of formats.some(Boolean)
    ? formatted(rows, parts.matches(part, styled), formats)
    : rows) {
    const cells = row.values.map((value) => cell(value, startsIn1904))
    for (const [column, address] of links.get(row.index) ?? []) {
      const words = cells[column] ?? ''
      while (cells.length < column) cells.push('')
      cells[column] = words === '' || words === address ? address : `${words} (${address})`
    }
    yield cells
  }
  for (const words of await textBoxesOf(parts, part)) yield [`(text box) ${words}`]
}

/** Matches a cell with a style. */
const styled = /<c(?=[^>]{0,200}?\ss="(\d{1,5})")[^>]{0,200}?\sr="([A-Z]{1,3}\d{1,7})"/g

/** Yields the rows of a sheet with the numbers of formatted cells as text. The library leaves the styles out. */
async function* formatted(
  rows: AsyncIterable<StreamRow>,
  cells: AsyncGenerator<RegExpMatchArray>,
  formats: string[],
): AsyncGenerator<StreamRow> {
  let next = await cells.next()
  for await (const { index, values } of rows) {
    for (; !next.done; next = await cells.next()) {
      const [, style, ref = ''] = next.value
      const { row, col } = parseCellRef(ref)
      if (row > index) break
      const value = values[col]
      const format = formats[Number(style)]
      if (row === index && format && typeof value === 'number') values[col] = formatValue(value, format)
    }
    yield { index, values }
  }
}

/** Returns the words of each text box on a sheet, for the lines after its rows. */
async function textBoxesOf({ text }: Parts, part: string): Promise<string[]> {
  const related = part === '' ? [] : await relationshipsOf(text, part)
  const drawings = related.filter(({ type }) => type === 'drawing')
  const trees = await Promise.all(drawings.map(async ({ target }) => xmlTree(await text(target))))
  const boxes = trees.flatMap((tree) => descendants(tree, 'txBody'))
  return boxes
    .map((box) =>
      descendants(box, 'p')
        .map((line) => wordsIn(descendants(line, 't')))
        .join(' ')
        .trim(),
    )
    .filter((words) => words !== '')
}

/** Returns the id of a relationship, with any prefix of the attribute name. */
const idIn = (attributes: Record<string, string>) =>
  Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? ''

/**
 * Matches a cell with a formula, up to the end of the cell if it stores no result. A result of type `str` may be empty,
 * so it never counts as missing.
 */
const formula =
  /<c\b[^>]{0,200}?\br="([A-Z]{1,3}\d{1,7})"(?:[^>]{0,200}?\bt="(str)")?[^>]{0,200}><f(?:\s[^>]{0,200})?>([^<]{1,3000})<\/f>(?:(?:<v\s?\/>|<v><\/v>)?(<\/c>)|<v[^>]{0,50}>[^<])/g
/** Matches the link of a formula to an address that the formula itself contains. */
const formulaLink = /^.{0,200}?\bHYPERLINK\("((?:https?|mailto):[^"\s]{1,2000})"/is

/** Matches an entry of the list of links, which follows the rows. */
const hyperlink = /<(?:\w{1,20}:)?hyperlink\b(?:[^>"]|"[^"]{0,2000}"){0,500}>/g
/** Limit of links and of formulas of a sheet; further ones are left out. */
const maxLinks = 60_000

/** Returns the link targets of the cells, and formulas without a result, by row and column, both counted from 0. */
async function linksOf(parts: Parts, part: string): Promise<Map<number, Map<number, string>>> {
  const found = new Map<number, Map<number, string>>()
  if (part === '') return found
  let count = 0
  const add = (ref: string, address?: string) => {
    const [place] = /^[A-Z]{1,3}\d{1,7}\b/.exec(ref) ?? []
    if (!place || !address || ++count > maxLinks) return
    const { row, col } = parseCellRef(place)
    found.set(row, (found.get(row) ?? new Map<number, string>()).set(col, address))
  }
  for await (const [, ref = '', type, source = '', end] of parts.matches(part, formula)) {
    const written = decodeXML(source)
    const shown = formulaLink.exec(written)?.[1] ?? (type !== 'str' && end ? `=${written}` : '')
    add(ref, shown)
  }
  const targets = await externalLinks(parts.text, part)
  if (targets.size === 0) return found
  for await (const [link] of parts.matches(part, hyperlink)) {
    const { attributes = {} } = descendants(xmlTree(link), 'hyperlink')[0] ?? {}
    add(attributes.ref ?? '', targets.get(idIn(attributes)))
  }
  return found
}

function cell(value: CellValue, startsIn1904: boolean): string {
  if (!(value instanceof Date)) return String(value ?? '')
  return Number.isNaN(value.getTime()) ? '' : moment(value, startsIn1904)
}

/** Day zero of each date system. A value below sixty days is a time, not a date. */
const dayZero = { 1900: Date.UTC(1899, 11, 31), 1904: Date.UTC(1904, 0, 1) }
const firstDate = { 1900: Date.UTC(1900, 2, 1), 1904: Date.UTC(1904, 2, 1) }

/**
 * Formats a date, with its time unless that is midnight. Formats a time of day or a duration as `HH:MM:SS`. Rounds to
 * whole seconds.
 */
function moment(value: Date, startsIn1904: boolean): string {
  const system = startsIn1904 ? 1904 : 1900
  const rounded = Math.round(value.getTime() / 1_000) * 1_000
  if (rounded >= dayZero[system] && rounded < firstDate[system]) {
    return duration((rounded - dayZero[system]) / 1_000)
  }
  const iso = new Date(rounded).toISOString()
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.slice(0, 19).replace('T', ' ')
}

function duration(seconds: number): string {
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}
