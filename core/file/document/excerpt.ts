import { leftOutKinds } from '../format.ts'
import type { Extent, Extraction, LeftOut, State } from './schema.ts'

/**
 * Makes extractions from the text of a document. The sandbox loads this file, so it contains no schemas: their library
 * would take a fifth of the time in which a document's process starts.
 */

/** A function that reads the text of one format, in the sandbox. */
export type Reader = (bytes: Uint8Array, limits: Limits) => Promise<Extraction>

/** Limits of reading a document. */
export const limits = {
  /** The first unit to read, from 1. */
  from: 1,
  /** Pages or slides. */
  pages: 200,
  characters: 400_000,
  /** Rows of all sheets together. */
  rows: 5_000,
  /** Columns per sheet; a sheet may name 16,384 columns in a few bytes. */
  columns: 256,
  /** Reads no further page or sheet after this much processor time, in milliseconds. */
  softMs: 12_000,
  /** Characters of an outline. */
  outline: 4_000,
} as const
export type Limits = { [K in keyof typeof limits]: number }

/** Limits of page pictures: `pages` for a file, `step` for one further part, and `bytes` for each picture. */
export const pageLimits = { pages: 20, step: 4, bytes: 500_000 }

/** Returns an extraction without text. */
export const without = (state: State): Extraction => ({ state, text: '', extent: null, leftOut: [] })

/** Joins the parts that are not empty, with an empty line between two. */
export function paragraphs(...parts: string[]): string {
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Returns a text on one line. */
export const oneLine = (text: string): string => text.replaceAll('\0', '').replace(/\s+/g, ' ').trim()

/** Returns the texts under a heading, each text only once; empty if there are no texts. */
export function section(heading: string, texts: string[]): string {
  const body = paragraphs(...new Set(texts))
  return body && paragraphs(heading, body)
}

/** Cuts a text to the limit, at the end of a line if one is near. A row stays whole unless no other row comes before. */
export function cap(text: string, characters: number, unit?: string): { text: string; isCut: boolean } {
  if (text.length <= characters) return { text, isCut: false }
  const line = text.lastIndexOf('\n', characters)
  const isNear = unit === 'row' ? rowsIn(text.slice(0, line)) > 0 : line > characters - 1_000
  const isAtLine = line > 0 && isNear
  // Leaves the first half of a character out, because the next part begins with its second half.
  const begun = text.slice(0, isAtLine ? line : characters).replace(/[\ud800-\udbff]$/, '')
  return { text: begun.toWellFormed(), isCut: true }
}

/** Returns the kinds of contents that were found, in the order of `leftOutKinds`. */
export function leftOutOf(found: Partial<Record<LeftOut, boolean>>): LeftOut[] {
  return leftOutKinds.filter((kind) => found[kind])
}

/**
 * Returns the extraction of a text from the first character of the limits on; its outline lists its headings with their
 * positions.
 */
export function fromText(whole: string, limits: Limits, leftOut: LeftOut[] = []): Extraction {
  const total = whole.length
  if (total === 0) return without('noText')
  const from = Math.min(limits.from, total)
  const part = partOf(whole.slice(from - 1), { unit: 'character', from, to: total, total }, leftOut, limits)
  const headings = [...whole.matchAll(/^#{1,6} .{1,200}/gm)]
  const lines = headings.map(({ 0: line, index }) => `${line} (character ${index + 1})`)
  return outlined(part, lines, limits)
}

/** Returns the extraction of an extent within the limits. It is whole if it reaches from the first unit to the last. */
export function partOf(all: string, extent: Extent, leftOut: LeftOut[], limits: Limits): Extraction {
  const { text, isCut } = cap(all, limits.characters, extent.unit)
  const isWhole = extent.from === 1 && extent.to === extent.total && !isCut
  return {
    state: isWhole ? 'whole' : 'truncated',
    text,
    extent: isCut ? reached(extent, text, all) : extent,
    leftOut,
  }
}

/** Adds these lines as an outline within the limits, unless the extraction is whole. */
export function outlined(part: Extraction, lines: string[], limits: Limits): Extraction {
  if (part.state === 'whole' || lines.length === 0) return part
  const { text, isCut } = cap(lines.join('\n'), limits.outline)
  return { ...part, outline: isCut ? `${text}\n…` : text }
}

/** Returns the extent that remains after `whole` was cut: only whole pages, rows and characters, or a part of one. */
export function reached(extent: Extent, text: string, whole: string): Extent {
  const { unit, from, to } = extent
  if (unit === 'character') return { ...extent, to: from + text.length - 1 }
  const isRow = unit === 'row'
  const last = isRow
    ? from + rowsIn(text) - 1
    : Number([...text.matchAll(/^## (?:Page|Slide) (\d{1,6})/gm)].at(-1)?.[1] ?? from) - 1
  const isWithin = isRow ? whole[text.length] !== '\n' : last < from
  return { ...extent, to: Math.min(to, Math.max(from, last)), ...(isWithin && { isWithin }) }
}

/** Returns the number of lines that are rows, not headings or the empty lines around them. */
function rowsIn(text: string): number {
  const lines = text.split('\n')
  const headings = lines.filter((line) => line.startsWith('## ')).length
  const empty = lines.filter((line) => line === '(empty)').length
  return Math.max(0, lines.length - empty - headings * 3 + Number(text.startsWith('## ')))
}

/**
 * Returns the arguments with which `read_file` reads on; undefined at the end of the document. `read` is the number of
 * characters since the beginning of the extent.
 */
export function nextOf({ from, to, total, isWithin }: Extent, read: number): string | undefined {
  if (isWithin) return `${from}, skip ${read}`
  return total === null || to < total ? String(to + 1) : undefined
}

/** Returns an extent in words: `pages 1 to 200 of 300`. */
export function partWords({ unit, from, to, total }: Extent): string {
  return `${unit}s ${from} to ${to}${total === null ? '' : ` of ${total}`}`
}

/** Returns the processor time that this process has used, in milliseconds. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
