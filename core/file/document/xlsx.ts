import type { CellValue, StreamRow } from 'hucre/xlsx'
import { readXlsx as readWorkbook, streamXlsxRows } from 'hucre/xlsx'
import { eachTag, openParts, type Parts, relationshipsOf } from './parts.ts'
import { cap, type Extraction, type LeftOut, type Limits, without } from './schema.ts'

type Sheet = { name: string; index: number; isHidden: boolean }

type Workbook = { sheets: Sheet[]; chartSheets: number; startsIn1904: boolean }

/** The rest of the limits, over all sheets. */
type Rest = { rows: number; characters: number; isNarrowed: boolean }

/**
 * The cells of a workbook, sheet by sheet under a heading each, with tabs between columns. Formulas give their stored
 * results, dates their ISO form. Sheets are streamed, so that the cost of a large sheet depends on the rows that are
 * read. Only for use in the sandbox, after the pre-flight.
 */
export async function readXlsx(bytes: Uint8Array, limits: Limits): Promise<Extraction> {
  const until = performance.now() + limits.softMs
  const rest: Rest = { rows: limits.rows, characters: limits.characters, isNarrowed: false }
  const texts: string[] = []
  const parts = await openParts(bytes)
  const workbook = await workbookOf(parts)
  let filled = 0
  let isWhole = true
  let isLate = false
  for (const sheet of workbook.sheets) {
    isLate = performance.now() > until
    if (isLate || rest.rows === 0 || rest.characters <= 0) isWhole = false
    if (!isWhole) break
    const { lines, isCut } = await readSheet(parts.bytes, sheet, limits, rest, workbook.startsIn1904)
    filled += lines.length
    isWhole = !isCut
    texts.push([heading(sheet), '', ...(lines.length > 0 ? lines : ['(empty)'])].join('\n'))
  }
  if (filled === 0) return without('noText')
  const { text, isCut } = cap(texts.join('\n\n'), limits.characters)
  return {
    state: isWhole && !isCut ? 'whole' : 'truncated',
    text,
    pages: null,
    leftOut: leftOutOf(parts, workbook, rest),
    ...(isLate && !isCut && { isCutByTime: true }),
  }
}

function leftOutOf({ names }: Parts, { chartSheets }: Workbook, { isNarrowed }: Rest): LeftOut[] {
  const has = (kind: LeftOut, found: boolean): LeftOut[] => (found ? [kind] : [])
  const any = (pattern: RegExp) => names.some((name) => pattern.test(name))
  return [
    ...has('pictures', any(/^xl\/media\/./i)),
    ...has('charts', chartSheets === 0 && any(/^xl\/charts\/./i)),
    ...has('chartSheets', chartSheets > 0),
    ...has('embeddedFiles', any(/^xl\/embeddings\/./i)),
    ...has('cellComments', any(/^xl\/(comments|threadedComments\/)/i)),
    ...has('columns', isNarrowed),
  ]
}

/** The predicate records every sheet and refuses each, so that only the directory of the workbook is parsed. */
async function workbookOf(parts: Parts): Promise<Workbook> {
  const all: Sheet[] = []
  const { dateSystem } = await readWorkbook(parts.bytes, {
    sheets: ({ name, hidden, veryHidden }, index) => {
      all.push({ name, index, isHidden: Boolean(hidden || veryHidden) })
      return false
    },
  })
  const charts = await chartSheetsOf(parts)
  const sheets = all.filter(({ name }) => !charts.has(name))
  return { sheets, chartSheets: all.length - sheets.length, startsIn1904: dateSystem === '1904' }
}

/** The names of the sheets that hold a chart and no cells. */
async function chartSheetsOf({ text }: Parts): Promise<Set<string>> {
  const main = (await relationshipsOf(text, '')).find(({ type }) => type === 'officeDocument')
  if (!main) return new Set()
  const related = await relationshipsOf(text, main.target)
  const charts = new Set(related.filter(({ type }) => type === 'chartsheet').map(({ id }) => id))
  const names = new Set<string>()
  eachTag(await text(main.target), (tag, attributes) => {
    if (tag !== 'sheet') return
    const isChart = Object.entries(attributes).some(([key, id]) => key.endsWith(':id') && charts.has(id))
    if (isChart) names.add(attributes.name ?? '')
  })
  return names
}

async function readSheet(
  bytes: Uint8Array,
  sheet: Sheet,
  limits: Limits,
  rest: Rest,
  startsIn1904: boolean,
): Promise<{ lines: string[]; isCut: boolean }> {
  const lines: string[] = []
  // Asks for one row more than may be kept, which shows if there are more.
  for await (const row of streamXlsxRows(bytes, { sheet: sheet.index, maxRows: rest.rows + 1 })) {
    if (rest.rows === 0 || rest.characters <= 0) return { lines, isCut: true }
    rest.isNarrowed ||= row.values.length > limits.columns
    const line = lineOf(row, limits.columns, startsIn1904)
    lines.push(line)
    rest.rows -= 1
    rest.characters -= line.length + 1
  }
  while (lines.at(-1) === '') lines.pop()
  return { lines, isCut: false }
}

function heading({ name, isHidden }: Sheet): string {
  return `## ${name.replace(/\s+/g, ' ').trim()}${isHidden ? ' (hidden)' : ''}`
}

function lineOf(row: StreamRow, columns: number, startsIn1904: boolean): string {
  const cells = row.values.slice(0, columns).map((value) => cell(value, startsIn1904))
  return (row.values.length > columns ? [...cells, '…'] : cells).join('\t').trimEnd()
}

function cell(value: CellValue, startsIn1904: boolean): string {
  if (value === null) return ''
  if (!(value instanceof Date)) return String(value).replace(/\s+/g, ' ')
  if (Number.isNaN(value.getTime())) return ''
  return moment(value, startsIn1904)
}

/** The first day of a workbook. A value below sixty days is a time, not a date. */
const dayZero = { 1900: Date.UTC(1899, 11, 31), 1904: Date.UTC(1904, 0, 1) }
const firstDate = { 1900: Date.UTC(1900, 2, 1), 1904: Date.UTC(1904, 2, 1) }

/** Formats a date, a date with its time, or a time of day or duration as hours, minutes and seconds; rounds seconds. */
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
