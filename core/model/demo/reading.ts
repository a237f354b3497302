import type { RecordId } from '../../conversation/schema.ts'
import type { Lang } from './speech.ts'

/** Parses the texts of tools: their lines have uids in brackets, titles in quotes and notes in parentheses. */

/**
 * Returns the id of a record between brackets. Digits become a number; `demo.ts` makes it a text if a CMS needs one.
 */
export const idIn = (text: string): RecordId => (/^\d{1,15}$/.test(text) ? Number(text) : text)

/** Returns the records that `search_records` or `list_records` found. */
export function hits(text: string) {
  const lines = text.matchAll(
    /^- (?:([\w.:-]+) )?\[([^\]\s]+)\] “(.*?)”.*?(?:\[([^\]\s]+)\])?, changed .*(?:\n {2}(.*))?$/gm,
  )
  return [...lines].map(([line, table = '', uid = '', title = '', page, passage = '']) => ({
    table,
    uid: idIn(uid),
    title,
    page: page ? idIn(page) : undefined,
    /** The title of the page that contains the record; empty if the line does not name the page. */
    place: line.match(/, (?:on|path) (?:[^\n]* > )?([^\n>]*?) \[[^\]\s]+\], changed /)?.[1] ?? '',
    text: passage,
  }))
}
export type Hit = ReturnType<typeof hits>[number]

/** Returns each record once, at its first position. */
export const eachOnce = (found: Hit[]): Hit[] =>
  found.filter(
    ({ table, uid }, at) => found.findIndex((hit) => hit.table === table && hit.uid === uid) === at,
  )

/** Returns the pages of `get_page_tree`, in its order. */
export const treePages = (text: string) =>
  [...text.matchAll(/^( *)- (.*?) \[([^\]\s]+)\]/gm)].map(([, indent = '', title = '', uid = '']) => ({
    depth: indent.length,
    title,
    uid: idIn(uid),
  }))

export type Element = {
  table: string
  uid: RecordId
  type: string
  header: string
  text: string
  /** The name of its language; empty for the first language of the site. */
  language: string
}
const elementHead = /^([\w.:-]+) \[([^\]\s]+)\] ([\w.:-]+)(?: “(.*?)”)?(?: \((.*)\))?$/

/** Parses the text of `get_page_content`. */
export function pageContent(text: string) {
  const [head = '', ...blocks] = text.split('\n\n')
  const page = head.match(/^Page “(.*)” \[([^\]\s]+)\](.*)$/m)
  if (!page) return undefined
  const elements: Element[] = []
  for (const block of blocks) {
    const [first = '', ...lines] = block.split('\n')
    const found = first.match(elementHead)
    const last = elements.at(-1)
    if (found) {
      const [, table = '', uid = '', type = '', header = '', notes = ''] = found
      const language = notes.split(', ').find((note) => note !== 'hidden') ?? ''
      elements.push({ table, uid: idIn(uid), type, header, language, text: lines.join('\n') })
    } else if (last) last.text += `\n\n${block}`
  }
  return {
    title: page[1] ?? '',
    uid: idIn(page[2] ?? ''),
    path: head.match(/^Path: (.*)$/m)?.[1] ?? '',
    isHidden: page[3]?.includes('hidden') ?? false,
    elements,
  }
}
export type PageContent = NonNullable<ReturnType<typeof pageContent>>

const languages: Record<Lang, RegExp> = {
  en: /^(?:english|englisch|anglais)$/i,
  de: /^(?:german|deutsch|allemand)$/i,
  fr: /^(?:french|französisch|français)$/i,
}

/**
 * Returns the elements in the language of the reader; if there are none, the elements in the first language of the
 * site.
 */
export function inLanguageOf(lang: Lang, elements: Element[]): Element[] {
  const own = elements.filter(({ language }) => languages[lang].test(language))
  const first = elements.filter(({ language }) => language === '')
  return [own, first].find((some) => some.length > 0) ?? elements
}

const fieldHead = /^- ([a-z_][A-Za-z0-9_.-]*)(?: \([^)]*\))*: ?(.*)$/

/** Parses the values of a record from the text of `get_record`; a value ends where the next field begins. */
export function record(text: string) {
  const head = text.match(/^Record ([\w.:-]+) \[([^\]\s]+)\] “(.*?)”/m)
  if (!head) return undefined
  const fields = new Map<string, string>()
  // The labels in the user's language.
  const labels = new Map(
    [...text.matchAll(/^- ([a-z_][A-Za-z0-9_.-]*) \((.*?)\)/gm)].map(([, name = '', notes = '']) => [
      name,
      notes.split(', ')[0] ?? name,
    ]),
  )
  let name = ''
  for (const line of text.slice(text.indexOf('\nFields:\n') + 9).split('\n')) {
    const [, found, value = ''] = line.match(fieldHead) ?? []
    if (found && !fields.has(found)) {
      name = found
      fields.set(name, value === '(empty)' ? '' : value)
    } else if (name) fields.set(name, `${fields.get(name)}\n${line}`)
  }
  return {
    table: head[1] ?? '',
    uid: idIn(head[2] ?? ''),
    title: head[3] ?? '',
    /** True if the user may change the record. */
    mayEdit: !text.includes('The user may not change this record.'),
    fields,
    labels,
  }
}
export type Stored = NonNullable<ReturnType<typeof record>>

/** Returns the sentences of a text, each on its own, without marks of lists. */
export function sentences(text: string): string[] {
  return text
    .split(/\n+|(?<=[.!?])\s+(?=\p{Lu}|\d)/u)
    .map((sentence) => sentence.replace(/^[-|•\s]+/, '').trim())
    .filter((sentence) => sentence !== '')
}

/** Amounts of money as people write them, of at most 24 digits. */
export const amount =
  /(?:(?:EUR|USD|CHF|GBP|€|\$|£)\s?\d[\d.,]{0,24}\d|(?:EUR|USD|CHF|GBP|€|\$|£)\s?\d|\d[\d.,]{0,24}(?:[.,]–|\d)?\s?(?:Euros?|EUR|USD|CHF|GBP|€|\$|£))/i
