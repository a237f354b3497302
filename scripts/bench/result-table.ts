import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { styleText } from 'node:util'

/** One figure of the report. `limit` is the bound that it has to hold. */
export type Row = {
  what: string
  value: number
  unit: string
  limit?: { most: number } | { least: number }
  /** The lowest and the highest of the values of which this is the median. Absent for a count, which has none. */
  spread?: [least: number, most: number]
  /** An explanation of the figure for readers, in one sentence. */
  note?: string
}

/** A figure of a report; `most` is the highest value that holds, `note` explains the figure. */
export const figure = (what: string, value: number, unit: string, most?: number, note?: string): Row => ({
  what,
  value,
  unit,
  ...(most !== undefined && { limit: { most } }),
  ...(note && { note }),
})

/** The figures of one section, when they were taken, and of which version and code of the product (`scripts/code.ts`). */
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

/** True if a figure is within its bound; undefined if it has none. A value that is not a number is never within one. */
export function holds({ value, limit }: Row): boolean | undefined {
  if (!limit) return undefined
  if (!Number.isFinite(value)) return false
  return 'most' in limit ? value <= limit.most : value >= limit.least
}

/** The figures of one section as a table for a terminal. */
export function table(name: string, rows: Row[]): string {
  const cells = rows.map((row) => [
    row.what,
    `${shown(row.value)} ${row.unit}`.trim(),
    bound(row),
    verdict(row),
  ])
  const widths = [0, 1, 2].map((at) => Math.max(0, ...cells.map((line) => line[at]?.length ?? 0)))
  const lines = cells.map((line, at) => {
    const [what = '', value = '', limit = '', word = ''] = line
    const padded = [what.padEnd(widths[0] ?? 0), value.padStart(widths[1] ?? 0), limit.padEnd(widths[2] ?? 0)]
    const { note, spread } = rows[at] as Row
    const from = spread ? `  ${spread.map(shown).join(' to ')}` : ''
    return `  ${padded.join('  ')}  ${word}${from}${note ? styleText('dim', `  ${note}`) : ''}`.trimEnd()
  })
  return [`\n${styleText('bold', name)}`, ...lines].join('\n')
}

/** Stores the figures of some sections; those of the others stay as they were measured. */
export function store(sections: Record<string, Section>): void {
  const known = read()
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
    versions: pick({ ...dependencies, ...devDependencies }, named),
    sections: { ...known?.sections, ...sections },
  }
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
}

/** The last stored figures; undefined if there are none. */
function read(): Results | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Results
  } catch {
    // No bench has run here yet.
    return undefined
  }
}

/** The packages whose versions explain a figure. */
const named = [
  '@anthropic-ai/sdk',
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/client-sqs',
  '@middy/core',
  'fauxqs',
  'lit',
  'marked',
  'playwright',
  'zod',
]

function pick(all: Record<string, string>, names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (all[name] ? [[name, all[name]]] : [])))
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
