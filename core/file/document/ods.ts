import { own } from '../../base/json.ts'
import { type Limits, leftOutOf } from './excerpt.ts'
import { openParts } from './parts.ts'
import type { Extraction, LeftOut } from './schema.ts'
import { readSheets, type Sheet } from './sheets.ts'
import { descendants, type Element, elements, type Node, xmlTree } from './tree.ts'

/** A row of cells, and the number of its repeats. */
type Run = { cells: string[]; times: number }

type Table = { name: string; isHidden: boolean; runs: Run[] }

/** Limits of a sheet; repeats of a cell or row beyond a limit are left out. */
const maxCells = { rows: 1_048_576, columns: 1_024 }

/** Elements whose contents the text leaves out. */
const lacking: Record<string, LeftOut> = {
  annotation: 'cellComments',
  image: 'pictures',
  object: 'charts',
  'object-ole': 'embeddedFiles',
  'tracked-changes': 'trackedChanges',
}

/**
 * Returns the cells of an OpenDocument workbook: dates in ISO form, links with their address after the words, and numbers
 * as stored. A percentage and a number with leading zeros stay as shown. Only for use in the sandbox, after the
 * pre-flight.
 */
export async function readOds(bytes: Uint8Array, limits: Limits): Promise<Extraction> {
  const parts = await openParts(bytes)
  const found: Partial<Record<LeftOut, boolean>> = {
    pictures: parts.names.some((name) => /^Pictures\/./.test(name)),
  }
  const tables = tablesOf(await parts.text('content.xml'), found)
  const sheets = tables.map(({ name, isHidden, runs }): Sheet => ({ name, isHidden, rows: repeated(runs) }))
  const extraction = await readSheets(sheets, limits)
  return extraction.text === ''
    ? extraction
    : { ...extraction, leftOut: [...leftOutOf(found), ...extraction.leftOut] }
}

function* repeated(runs: Run[]): Generator<string[]> {
  for (const { cells, times } of runs) for (let n = 0; n < times; n++) yield cells
}

/** Reads each row and drops it when it ends, because a tree of all cells could be too large. */
function tablesOf(xml: string, found: Partial<Record<LeftOut, boolean>>): Table[] {
  const runs = new Map<Element, Run[]>()
  const tree = xmlTree(xml, (ended, around) => {
    const kind = own(lacking, ended.tag)
    if (kind) found[kind] = true
    const table = around.findLast(({ tag }) => tag === 'table')
    if (ended.tag !== 'table-row' || !table) return false
    runs.set(table, runs.get(table) ?? [])
    runs.get(table)?.push(runOf(ended))
    return true
  })
  const hidden = descendants(tree, 'style').filter(({ children }) =>
    elements(children, 'table-properties').some(({ attributes }) => attributes['table:display'] === 'false'),
  )
  const hiddenStyles = new Set(hidden.map(({ attributes }) => attributes['style:name']))
  return descendants(tree, 'table').map((table) => ({
    name: table.attributes['table:name'] ?? '',
    isHidden: hiddenStyles.has(table.attributes['table:style-name'] ?? ''),
    runs: withoutEnd(runs.get(table) ?? []),
  }))
}

function runOf({ attributes, children }: Element): Run {
  const cells: string[] = []
  for (const cell of elements(children, 'table-cell', 'covered-table-cell')) {
    const times = repeats(cell.attributes, 'columns', maxCells.columns)
    const shown = cellText(cell)
    for (let n = 0; n < times && cells.length < maxCells.columns; n++) cells.push(shown)
  }
  const end = cells.findLastIndex((cell) => cell !== '') + 1
  // One empty row stands for a gap of any height.
  return { cells: cells.slice(0, end), times: end === 0 ? 1 : repeats(attributes, 'rows', maxCells.rows) }
}

function repeats(attributes: Record<string, string>, kind: 'rows' | 'columns', limit: number): number {
  return Math.min(Math.max(Number(attributes[`table:number-${kind}-repeated`]) || 1, 1), limit)
}

/** Words that say more than the stored number: names of errors, percentages, and numbers with leading zeros. */
const telling = /^(?:#\p{Lu}[\p{Lu}\d/]*[!?]?|Err:\d+|.*%|0\d+)$/u

/** Returns the stored value or the words of a cell, with the address of its last link. */
function cellText(cell: Element): string {
  const lines = cell.children.flatMap(paragraphsOf)
  const words = lines.map(cellWords).join(' ')
  const text = telling.test(words) ? words : (storedValue(cell) ?? words)
  const links = lines.flatMap((line) => descendants(line, 'a'))
  const address = links.at(-1)?.attributes['xlink:href'] ?? ''
  const isLink = /^(https?|mailto):/i.test(address) && address !== text
  return isLink ? `${text} (${address})`.trim() : text
}

/** Returns the paragraphs of a part of a cell, also those in text boxes and shapes; none for a comment. */
function paragraphsOf(node: Node): Element[] {
  if (typeof node === 'string' || node.tag === 'annotation') return []
  return node.tag === 'p' ? [node] : descendants(node, 'p')
}

function cellWords(node: Node): string {
  if (typeof node === 'string') return node
  return spaces.has(node.tag) ? ' ' : node.children.map(cellWords).join('')
}

const spaces = new Set(['s', 'tab', 'line-break'])

function storedValue({ attributes }: Element): string | undefined {
  const kind = attributes['office:value-type']
  const date = attributes['office:date-value']?.replace('T', ' ').replace(/ 00:00:00(?:\.0+)?$/, '')
  const isNumber = kind === 'float' || kind === 'currency' || kind === 'percentage'
  return isNumber ? attributes['office:value'] : (date ?? attributes['office:boolean-value'])
}

/** Returns the rows without empty rows at the end, which some programs write up to the last possible row. */
function withoutEnd(runs: Run[]): Run[] {
  return runs.slice(0, runs.findLastIndex(({ cells }) => cells.length > 0) + 1)
}
