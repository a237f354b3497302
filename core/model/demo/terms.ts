import words from './words.json' with { type: 'json' }

/** Extracts the subject of a question: its words without stop words, and the queries to search for. */

const stop = new Set(words.stop.split(' '))

/** Returns the question with the site's words for returned goods in place of the user's words. */
export function inSiteWords(question: string): string {
  return question
    .replace(/\b(?:zurück(?:ge|zuge)?b\w*|zurück(?:zu)?schicken|umtausch\w*)/gi, 'Rückgabe')
    .replace(/\b(?:rendre|retourner|renvoyer)\b/gi, 'return')
}

/** Matches a question about a price. */
export const asksPrice =
  /\b(?:costs?|prices?|expensive|kostet|kosten|preise?|teuer|coûte|prix)\b|how much|wie ?viel|\bcombien/i

/** Returns the words of a text that carry meaning, in their order and spelling. */
export function contentWords(text: string): string[] {
  return wordsOf(text).filter((word) => !stop.has(word.toLowerCase()))
}

function wordsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]+(?:[-'’][\p{L}\p{N}]+)*/gu) ?? []).map((word) =>
    word.replace(/['’]s$/, ''),
  )
}

/** True if a text contains a title as whole words; `flags` says if upper and lower case differ. */
export function holds(text: string, title: string, flags: 'u' | 'iu'): boolean {
  const literal = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, flags).test(text)
}

/** Counts the words that a text has; compares only their beginnings, so that endings do not matter. */
export function overlap(words: string[], text: string): number {
  const held = new Set(wordsOf(text).flatMap(parts).map(stem))
  return [...new Set(words.flatMap(parts).map(stem))].filter((word) => held.has(word)).length
}

/** Returns the sentences of a list with the most words of the question, at most three. */
export function fitting(list: string[], question: string): string[] {
  const words = contentWords(question)
  const top = Math.max(1, ...list.map((sentence) => overlap(words, sentence)))
  return list.filter((sentence) => overlap(words, sentence) === top).slice(0, 3)
}

const parts = (word: string) => word.split('-').filter((part) => part.length > 1)

function stem(word: string): string {
  const plain = word.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')
  return plain.length > 4 ? plain.replace(/(?:es|en|er|s|e|n)$/, '').slice(0, 7) : plain
}

const mostQueries = 4

/**
 * Returns the search queries, best first: quoted words, adjacent capitalised words, then single words, the longest
 * first.
 */
export function queries(question: string): string[] {
  const quoted = [...question.matchAll(/["“„'‘]([^"“”„'’]{2,80})["”“'’]/g)].map(([, text = '']) => text)
  const runs = runsOf(question)
  const phrases = runs.filter((run) => run.length > 1).map((run) => run.join(' '))
  const words = runs.flat().flatMap((word) => [word, ...(word.includes('-') ? parts(word) : [])])
  const ranked = words.sort((a, b) => weight(b) - weight(a))
  const all = [...quoted, ...phrases, ...ranked, ...ranked.map(singular)].map((text) => text.trim())
  return [...new Set(all)].filter((text) => text.length > 1).slice(0, mostQueries)
}

/** Returns the content words that are adjacent in the question. */
function runsOf(question: string): string[][] {
  const runs: string[][] = [[]]
  for (const part of question.split(/[.,;:!?()"“”„]+/)) {
    for (const word of wordsOf(part)) {
      if (stop.has(word.toLowerCase())) runs.push([])
      else runs.at(-1)?.push(word)
    }
    runs.push([])
  }
  return runs.filter((run) => run.length > 0)
}

const weight = (word: string) => word.length + (/^\p{Lu}/u.test(word) ? 10 : 0)
const singular = (word: string) => (word.length > 4 ? word.replace(/(?<!s)s$/, '') : word)
