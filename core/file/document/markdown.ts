import { type Element, elements, htmlTree, type Node } from './tree.ts'

/** Converts the HTML of mammoth to Markdown. */
export const toMarkdown = (html: string): string => markdownOf(htmlTree(html).children)

/**
 * Converts elements of HTML (a small set of tags, well nested) to Markdown for a model. Tables keep rows and columns.
 * Only links to the web and to mail addresses stay links. Pictures are left out.
 */
export function markdownOf(nodes: Node[]): string {
  return blocks(nodes).join('\n\n').replace(numberMark, '$1 ').trim()
}

/** Marks a text as the number of a paragraph in its document. */
export const numberText = (label: string): string => `\uE000${label}\uE001`

const numberMark = /\uE000([^\uE000\uE001]*)\uE001\s*/g
const firstNumber = /^\uE000([^\uE000\uE001]{1,40})\uE001\s*/

/** Ignores larger spans: a few bytes could fill the memory. */
const maxSpan = 100
/** Maximum columns of a table; further columns are left out. */
const maxColumns = 256
/** Returns the Markdown blocks of these nodes; text between block elements becomes a paragraph. */
function blocks(nodes: Node[]): string[] {
  const found: string[] = []
  let run: Node[] = []
  const flush = () => {
    found.push(inline(run).trim())
    run = []
  }
  for (const node of nodes) {
    const own = typeof node === 'string' ? undefined : block(node)
    if (!own) {
      run.push(node)
      continue
    }
    flush()
    found.push(...own)
  }
  flush()
  return found.filter((text) => text !== '')
}

function block({ tag, attributes, children }: Element): string[] | undefined {
  if (/^h[1-6]$/.test(tag)) return [`${'#'.repeat(Number(tag[1]))} ${line(children)}`]
  if (tag === 'p' || tag === 'div') return blocks(children)
  if (tag === 'ul') return [list(children, undefined)]
  if (tag === 'ol') return [list(children, Number(attributes.start) || 1)]
  if (tag === 'table') return [renderTable(children)]
  return undefined
}

/** Returns the items of a list; an item keeps its number of the document. */
function list(children: Node[], first: number | undefined): string {
  return elements(children, 'li')
    .map((item, at) => {
      const text = blocks(item.children).join('\n')
      const own = firstNumber.exec(text)
      const counted = first === undefined ? '- ' : `${first + at}. `
      const marker = own ? `${own[1]} ` : counted
      return marker + text.slice(own?.[0].length ?? 0).replaceAll('\n', `\n${' '.repeat(marker.length)}`)
    })
    .join('\n')
}

function renderTable(children: Node[]): string {
  const rows = grid(rowsOf(children))
  const width = Math.max(0, ...rows.map((row) => row.length))
  const lines = rows.map(
    (row) => `| ${Array.from({ length: width }, (_, at) => row[at] ?? '').join(' | ')} |`,
  )
  const rule = `|${' --- |'.repeat(width)}`
  return lines.toSpliced(1, 0, rule).join('\n')
}

/** Returns the cells by row and column; a merged cell fills only its first position. */
function grid(rows: Element[]): (string | undefined)[][] {
  const cells: (string | undefined)[][] = rows.map(() => [])
  for (const [y, row] of rows.entries()) {
    const line = cells[y] as (string | undefined)[]
    let x = 0
    for (const cell of elements(row.children, 'td', 'th')) {
      while (line[x] !== undefined) x += 1
      if (x >= maxColumns) break
      occupy(cells, x, y, cell)
      line[x] = blocks(cell.children).join(' ').replaceAll('\n', ' ').replaceAll('|', '\\|')
    }
  }
  return cells
}

function occupy(cells: (string | undefined)[][], x: number, y: number, cell: Element): void {
  const right = Math.min(maxColumns, x + span(cell, 'colspan'))
  for (let row = y; row < Math.min(cells.length, y + span(cell, 'rowspan')); row++)
    for (let column = x; column < right; column++) {
      const line = cells[row] as (string | undefined)[]
      line[column] = ''
    }
}

function span({ attributes }: Element, name: 'colspan' | 'rowspan'): number {
  const count = Number(attributes[name] ?? 1)
  return Math.min(Math.max(count || 1, 1), maxSpan)
}

function rowsOf(children: Node[]): Element[] {
  return elements(children, 'tr', 'thead', 'tbody').flatMap((part) =>
    part.tag === 'tr' ? [part] : rowsOf(part.children),
  )
}

const line = (nodes: Node[]): string => inline(nodes).replace(/\s+/g, ' ').trim()

const inline = (nodes: Node[]): string => nodes.map(inlineNode).join('')

function inlineNode(node: Node): string {
  if (typeof node === 'string') return node.replace(/\s+/g, ' ')
  if (node.tag === 'br') return '\n'
  if (node.tag === 'input') return 'checked' in node.attributes ? '[x] ' : '[ ] '
  const text = inline(node.children)
  if (node.tag === 'strong') return marked(text, '**')
  if (node.tag === 'em') return marked(text, '*')
  if (node.tag === 's') return marked(text, '~~')
  if (node.tag === 'sup') return raised(text)
  if (node.tag === 'a') return link(text, node.attributes.href)
  return text
}

/** Puts a sign before a raised number: without it, a model would read the power in 10⁶ as 106. */
export const raised = (text: string): string => text.replace(/^[-+−]?\d+$/, '^$&')

/** Puts markers around words. Spaces stay outside of them, because markers must touch the marked words. */
export function marked(text: string, marker: string): string {
  const words = text.trim()
  return words === '' ? text : text.replace(words, () => marker + words + marker)
}

function link(text: string, address = ''): string {
  // A link from a footnote back to its mark is useless to a model.
  if (/^#(footnote|endnote)-ref/.test(address)) return ''
  return /^(https?:|mailto:)/i.test(address) && text.trim() ? `[${text.trim()}](${address})` : text
}
