import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { styleText } from 'node:util'
import { alignRows } from '../../scripts/command.ts'
import { median } from './sample.ts'

/** One figure of the report. `limit` is the bound that the value must hold. */
export type Row = {
  what: string
  value: number
  unit: string
  limit?: { most: number } | { least: number }
  /** The lowest and the highest measured value; `value` is the median. Absent for a count. */
  spread?: [least: number, most: number]
  /** An explanation of the figure for readers, in one sentence. */
  note?: string
}

/** The lowest or the highest allowed value, and an explanation for readers. */
type About = { most?: number; least?: number | undefined; note?: string | undefined }

/** Returns a figure of a report. Several values become their median, with the lowest and the highest value. */
export function figure(what: string, values: number | number[], unit: string, about: About = {}): Row {
  const { most, least, note } = about
  const isMedian = Array.isArray(values)
  return {
    what,
    value: isMedian ? median(values) : values,
    unit,
    ...(most !== undefined && { limit: { most } }),
    ...(least !== undefined && { limit: { least } }),
    ...(isMedian && { spread: [Math.min(...values), Math.max(...values)] }),
    ...(note && { note }),
  }
}

/**
 * The figures of one section, with their time, and the version and code (`scripts/code.ts`) of the measured product.
 */
export type Section = {
  rows: Row[]
  seconds: number
  measuredAt: string
  load: number
  version?: string
  code?: string
}

type Results = {
  date: string
  machine: { cores: number; memoryGigabytes: number; platform: string; node: string }
  versions: Record<string, string>
  sections: Record<string, Section>
}

const file = new URL('results.json', import.meta.url)
const manifest = new URL('../../package.json', import.meta.url)

/** True if a figure is within its bound; undefined if it has no bound. NaN is never within a bound. */
export function holds({ value, limit }: Row): boolean | undefined {
  if (!limit) return undefined
  if (!Number.isFinite(value)) return false
  return 'most' in limit ? value <= limit.most : value >= limit.least
}

/** Returns the figures of one section as a table for a terminal. */
export function table(name: string, rows: Row[]): string {
  const cells = rows.map((row) => {
    const spread = row.spread ? `  ${row.spread.map(shown).join(' to ')}` : ''
    const note = row.note ? styleText('dim', `  ${row.note}`) : ''
    return [row.what, `${shown(row.value)} ${row.unit}`.trim(), bound(row), verdict(row) + spread + note]
  })
  return [`\n${styleText('bold', name)}`, ...alignRows(cells, [1]).map((line) => `  ${line}`)].join('\n')
}

/** Stores the figures of a section; the figures of other sections stay unchanged. */
export function store(name: string, section: Section): void {
  const known = JSON.parse(readFileSync(file, 'utf8')) as Results
  const { dependencies, devDependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    dependencies: Record<string, string>
    devDependencies: Record<string, string>
  }
  const results: Results = {
    date: new Date().toISOString().slice(0, 10),
    machine: {
      cores: availableParallelism(),
      memoryGigabytes: Math.round(totalmem() / 1024 ** 3),
      platform: `${process.platform}-${process.arch}`,
      node: process.version,
    },
    versions: versionsIn({ ...dependencies, ...devDependencies }),
    sections: { ...known.sections, [name]: section },
  }
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
}

/** Returns the versions of the packages that explain a figure. */
function versionsIn(all: Record<string, string>): Record<string, string> {
  const explaining =
    /^(@anthropic-ai\/sdk|@aws-sdk\/client-(dynamodb|sqs)|@middy\/core|fauxqs|lit|marked|playwright|zod)$/
  return Object.fromEntries(Object.entries(all).filter(([name]) => explaining.test(name)))
}

function shown(value: number): string {
  if (!Number.isFinite(value)) return '-'
  if (Number.isInteger(value)) return String(value)
  if (value >= 100) return value.toFixed(0)
  return value.toFixed(value >= 10 ? 1 : 2)
}

function bound({ limit }: Row): string {
  if (!limit) return ''
  return 'most' in limit ? `at most ${limit.most}` : `at least ${limit.least}`
}

function verdict(row: Row): string {
  const held = holds(row)
  if (held === undefined) return ''
  return held ? styleText('green', 'holds') : styleText('red', 'missed')
}
