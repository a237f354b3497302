/** A cell that a spreadsheet would run as a formula: it begins like one, and is no number. */
const formula = /^[=@]|^[+-](?![\d.,\s]*%?$)/

/** A table as CSV (RFC 4180), a line for each row. A cell that a spreadsheet would take for a formula begins with `'`. */
export function csvOf(table: HTMLTableElement): string {
  const cell = ({ textContent }: Element) => {
    const text = (textContent ?? '').trim()
    const safe = formula.test(text) ? `'${text}` : text
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  return [...table.rows].map((row) => [...row.cells].map(cell).join(',')).join('\r\n')
}
