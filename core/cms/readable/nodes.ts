import { isDeeper, isRecord } from '../../base/json.ts'
import { isDefault, isTree, type Node } from '../lexical.ts'
import { addressText, type Words } from './html.ts'
import { Sheet } from './sheet.ts'

/**
 * The readable form of rich text (a tree of Lexical nodes), and of lists of blocks or rows, as JSON. Shows all fields
 * of a node except text and position as JSON in a mark, unless they have default values.
 */

/** Limit of nested parts; no person nests deeper. */
const maxDepth = 60
/** A part has a few levels of JSON. Without this bound, deeply nested JSON in a mark could exhaust the stack. */
const maxLevels = 10 * maxDepth

const isUsual = (name: string, value: unknown) =>
  isEmpty(name, value) ||
  isDefault(name, value) ||
  (name === 'direction' && (value === 'ltr' || value === null)) ||
  ((name === 'format' || name === 'textFormat') && value === 0)
/** Matches an id that a CMS generates for a part. */
const ownId = /^(?:[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
const isEmpty = (name: string, value: unknown) =>
  value === undefined || (name === 'id' && typeof value === 'string' && ownId.test(value))

/** Text formats of Lexical by their bit, with the sign before and after the text. */
const formats: [number, string][] = [
  [1, '**'],
  [2, '*'],
  [16, '`'],
]

/** Returns the readable form of rich text or of a list of blocks; undefined if its parts are nested too deeply. */
export function readableNodes(value: unknown, words: Words): string | undefined {
  if (isDeeper(value, maxLevels)) return undefined
  const reading = new Reading(words)
  reading.value(value, 0)
  return reading.isTooDeep ? undefined : reading.sheet.text()
}

class Reading {
  readonly sheet = new Sheet()
  isTooDeep = false
  readonly #words: Words
  /** The number of open lists and rows. */
  #lists = 0

  constructor(words: Words) {
    this.#words = words
  }

  /** Adds any value: a tree, a list, a map or a text. */
  value(value: unknown, depth: number): void {
    if (depth > maxDepth) {
      this.isTooDeep = true
      return
    }
    if (typeof value === 'string') this.sheet.lines(value === '' ? '""' : value)
    else if (Array.isArray(value)) this.#rows(value, depth)
    else if (!isRecord(value)) this.sheet.lines(JSON.stringify(value ?? null))
    else if (isTree(value)) this.#tree(value, depth)
    else this.#map(value, depth)
  }

  #rows(rows: unknown[], depth: number): void {
    if (!rows.some((row) => typeof row === 'object' && row !== null)) {
      this.sheet.mark(JSON.stringify(rows))
      return
    }
    this.#lists++
    for (const [at, row] of rows.entries()) {
      this.sheet.item(this.#lists - 1, `${at + 1}.`)
      this.value(row, depth + 1)
      this.sheet.end()
    }
    this.#lists--
  }

  /** Adds each name with its value; a block begins with its type. */
  #map(map: Node, depth: number): void {
    const { blockType, ...others } = map
    if (blockType !== undefined) this.sheet.mark(named(blockType))
    for (const [name, value] of Object.entries(others)) {
      if (value === null || isEmpty(name, value)) continue
      this.sheet.end()
      this.sheet.label(name)
      this.value(value, depth + 1)
    }
  }

  #tree({ root, ...others }: Node, depth: number): void {
    const { type: _, children, ...more } = root as Node
    this.#rest(others)
    this.#rest(more)
    this.sheet.break()
    this.#nodes(children as unknown[], depth)
  }

  #nodes(nodes: unknown[], depth: number): void {
    if (depth > maxDepth) this.isTooDeep = true
    else for (const node of nodes) this.#node(node, depth + 1)
  }

  #node(node: unknown, depth: number): void {
    const { sheet } = this
    if (!isRecord(node)) {
      sheet.mark(JSON.stringify(node ?? null))
      return
    }
    const { type, children, ...own } = node
    const inside = Array.isArray(children) ? children : []
    if (children !== undefined && !Array.isArray(children)) this.#rest({ children })
    if (type === 'paragraph') this.#paragraph(own, inside, depth)
    else if (type === 'heading') this.#heading(own, inside, depth)
    else if (type === 'list') this.#list(own, inside, depth)
    else if (type === 'link' || type === 'autolink') this.#link(own, inside, depth)
    else if (type === 'text' || type === 'linebreak' || type === 'tab') {
      if (type === 'text') this.#text(own)
      else this.#space(type, own)
      this.#nodes(inside, depth)
    } else this.#other(type, own, inside, depth)
  }

  #space(type: 'linebreak' | 'tab', { text, ...own }: Node): void {
    this.#rest({ ...own, ...(text !== '\t' && { text }) })
    if (type === 'tab') this.sheet.words(' ')
    else this.sheet.break()
  }

  #text({ text, format, ...others }: Node): void {
    const bits = typeof format === 'number' ? format : 0
    const known = formats.filter(([bit]) => (bits & bit) !== 0)
    const left = known.reduce((rest, [bit]) => rest & ~bit, bits)
    this.#rest({ ...others, format: typeof format === 'number' ? left : format })
    const signs = known.map(([, sign]) => sign)
    this.sheet.lines(signs.join('') + (typeof text === 'string' ? text : '') + signs.reverse().join(''))
    if (typeof text !== 'string') this.#rest({ text })
  }

  #paragraph(own: Node, inside: unknown[], depth: number, heading = ''): void {
    this.sheet.paragraph()
    if (heading !== '') this.sheet.label(heading)
    this.#rest(own)
    this.#nodes(inside, depth)
    this.sheet.paragraph()
  }

  #heading({ tag, ...own }: Node, inside: unknown[], depth: number): void {
    const level = /^h([1-6])$/.exec(String(tag))?.[1]
    const heading = level ? this.#words.heading.replace('{level}', level) : `heading ${named(tag)}`
    this.#paragraph(own, inside, depth, heading)
  }

  #list({ listType, tag, start = 1, ...own }: Node, inside: unknown[], depth: number): void {
    const isNumbered = listType === 'number'
    const isPlain = (tag === undefined || tag === (isNumbered ? 'ol' : 'ul')) && typeof start === 'number'
    this.sheet.break()
    this.#rest({ ...own, ...(!isPlain && { tag, start }), ...(!lists.has(listType) && { listType }) })
    const first = Number(start)
    this.#lists++
    for (const [at, item] of inside.entries()) {
      if (!isRecord(item) || item.type !== 'listitem' || !Array.isArray(item.children)) {
        this.#node(item, depth)
        continue
      }
      const { type: _, children, value, checked, ...rest } = item
      const box = checked ? '☑' : '☐'
      const bullet = listType === 'check' ? box : '•'
      const sign = isNumbered ? `${first + at}.` : bullet
      this.sheet.item(this.#lists - 1, sign)
      this.#rest({
        ...rest,
        ...(value !== first + at && { value }),
        ...(listType !== 'check' && { checked }),
      })
      this.#nodes(children as unknown[], depth)
      this.sheet.end()
    }
    this.#lists--
    this.sheet.paragraph()
  }

  #link({ fields, url, ...own }: Node, inside: unknown[], depth: number): void {
    const { url: inner, linkType, newTab, ...others } = isRecord(fields) ? fields : { fields }
    const to = inner ?? url
    this.sheet.lines('[')
    this.#nodes(inside, depth)
    this.sheet.lines('] ')
    const left = {
      ...others,
      ...(linkType !== 'custom' && { linkType }),
      ...(newTab !== false && { newTab }),
      ...(typeof to !== 'string' && { url: to }),
    }
    const outer = { ...own, ...(inner !== undefined && { url }) }
    const address = typeof to === 'string' ? addressText(to) : ''
    this.sheet.mark(['→', address, kept(left, isEmpty), kept(outer, isUsual)].filter(Boolean).join(' '))
  }

  /** Adds quotes, pictures, blocks inside a text, and all nodes of other editors. */
  #other(type: unknown, own: Node, inside: unknown[], depth: number): void {
    this.sheet.break()
    this.sheet.label(named(type))
    const { fields, ...others } = own
    this.#rest(others)
    if (isRecord(fields)) this.#map(fields, depth)
    else if (fields !== null) this.#rest({ fields })
    this.#nodes(inside, depth)
    this.sheet.break()
  }

  /** Marks the fields of a node that are not defaults. */
  #rest(own: Node): void {
    const left = kept(own, isUsual)
    if (left !== '') this.sheet.label(left)
  }
}

const lists = new Set<unknown>(['number', 'bullet', 'check'])

/** Returns the fields for which `isLeftOut` is false, as JSON; empty if there are none. */
function kept(own: Node, isLeftOut: (name: string, value: unknown) => boolean): string {
  const left = Object.entries(own).filter(([name, value]) => !isLeftOut(name, value))
  return left.length === 0 ? '' : JSON.stringify(Object.fromEntries(left))
}

const named = (type: unknown) => (typeof type === 'string' ? type : JSON.stringify(type ?? null))
