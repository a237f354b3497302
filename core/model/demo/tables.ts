import { call, calling, type Result, type ScriptedCall } from './script.ts'
import type { Situation } from './situation.ts'

/** Finds the table that a word means: by the words for pages and elements, else by the names and labels of the CMS. */

const pageWords = /^(?:pages?|seiten?)$/i
const elementWords = /^(?:elements?|inhaltselemente?|éléments?)$/i
/** The table of news of the product's own CMS. */
const newsWords = /^(?:news|nachricht(?:en)?)$/i

/** At most this many tables are read for their labels. */
const mostTables = 8

/** The table that a word means; undefined if the user may read no such table. */
export function* tableNamed(
  s: Situation,
  word: string,
): Generator<ScriptedCall[], string | undefined, Result[]> {
  const { pages, content } = s.tables
  if (pageWords.test(word) && pages !== null) return pages
  if (elementWords.test(word) && content !== null) return content
  if (s.isOwn) return newsWords.test(word) ? 'news' : word.toLowerCase()
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

/** True if two words are the same name, in the singular or the plural. */
const isSame = (one: string, other: string): boolean => root(one) !== '' && root(one) === root(other)

function root(word: string): string {
  const plain = word.toLowerCase().replaceAll(/[ _-]/g, '')
  return plain.replace(/y$/, 'i').replace(/(?:es|en|e|s|n)$/, '')
}
