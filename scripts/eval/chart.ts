import type { Figures } from './report.ts'

/** Cost and time by kind as a picture: a bar for this run, and below it a thin one for the baseline. */

type Row = { kind: string; figures: Figures; before: Figures | undefined }

const rowHeight = 34
const panelWidth = 330
const panels = [
  {
    title: 'Cost of a task',
    at: 120,
    of: ({ microDollars }: Figures) => (microDollars ?? 0) / 1_000_000,
    text: (value: number) => `$${value.toFixed(4)}`,
  },
  {
    title: 'Time of a task',
    at: 560,
    of: ({ ms }: Figures) => ms / 1_000,
    text: (value: number) => `${value.toFixed(1)} s`,
  },
]

/** The picture as SVG, with its values as text. */
export function chart(rows: Row[]): string {
  const height = 30 + rows.length * rowHeight
  const names = rows.map(({ kind }, at) => `<text x="0" y="${46 + at * rowHeight}">${kind}</text>`)
  const bars = panels.map(({ title, at, of, text }) => {
    const values = rows.flatMap(({ figures, before }) => [of(figures), before ? of(before) : 0])
    const most = Math.max(...values, Number.MIN_VALUE)
    const width = (value: number) => Math.round((value / most) * panelWidth)
    const lines = rows.map(({ figures, before }, nth) => {
      const y = 32 + nth * rowHeight
      const old = before
        ? `<rect x="${at}" y="${y + 15}" width="${width(of(before))}" height="5" class="before"><title>${text(of(before))} before</title></rect>`
        : ''
      const value = of(figures)
      return `<rect x="${at}" y="${y}" width="${width(value)}" height="14" class="now"/>${old}<text x="${at + width(value) + 6}" y="${y + 12}">${text(value)}</text>`
    })
    return `<text x="${at}" y="16" class="head">${title}</text>${lines.join('')}`
  })
  return `<svg viewBox="0 0 980 ${height}" role="img" aria-label="Cost and time of a task by kind">${[...names, ...bars].join('')}</svg>`
}
