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

/** The values of the columns as text; empty where a cost is not known. */
export function cells(line: Sum): string[] {
  return columns.map((name) => {
    if (name !== 'dollars') return String(line[name])
    return dollarsOf(line.microDollars)?.toFixed(4) ?? ''
  })
}

/** Rows as CSV (RFC 4180). A cell that a spreadsheet would take for a formula begins with an apostrophe. */
export function csv(rows: string[][]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

function cell(value: string): string {
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
