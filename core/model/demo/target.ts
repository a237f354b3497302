import { hits } from './reading.ts'
import { type Call, call, calling, type Result } from './script.ts'
import type { Situation } from './situation.ts'
import { contentWords } from './terms.ts'

export type Target = { table: string; uid: number; title: string }

/** Part of a script: may call tools before it knows. */
export type Part<T> = Generator<Call[], T, Result[]>

const here =
  /^(?:(?:the|this|current|open|selected|die|diese|dieser|aktuelle[nr]?) )*(?:page|seite|it|here|hier)?$/i
const tables: Record<string, string> = {
  page: 'pages',
  seite: 'pages',
  element: 'content',
  inhaltselement: 'content',
  news: 'news',
  nachricht: 'news',
}

/** The page that the words point at by itself: the open one, or one by uid. */
export function pageOf(s: Situation, words: string): number | undefined {
  const [, uid] = words.match(/(?:\b(?:page|seite)|\buid) (?:uid )?\[?(\d+)\]?/i) ?? []
  if (uid) return Number(uid)
  return /\b(?:this|current|open|selected) page\b|\bthe page\b(?! tree)|\b(?:diese[rn]?|aktuelle[nr]?|der|die) seite\b|\bcette page\b|\bhere\b|\bhier\b/i.test(
    words,
  )
    ? s.page?.uid
    : undefined
}

/** Words that a request about a page has, beside the name of the page. */
const request =
  /^(?:summ?ar\w*|shorte\w*|translat\w*|propose|short|text|texts|first|element|elements|sentences?|three|into|open|current|selected|fasse?|zusammen\w*|schlage?|kürze\w*|erste[ns]?|drei|sätzen?|übersetz\w*|ins|résum\w*|proposer?|texte|court\w*|premier|élément|plus|trois|phrases?|tradui\w*|allemand|anglais)$/iu

/**
 * The page of the question: one by uid, the one that the user named beside the message, “this page”, or one by its title in
 * the question; else the open one.
 */
export function* pageMeant(s: Situation): Part<number | undefined> {
  const pointed = pageOf(s, s.question)
  if (s.mentioned?.table === 'pages') return s.page?.uid
  if (pointed !== undefined && !/\bthe page\b|\b(?:der|die) seite\b/i.test(s.question)) return pointed
  const words = contentWords(s.question).filter((word) => !request.test(word))
  const canLook = s.tools.includes('search_records') && s.tools.includes('get_page_tree')
  if (words.length === 0 || !canLook) return pointed ?? s.page?.uid
  const results = yield* calling(
    ...words
      .slice(0, 4)
      .map((query) => ({ name: 'search_records', arguments: { query, table: 'pages', limit: 20 } })),
  )
  const named = results
    .flatMap(({ isError, text }) => (isError ? [] : hits(text)))
    .filter(({ title }) => holds(s.question, title))
    .sort((a, b) => b.title.length - a.title.length)
  return named[0]?.uid ?? pointed ?? s.page?.uid
}

/** Whether a text has a title in it, as whole words. */
function holds(text: string, title: string): boolean {
  const words = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}])${words}(?![\\p{L}\\p{N}])`, 'iu').test(text)
}

/** The record that the user means by “page 3”, “this page”, “news 12” or a title; undefined when there is none. */
export function* find(s: Situation, words: string): Part<Target | undefined> {
  const phrase = words.trim().replace(/[.?!]+$/, '')
  if (here.test(phrase)) return s.mentioned ?? (s.page && { table: 'pages', ...s.page })
  const [, kind = '', uid] =
    phrase.match(/^(?:the |die |das |der )?([a-zäöü_]+) (?:record |uid )?\[?(\d+)\]?$/i) ?? []
  if (uid) return { table: tables[kind.toLowerCase()] ?? kind.toLowerCase(), uid: Number(uid), title: phrase }
  const title = plainTitle(phrase)
  if (!title) return undefined
  // Pages first, where there are any.
  const page = s.tools.includes('get_page_tree') ? yield* byTitle(title, 'pages') : undefined
  return page ?? (yield* byTitle(title))
}

function* byTitle(title: string, table?: string): Part<Target | undefined> {
  const found = yield* call('search_records', { query: title, ...(table && { table }) })
  const list = found.isError ? [] : hits(found.text)
  const wanted = title.toLowerCase()
  return list.find((hit) => hit.title.toLowerCase() === wanted) ?? list[0]
}

/** A title without quotes, without “the page” before it and “page” behind it. */
function plainTitle(phrase: string): string {
  return phrase
    .replace(/^(?:the|a|der|die|das|dem|den|des) /i, '')
    .replace(/^(?:page|seite) /i, '')
    .replace(/["“”„'‘’]/g, '')
    .replace(/[ -](?:page|seite)$/i, '')
    .trim()
}
