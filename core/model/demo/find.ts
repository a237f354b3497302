import { amount, eachOnce, type Hit, hits } from './reading.ts'
import { type Part, read, type Script } from './script.ts'
import type { Situation } from './situation.ts'
import { brief, itemized, paragraphs, translate } from './speech.ts'
import { holds } from './terms.ts'

/** Answers the suggested searches: every mention of a name, and the texts of the site or its news about a subject. */

const mostLines = 20

/** Returns the hits of several searches. */
function* searching(s: Situation, queries: Record<string, unknown>[]): Part<Hit[]> {
  const found: Hit[] = []
  for (const query of queries) found.push(...hits(yield* read(s, 'search_records', query)))
  return found
}

/** Lists every record that contains the words, by kind, each with the passage. */
export function* places(s: Situation, words: string): Script {
  const found = yield* searching(s, [{ query: words, limit: 100 }])
  const list = found.filter((hit) => names(hit, words))
  const name = s.named(words)
  if (list.length === 0) return s.say`No record that you may see names ${name}.`
  const head =
    list.length === 1
      ? s.say`${name} stands in one record that you may see:`
      : s.say`${name} stands in ${list.length} records that you may see:`
  const kinds: Record<string, string> = {
    pages: s.say`Pages`,
    content: s.say`Content elements`,
    news: s.say`News`,
    media: s.say`Files`,
  }
  const parts = [...Map.groupBy(list.slice(0, mostLines), ({ table }) => table)].map(
    ([table, found]) => `**${kinds[table] ?? table}**\n\n${found.map((hit) => line(s, hit)).join('\n')}`,
  )
  const rest = list.length - mostLines
  return paragraphs(head, ...parts, rest > 0 ? s.say`… and ${rest} more` : '')
}

/**
 * True if a hit contains the words. Capitalised words must match exactly: “Home” is a page, but “take it home” does not
 * name it.
 */
function names({ title, text }: Hit, words: string): boolean {
  return !/^\p{Lu}/u.test(words) || holds(`${title}\n${text}`, words, 'u')
}

const line = (s: Situation, { title, uid, text }: Hit) =>
  `- ${s.named(title)} [${uid}]${text && `: ${brief(text, 120)}`}`

const german = /\b(?:Preis|kostet|der|die|das|und|für|mit|ab)\b/

/** Answers with one line for each page that names a price: the page and the price, in the language of the reader. */
function* pricesOf(s: Situation): Script {
  const all = yield* searching(
    s,
    ['price', 'Preis', 'EUR'].map((query) => ({ query, limit: 100 })),
  )
  const found = all.filter(({ text }) => amount.test(text))
  const isOwn = ({ text }: Hit) => german.test(text) === (s.lang === 'de')
  const places = Map.groupBy(found, ({ page, table, uid }) => `${table === 'news' ? uid : page}`)
  const lines = [...places.values()].flatMap((own) => {
    const hit = own.find(isOwn) ?? own[0]
    if (!hit) return []
    const [sum = ''] = hit.text.match(amount) ?? []
    const [title, uid] = hit.table === 'news' || !hit.place ? [hit.title, hit.uid] : [hit.place, hit.page]
    return [`- ${s.named(title)} [${uid}]: **${sum}**`]
  })
  const head = s.say`${lines.length} places that you may see name a price:`
  const note = s.remark`I list the amounts that stand on the pages. A model would compare them.`
  return paragraphs(head, itemized(s.lang, lines, mostLines), note)
}

/** Lists the records of the site, or of a table, with one of the first three words of a subject. */
export function* searched(s: Situation, subject: string, more: { table?: string } = {}): Script {
  const isSite = more.table === undefined
  // The site names prices by these words.
  if (isSite && /pric|preis|prix/i.test(subject)) return yield* pricesOf(s)
  const queries = subject
    .split(/\s+/)
    .map((word) => word.replace(/[^\p{L}\p{N}-]/gu, ''))
    .filter((word) => word.length > 1)
    .slice(0, 3)
  const found = yield* searching(
    s,
    queries.map((query) => ({ query, ...more, limit: 10 })),
  )
  const words = queries.map(s.named).join(', ')
  const [none, head, note] = isSite ? ofSite : ofNews
  if (found.length === 0) return translate(s.lang, none, [words])
  const lines = eachOnce(found).map((hit) => line(s, hit))
  const list = itemized(s.lang, lines, mostLines)
  return paragraphs(translate(s.lang, head, [words]), list, s.remark`${translate(s.lang, note)}`)
}

/** The texts for no hit, for the hits, and about what a real model would do. */
type Words = [string, string, string]

const ofSite: Words = [
  'No record that you may see has the words {1}.',
  'The records with {1}, newest change first:',
  'I searched for the words. A model would tell what the site says.',
]
const ofNews: Words = [
  'No news that you may see have the words {1}.',
  'The news with {1}, newest change first:',
  'I searched for the words. A model would tell what the news say.',
]
