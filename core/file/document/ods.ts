import { eachTag, openParts } from './parts.ts'
import { type Extraction, type LeftOut, type Limits, leftOutOf } from './schema.ts'
import { readSheets, type Sheet } from './sheets.ts'

/** A row of cells, and how often it stands one below the other. */
type Run = { cells: string[]; times: number }

type Table = { name: string; isHidden: boolean; runs: Run[] }

/** The cell that is open: its stored value or its words, and how often it stands side by side. */
type Cell = { value: string | undefined; words: string[]; times: number; link: string }

/** A sheet that fills more with one cell is cut there: nobody reads on. */
const maxCells = { rows: 1_048_576, columns: 1_024 }

/**
 * The cells of an OpenDocument workbook: numbers as they are stored, dates in their ISO form, links with their address
 * behind the words. Only for use in the sandbox, after the pre-flight.
 */
export async function readOds(bytes: Uint8Array, limits: Limits): Promise<Extraction> {
  const parts = await openParts(bytes)
  const found: Partial<Record<LeftOut, boolean>> = {
    pictures: parts.names.some((name) => /^Pictures\/./.test(name)),
  }
  const tables = tablesOf(await parts.text('content.xml'), found)
  const sheets = tables.map(({ name, isHidden, runs }): Sheet => ({ name, isHidden, rows: repeated(runs) }))
  const extraction = await readSheets(sheets, limits)
  return extraction.text === ''
    ? extraction
    : { ...extraction, leftOut: [...leftOutOf(found), ...extraction.leftOut] }
}

function* repeated(runs: Run[]): Generator<string[]> {
  for (const { cells, times } of runs) for (let n = 0; n < times; n++) yield cells
}

function tablesOf(xml: string, found: Partial<Record<LeftOut, boolean>>): Table[] {
  const tables: Table[] = []
  const hiddenStyles = new Set<string>()
  let style = ''
  let row: Run | undefined
  let cell: Cell | undefined
  let aside = 0
  let isText = false
  eachTag(
    xml,
    (tag, attributes) => {
      if (tag === 'style') style = attributes['style:name'] ?? ''
      if (tag === 'table-properties' && attributes['table:display'] === 'false') hiddenStyles.add(style)
      if (tag === 'annotation' || tag === 'shapes') aside += 1
      notice(tag, found)
      if (aside > 0) return
      if (tag === 'table') tables.push(tableOf(attributes, hiddenStyles))
      if (tag === 'table-row') row = { cells: [], times: repeats(attributes, 'rows', maxCells.rows) }
      if (tag === 'table-cell' || tag === 'covered-table-cell') cell = cellOf(attributes)
      if (tag === 'p' && cell) cell.words.push('')
      if (tag === 'a' && cell) cell.link = attributes['xlink:href'] ?? ''
      if ((tag === 's' || tag === 'tab' || tag === 'line-break') && cell) addWords(cell, ' ')
      isText ||= tag === 'p'
    },
    {
      text: (words) => {
        if (aside === 0 && isText && cell) addWords(cell, words)
      },
      closed: (tag) => {
        if (tag === 'annotation' || tag === 'shapes') aside -= 1
        if (aside > 0) return
        if (tag === 'p') isText = false
        if (tag === 'table-cell' || tag === 'covered-table-cell') {
          if (cell && row) append(cell, row.cells)
          cell = undefined
        }
        if (tag === 'table-row' && row) {
          tables.at(-1)?.runs.push(trimmed(row))
          row = undefined
        }
        if (tag === 'table') dropEnd(tables.at(-1)?.runs)
      },
    },
  )
  return tables
}

function notice(tag: string, found: Partial<Record<LeftOut, boolean>>): void {
  if (tag === 'annotation') found.cellComments = true
  if (tag === 'image') found.pictures = true
  if (tag === 'object') found.charts = true
  if (tag === 'object-ole') found.embeddedFiles = true
  if (tag === 'tracked-changes') found.trackedChanges = true
}

function tableOf(attributes: Record<string, string>, hidden: ReadonlySet<string>): Table {
  const isHidden = hidden.has(attributes['table:style-name'] ?? '')
  return { name: attributes['table:name'] ?? '', isHidden, runs: [] }
}

function cellOf(attributes: Record<string, string>): Cell {
  const kind = attributes['office:value-type']
  const date = attributes['office:date-value']?.replace('T', ' ').replace(/ 00:00:00(?:\.0+)?$/, '')
  const isNumber = kind === 'float' || kind === 'currency' || kind === 'percentage'
  const value = isNumber ? attributes['office:value'] : (date ?? attributes['office:boolean-value'])
  return { value, words: [], times: repeats(attributes, 'columns', maxCells.columns), link: '' }
}

function repeats(attributes: Record<string, string>, kind: 'rows' | 'columns', limit: number): number {
  return Math.min(Math.max(Number(attributes[`table:number-${kind}-repeated`]) || 1, 1), limit)
}

function addWords({ words }: Cell, text: string): void {
  words[words.length - 1] = (words.at(-1) ?? '') + text
}

/** The names of errors: some programs store the number 0 beside them. */
const failure = /^(?:#\p{Lu}[\p{Lu}\d/]*[!?]?|Err:\d+)$/u

function append({ value, words, times, link }: Cell, cells: string[]): void {
  const shownWords = words.join(' ')
  const text = failure.test(shownWords) ? shownWords : (value ?? shownWords)
  const isLink = /^(https?|mailto):/i.test(link) && link !== text
  const shown = isLink ? `${text} (${link})`.trim() : text
  for (let n = 0; n < times && cells.length < maxCells.columns; n++) cells.push(shown)
}

function trimmed({ cells, times }: Run): Run {
  const end = cells.findLastIndex((cell) => cell !== '') + 1
  // A gap is told by one empty row, whatever its height.
  return { cells: cells.slice(0, end), times: end === 0 ? 1 : times }
}

/** Drops the empty rows at the end of a sheet, which a program writes up to the last row there can be. */
function dropEnd(runs: Run[] | undefined): void {
  while (runs?.at(-1)?.cells.length === 0) runs.pop()
}
