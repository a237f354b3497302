import type { CellValue, StreamRow } from 'hucre/xlsx'
import { readXlsx as readWorkbook, streamXlsxRows } from 'hucre/xlsx'
import { cap, type Extraction, type Limits, without } from './schema.ts'

type Sheet = { name: string; index: number; isHidden: boolean }

/** What is left of the limits, over all sheets. */
type Rest = { rows: number; characters: number }

/**
 * The cells of a workbook, sheet by sheet under a heading each, columns separated by tabs; formulas as their stored
 * results, dates in ISO form. Sheets are streamed, so that a large one costs what is read of it. Only for use in the
 * sandbox, after the pre-flight.
 */
export async function readXlsx(bytes: Uint8Array, limits: Limits): Promise<Extraction> {
  const until = performance.now() + limits.softMs
  const rest: Rest = { rows: limits.rows, characters: limits.characters }
  const parts: string[] = []
  const sheets = await sheetsOf(bytes)
  let filled = 0
  let isWhole = true
  for (const sheet of sheets) {
    if (performance.now() > until || rest.rows === 0 || rest.characters <= 0) isWhole = false
    if (!isWhole) break
    const { lines, isCut } = await readSheet(bytes, sheet, limits, rest)
    filled += lines.length
    isWhole = !isCut
    parts.push([heading(sheet), '', ...(lines.length > 0 ? lines : ['(empty)'])].join('\n'))
  }
  if (filled === 0) return without('noText')
  const { text, isCut } = cap(parts.join('\n\n'), limits.characters)
  return { state: isWhole && !isCut ? 'whole' : 'truncated', text, pages: null }
}

/** The predicate sees every sheet, and turns down each: only the directory of the workbook is parsed. */
async function sheetsOf(bytes: Uint8Array): Promise<Sheet[]> {
  const sheets: Sheet[] = []
  await readWorkbook(bytes, {
    sheets: ({ name, hidden, veryHidden }, index) => {
      sheets.push({ name, index, isHidden: Boolean(hidden || veryHidden) })
      return false
    },
  })
  return sheets
}

async function readSheet(
  bytes: Uint8Array,
  sheet: Sheet,
  limits: Limits,
  rest: Rest,
): Promise<{ lines: string[]; isCut: boolean }> {
  const lines: string[] = []
  // One more than may be kept tells whether there is more.
  for await (const row of streamXlsxRows(bytes, { sheet: sheet.index, maxRows: rest.rows + 1 })) {
    if (rest.rows === 0 || rest.characters <= 0) return { lines, isCut: true }
    const line = lineOf(row, limits.columns)
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

function lineOf(row: StreamRow, columns: number): string {
  const cells = row.values.slice(0, columns).map(cell)
  return (row.values.length > columns ? [...cells, '…'] : cells).join('\t').trimEnd()
}

function cell(value: CellValue): string {
  if (value === null) return ''
  if (!(value instanceof Date)) return String(value).replace(/\s+/g, ' ')
  if (Number.isNaN(value.getTime())) return ''
  const iso = value.toISOString()
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.slice(0, 19).replace('T', ' ')
}
