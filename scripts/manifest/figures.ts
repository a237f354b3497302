import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Settings } from '../../core/settings/schema.ts'

/**
 * Figures are never typed by hand: a text names the file and the place in it, `{test/chaos/results.json#/runs}`, or
 * `{settings#/maxActiveConversations}` for the default of a setting. A row of a bench is named by what it measures and
 * its unit: `{scripts/bench/results.json#/sections/units/rows/[send|requests]/value}`.
 */
const reference = /\{([\w./-]+)#(\/[^{}]+)\}/g

/** The files that a text takes figures from. */
export function sources(text: string): string[] {
  return [...text.matchAll(reference)].map((match) => String(match[1])).filter((name) => name !== 'settings')
}

/** The text with its figures. Throws a sentence where a place holds no number or text. */
export function filled(root: string, text: string): string {
  return text.replace(reference, (_, source: string, pointer: string) => {
    const value = at(read(root, source), pointer)
    if (typeof value === 'number') return value.toLocaleString('en-US', { maximumFractionDigits: 2 })
    if (typeof value === 'string') return value
    throw new Error(`${source} has no figure at ${pointer}`)
  })
}

function read(root: string, source: string): unknown {
  if (source === 'settings') return defaults()
  const file = join(root, source)
  if (!existsSync(file)) throw new Error(`${source} is not there`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

const defaults = () => Settings.parse({ providers: [], models: [], configurations: [], tasks: [] })

function at(value: unknown, pointer: string): unknown {
  return pointer
    .slice(1)
    .split('/')
    .reduce((inner: unknown, name) => {
      const row = /^\[(.+)\|(.*)\]$/.exec(name)
      if (!row) return (inner as Record<string, unknown> | undefined)?.[name]
      return (inner as Row[] | undefined)?.find(({ what, unit }) => what === row[1] && unit === row[2])
    }, value)
}

type Row = { what: string; unit: string }
