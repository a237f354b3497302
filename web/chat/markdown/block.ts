import { render } from 'lit'
import type { Translate } from '../i18n/i18n.ts'
import { type Icon, icon } from '../icon.ts'

export type Kids = (Node | string)[]

type Cell = { kids: Kids; align: 'center' | 'left' | 'right' | null }

/** Creates an element with attributes and children. The builder creates elements only with this function. */
export function el(name: string, attributes: Record<string, string> = {}, kids: Kids = []): HTMLElement {
  const element = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value)
  element.append(...kids)
  return element
}

/** Returns an icon as a DOM node, because the builder uses no templates. */
function iconNode(name: Icon): Element {
  const holder = el('i')
  render(icon(name), holder)
  return holder.firstElementChild as Element
}

/** Returns a code block with its language, a button that copies it exactly, and a button that wraps long lines. */
export function codeBlock(source: string, info: string, t: Translate): HTMLElement {
  const language = /^[\w#+.-]{1,24}/.exec(info)?.[0] ?? ''
  const name = language ? (nice.get(language.toLowerCase()) ?? language) : t('code.name')
  const wrap = button({ 'data-act': 'wrap', 'aria-pressed': 'false' }, [t('code.wrap')])
  const copy = button({ 'data-act': 'copy' }, [iconNode('copy'), t('code.copy')])
  const code = el('code', language ? { 'data-language': language.toLowerCase() } : {}, [source])
  return el('figure', { class: 'card code' }, [
    el('figcaption', { class: 'row code-head' }, [el('span', {}, [name]), wrap, copy]),
    el('pre', { tabindex: '0', role: 'group', 'aria-label': name, dir: 'ltr' }, [code]),
  ])
}

/** Returns a table in a group that is not a landmark. It scrolls sideways, can be focused and can be copied. */
export function tableBlock(head: Cell[], rows: Cell[][], label: string, csv: string): HTMLElement {
  const cell = (name: string, attributes: Record<string, string>) => (one: Cell) =>
    el(name, { ...attributes, ...(one.align ? { class: `to-${one.align}` } : {}) }, one.kids)
  const line = (row: Cell[]) =>
    el('tr', {}, [...row.slice(0, 1).map(cell('th', { scope: 'row' })), ...row.slice(1).map(cell('td', {}))])
  const table = el('table', {}, [
    el('thead', {}, [el('tr', {}, head.map(cell('th', { scope: 'col' })))]),
    el('tbody', {}, rows.map(line)),
  ])
  const take = button({ 'data-act': 'csv' }, [iconNode('copy'), csv])
  return el('div', { class: 'table' }, [
    el('div', { class: 'card table-wrap', role: 'group', 'aria-label': label, tabindex: '0' }, [table]),
    el('div', { class: 'table-foot' }, [take]),
  ])
}

/** Returns a chip with a record's name that opens the record. */
export function recordChip(
  sign: 'page' | 'record',
  table: string,
  uid: string,
  title: string,
  href: string,
): HTMLElement {
  const name = el('span', { dir: 'auto' }, [title])
  const number = el('span', { class: 'uid' }, [`[${uid}]`])
  const attributes = { class: 'chip chip-in', href, 'data-table': table, 'data-uid': uid }
  return el('a', attributes, [iconNode(sign), name, number])
}

function button(attributes: Record<string, string>, kids: Kids): HTMLElement {
  return el('button', { type: 'button', class: 'btn btn-sm btn-quiet', ...attributes }, kids)
}

/** Returns the answer's own words in an element, without the signs that the builder adds. */
export function wordsOf(element: Element): string {
  const copy = element.cloneNode(true) as Element
  for (const sign of copy.querySelectorAll('.source, .doubt, .host')) sign.remove()
  for (const end of copy.querySelectorAll('br')) end.replaceWith('\n')
  return copy.textContent.replace(/ +/g, ' ').trim()
}

const nice = new Map(
  Object.entries({
    js: 'JavaScript',
    javascript: 'JavaScript',
    ts: 'TypeScript',
    typescript: 'TypeScript',
    json: 'JSON',
    html: 'HTML',
    xml: 'XML',
    css: 'CSS',
    php: 'PHP',
    sql: 'SQL',
    bash: 'Shell',
    sh: 'Shell',
    yaml: 'YAML',
    yml: 'YAML',
  }),
)

/** Matches a cell that a spreadsheet would run as a formula: it begins like a formula, and is not a number. */
const formula = /^[=@＝＠＋－]|^[+-](?![\d.,\s]*%?$)/

/** Returns a table as CSV (RFC 4180), one line per row. A cell that would run as a formula gets a leading `'`. */
export function csvOf(table: HTMLTableElement): string {
  const cell = (one: Element) => {
    const text = wordsOf(one)
    const safe = formula.test(text) ? `'${text}` : text
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  return [...table.rows].map((row) => [...row.cells].map(cell).join(',')).join('\r\n')
}
