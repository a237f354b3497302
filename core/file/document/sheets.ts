import { type Limits, leftOutOf, oneLine, outlined, partOf, processorMs, without } from './excerpt.ts'
import type { Extent, Extraction } from './schema.ts'

/** A sheet of a workbook: its rows of cells as text, including empty rows between others. */
export type Sheet = { name: string; isHidden: boolean; rows: AsyncIterable<string[]> | Iterable<string[]> }

/** The position of a reader in a workbook; rows count from 1 over all sheets. */
type Position = { row: number; to: number; characters: number; isFull: boolean; isLate: boolean }

/** A sheet after reading: its lines, and the data for its outline. */
type Part = {
  lines: string[]
  count: number
  columns: number
  first: string
  skipped: number
  isNarrowed: boolean
}

/** Checks the clock once per this many rows. */
const clockRows = 500

/**
 * Returns the rows of sheets within the limits, under a heading for each sheet, with tabs between columns. Beyond the
 * limits it only counts rows, until the time limit.
 */
export async function readSheets(sheets: Sheet[], limits: Limits): Promise<Extraction> {
  const until = processorMs() + limits.softMs
  const at: Position = { row: 0, to: 0, characters: limits.characters, isFull: false, isLate: false }
  const texts: string[] = []
  const outline: string[] = []
  let isNarrowed = false
  for (const sheet of sheets) {
    at.isLate ||= processorMs() > until
    if (at.isLate) break
    const wasFull = at.isFull
    const part = await readSheet(sheet, limits, at, until)
    isNarrowed ||= part.isNarrowed
    outline.push(`${heading(sheet)}: ${part.count} rows, ${part.columns} columns; first row: ${part.first}`)
    if (part.lines.length > 0 || (part.count === 0 && !wasFull && limits.from === 1)) {
      texts.push(
        [beginning(sheet, part), '', ...(part.lines.length > 0 ? part.lines : ['(empty)'])].join('\n'),
      )
    }
  }
  if (at.row === 0) return without('noText')
  const from = Math.min(limits.from, at.row)
  const extent: Extent = { unit: 'row', from, to: Math.max(from, at.to), total: at.isLate ? null : at.row }
  const part = partOf(texts.join('\n\n'), extent, leftOutOf({ columns: isNarrowed }), limits)
  return {
    ...outlined(part, outline, limits),
    ...(sheets.length > 1 && { sheets: sheets.length }),
    ...(at.isLate && !at.isFull && { isCutByTime: true }),
  }
}

async function readSheet(sheet: Sheet, limits: Limits, at: Position, until: number): Promise<Part> {
  const part: Part = { lines: [], count: 0, columns: 0, first: '', skipped: 0, isNarrowed: false }
  for await (const cells of sheet.rows) {
    at.row += 1
    part.count += 1
    part.columns = Math.max(part.columns, cells.length)
    if (part.count === 1) part.first = lineOf(cells, 20).replaceAll('\t', ' | ').slice(0, 300)
    if (part.count % clockRows === 0 && processorMs() > until) {
      at.isLate = true
      break
    }
    if (at.row < limits.from) part.skipped += 1
    else if (at.row >= limits.from + limits.rows || at.characters <= 0) at.isFull = true
    else takeRow(cells, part, limits, at)
  }
  while (part.lines.at(-1) === '') part.lines.pop()
  return part
}

function takeRow(cells: string[], part: Part, limits: Limits, at: Position): void {
  part.isNarrowed ||= cells.length > limits.columns
  const line = lineOf(cells, limits.columns)
  part.lines.push(line)
  at.to = at.row
  at.characters -= line.length + 1
}

function lineOf(cells: string[], columns: number): string {
  const kept = cells.slice(0, columns).map((cell) => cell.replace(/\s+/g, ' '))
  return (cells.length > columns ? [...kept, '…'] : kept).join('\t').trimEnd()
}

function heading({ name, isHidden }: Sheet): string {
  return `## ${oneLine(name)}${isHidden ? ' (hidden)' : ''}`
}

function beginning(sheet: Sheet, { skipped, first }: Part): string {
  const rest = ` (from row ${skipped + 1} of this sheet on; its first row: ${first})`
  return heading(sheet) + (skipped > 0 ? rest : '')
}
