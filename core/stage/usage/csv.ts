import { dollarsOf, type Sum } from './sum.ts'

/** Columns of sums, in the order of the table and of the file. */
export const columns = [
  'turns',
  'failed',
  'calls',
  'input',
  'output',
  'cacheRead',
  'cacheWrite',
  'dollars',
] as const

/** The values of the columns as text; an unknown cost is empty. */
export function cells(line: Sum): string[] {
  return columns.map((name) => {
    if (name !== 'dollars') return String(line[name])
    return dollarsOf(line.microDollars)?.toFixed(4) ?? ''
  })
}

/** Formats rows as CSV (RFC 4180). A cell that a spreadsheet would read as a formula gets a leading apostrophe. */
export function csv(rows: string[][]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

function cell(value: string): string {
  // Spreadsheets also accept the full-width forms of these signs, and ignore leading spaces.
  const harmless = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/u.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
