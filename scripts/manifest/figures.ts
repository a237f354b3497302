import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Settings } from '../../core/stage/settings/schema.ts'
import { tools } from '../../core/tool/tools.ts'

/**
 * Figures are never typed by hand: a text names the file and the place in it, `{test/chaos/results.json#/runs}`, or
 * `{settings#/maxActiveConversations}` for the default of a setting, or `{tools#/length}` for the built-in tools. A row of a bench is named by what it measures and
 * its unit: `{scripts/bench/results.json#/sections/units/rows/[send|requests]/value}`.
 */
const reference = /\{([\w./-]+)#(\/[^{}]+)\}/g

/** The files that a text takes figures from. */
export function sources(text: string): string[] {
  return [...text.matchAll(reference)]
    .map((match) => String(match[1]))
    .filter((name) => !Object.hasOwn(computed, name))
}

/**
 * Fills the figures into a text. Throws an error with a readable sentence if a place contains neither number nor text.
 */
export function filled(root: string, text: string): string {
  return text.replace(reference, (_, source: string, pointer: string) => {
    const value = at(read(root, source), pointer)
    if (typeof value === 'number') return value.toLocaleString('en-US', { maximumFractionDigits: 2 })
    if (typeof value === 'string') return value
    throw new Error(`${source} has no figure at ${pointer}`)
  })
}

function read(root: string, source: string): unknown {
  const compute = Object.hasOwn(computed, source) ? computed[source] : undefined
  if (compute) return compute()
  const file = join(root, source)
  if (!existsSync(file)) throw new Error(`${source} is not there`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Sources that are no file. */
const computed: Record<string, () => unknown> = {
  settings: () => Settings.parse({ providers: [], models: [], configurations: [], tasks: [] }),
  tools: () => tools,
}

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
