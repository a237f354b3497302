import type { RecordId } from '../../conversation/schema.ts'
import { hits, idIn, treePages } from './reading.ts'
import { call, calling, end, type Part } from './script.ts'
import type { Situation } from './situation.ts'
import { contentWords, holds, overlap } from './terms.ts'

export type Target = { table: string; uid: RecordId; title: string }

const here =
  /^(?:(?:the|this|current|open|selected|die|diese|dieser|aktuelle[nr]?|la|cette) )*(?:page|seite|it|its|here|hier|ici)?$/i

/** Returns the page that the words identify without a search: the open page, or a page by its uid. */
export function pageOf(s: Situation, words: string): RecordId | undefined {
  const [, uid] = words.match(/(?:\b(?:page|seite)|\buid) (?:uid )?\[?(\d+)\]?/i) ?? []
  if (uid) return Number(uid)
  return /\b(?:this|current|open|selected) page\b|\bthe page\b(?! tree)|\b(?:diese[rn]?|aktuelle[nr]?|der|die) seite\b|\bcette page\b|\bhere\b|\bhier\b/i.test(
    words,
  )
    ? s.page?.uid
    : undefined
}

/** Returns the open or mentioned record, if the question quotes its title. */
export function quotedOf({ question, mentioned, page, tables }: Situation): Target | undefined {
  const quoted = question.matchAll(/[“„«"]([^“”„«»"]{1,200})[”“»"]/gu)
  const titles = [...quoted].map(([, title = '']) => title.trim())
  const open = page && tables.pages !== null ? { table: tables.pages, ...page } : undefined
  return [mentioned, open].find((it) => it && titles.includes(it.title))
}

/**
 * Finds the page of the question: by its quoted title, by mention, by uid, by “this page”, or by a title that the
 * question contains; else the open page. Ends the script if there is no such page.
 */
export function* pageMeant(s: Situation): Part<RecordId> {
  const { pages } = s.tables
  const quoted = quotedOf(s)
  if (quoted && quoted.table === pages) return quoted.uid
  if (s.page && s.mentioned?.table === pages) return s.page.uid
  const pointed = pageOf(s, s.question)
  const isNamed = /\bthe page\b|\b(?:der|die) seite\b/i.test(s.question)
  if (pointed !== undefined && !isNamed) return pointed
  const open = pointed ?? s.page?.uid ?? 0
  if (pages === null || !s.tools.includes('get_page_tree')) return open || unknownTarget(s)
  const { text } = yield* call('get_page_tree', { root: 0, depth: 10 })
  const named = treePages(text)
    .filter(({ title }) => contentWords(title).length > 0 && holds(s.question, title, 'iu'))
    .sort((a, b) => b.title.length - a.title.length)
  return named[0]?.uid ?? (open || unknownTarget(s))
}

/**
 * Finds the record that the user means by “page 3”, “this page”, “news 12” or a title; ends the script if there is no
 * such record.
 */
export function* find(s: Situation, words: string): Part<Target> {
  return (yield* found(s, words.trim().replace(/[.?!]+$/, ''))) ?? unknownTarget(s)
}

function* found(s: Situation, phrase: string): Part<Target | undefined> {
  const { pages } = s.tables
  const open = s.mentioned ?? (s.page && pages !== null ? { table: pages, ...s.page } : undefined)
  if (here.test(phrase)) return open
  const [, pointed] = phrase.match(pointing) ?? []
  if (pointed) {
    const isOpen = open && (anyRecord.test(pointed) || (yield* tableNamed(s, pointed)) === open.table)
    return isOpen ? open : undefined
  }
  const [, kind = '', ...uids] = phrase.match(numbered) ?? []
  const uid = uids.find(Boolean)
  if (uid) {
    const table = yield* tableNamed(s, kind)
    return table === undefined ? undefined : { table, uid: idIn(uid), title: phrase }
  }
  const title = plainTitle(phrase)
  if (!title) return undefined
  // Searches pages first, then other records. A CMS without pages does not have the tool `get_page_tree`.
  const page = pages !== null && s.tools.includes('get_page_tree') ? yield* byTitle(title, pages) : undefined
  return page ?? (yield* byTitle(title))
}

/** Matches “this article” and “the open record”. */
const pointing =
  /^(?:this|the (?:open|current|selected)|dies\p{L}*|(?:der|die|das|den|dem|des) (?:offene|aktuelle)\p{L}*|cet|cette|ce|l[’'])[ ]?([\p{L}][\p{L}\p{N}_-]*)(?: ouverte?)?$/iu
/** Matches “articles 3”, “page [3]” and “posts 7d1fa3c0-…”. */
const numbered =
  /^(?:the |die |das |der |la |le |l[’'])?([\p{L}][\p{L}\p{N}_-]*) (?:record |uid )?(?:\[([^\]\s]+)\]|(\d+)|(?=\S*\d)([\w.~-]{8,128}))$/iu
const anyRecord = /^(?:record|entry|item|datensatz|eintrag|enregistrement)e?s?$/i

function* byTitle(title: string, table?: string): Part<Target | undefined> {
  const found = yield* call('search_records', { query: title, ...(table && { table }) })
  const list = found.isError ? [] : hits(found.text)
  const isCalled = list.find((hit) => hit.title.toLowerCase() === title.toLowerCase())
  return isCalled ?? list.find((hit) => overlap(contentWords(title), hit.title) > 0)
}

/** Removes quotes, a leading “the page” and a trailing “page” from a title. */
function plainTitle(phrase: string): string {
  return phrase
    .replace(/^(?:the |a |der |die |das |dem |den |des |la |le |l[’'])/i, '')
    .replace(/^(?:page|seite) /i, '')
    .replace(/["“”„'‘’]/g, '')
    .replace(/[ -](?:page|seite)$/i, '')
    .trim()
}

/** The maximum number of tables that are read for their labels. */
const mostTables = 8

/** Returns the table that a word means; undefined if the user may read no such table. */
export function* tableNamed(s: Situation, word: string): Part<string | undefined> {
  const { pages, content } = s.tables
  if (/^(?:pages?|seiten?)$/i.test(word) && pages !== null) return pages
  if (/^(?:elements?|inhaltselemente?|éléments?)$/i.test(word) && content !== null) return content
  if (s.isOwn) return /^nachricht(?:en)?$/i.test(word) ? 'news' : word.toLowerCase()
  const known = [s.mentioned?.table, pages, content].find((table) => table && isSame(table, word))
  if (known) return known
  const table = word.trim().replaceAll(' ', '_')
  const asked = yield* call('describe_table', { table })
  if (!asked.isError) return table
  const [, list = ''] = asked.text.match(/Tables that the user may read: (.*)\.$/m) ?? []
  const names = list.split(', ').filter((name) => name !== '' && name !== 'none')
  const named = names.find((name) => isSame(name, word))
  if (named || names.length === 0) return named
  const looked = names.slice(0, mostTables)
  const answers = yield* calling(
    ...looked.map((name) => ({ name: 'describe_table', arguments: { table: name } })),
  )
  return looked.find((_, at) => isSame(answers[at]?.text.match(/^Table \S+ \((.*?)\)\. /)?.[1] ?? '', word))
}

/** True if two words are the same name; a singular and its plural are the same name. */
const isSame = (one: string, other: string): boolean => root(one) !== '' && root(one) === root(other)

function root(word: string): string {
  const plain = word.toLowerCase().replaceAll(/[ _-]/g, '')
  return plain.replace(/y$/, 'i').replace(/(?:es|en|e|s|n)$/, '')
}

/** Ends a script if no record is open or named, or if the named record does not exist. */
export function unknownTarget({ isOwn, say }: Situation): never {
  end(
    isOwn
      ? say`I did not find the record that you mean. Name it by its uid, such as “page 3”, or open the page first.`
      : say`I did not find the record that you mean. Name it by its title, or by its table and uid, or open it first.`,
  )
}
