import { own } from '../../base/json.ts'
import { amount, type Hit, hits } from './reading.ts'
import { call, type Script } from './script.ts'
import type { Situation } from './situation.ts'
import { brief, named, pickWords, translate, trouble } from './speech.ts'

/** Answers the proposed searches: all places with a name, and the texts of the site or its news about a subject. */

const mostLines = 20

const kinds: Record<string, string> = {
  pages: 'Pages',
  content: 'Content elements',
  news: 'News',
  media: 'Files',
}

/** Lists every record that contains the words, by kind, each with the passage. */
export function* places(s: Situation, words: string): Script {
  const found = yield* call('search_records', { query: words, limit: 100 })
  if (found.isError) return trouble(s.lang, found.text)
  const list = hits(found.text).filter((hit) => names(hit, words))
  if (list.length === 0) return s.say`No record that you may see names ${named(s.lang, words)}.`
  const head = pickWords(s.lang, {
    en: `${named('en', words)} stands in ${list.length === 1 ? 'one record' : `${list.length} records`} that you may see:`,
    de: `${named('de', words)} steht in ${list.length === 1 ? 'einem Datensatz, den' : `${list.length} Datensätzen, die`} Sie sehen dürfen:`,
    fr: `${named('fr', words)} figure dans ${list.length === 1 ? 'un enregistrement' : `${list.length} enregistrements`} que vous pouvez voir\u202f:`,
  })
  const groups = [...Map.groupBy(list.slice(0, mostLines), ({ table }) => table)]
  const parts = groups.map(([table, found]) => {
    const title = translate(s.lang, own(kinds, table) ?? table)
    return `**${title}**\n\n${found.map((hit) => line(s, hit)).join('\n')}`
  })
  const rest = list.length - mostLines
  const more = s.say`… and ${rest} more`
  return [head, ...parts, ...(rest > 0 ? [more] : [])].join('\n\n')
}

/** True if a hit has a name as it is written: “Home” is a page, “take it home” names none. */
function names({ title, text }: Hit, words: string): boolean {
  if (!/^\p{Lu}/u.test(words)) return true
  const literal = words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'u').test(`${title}\n${text}`)
}

function line({ lang }: Situation, { title, uid, text }: Hit): string {
  return `- ${named(lang, title)} [${uid}]${text && `: ${brief(text, 120)}`}`
}

/** Asks for prices: the site names them by these words. */
const prices = /pric|preis|prix/i
const german = /\b(?:Preis|kostet|der|die|das|und|für|mit|ab)\b/

/** One line for each page that names a price: the page, the price and its sentence in the language of the reader. */
function* pricesOf(s: Situation): Script {
  const found: Hit[] = []
  for (const query of ['price', 'Preis', 'EUR']) {
    const result = yield* call('search_records', { query, limit: 100 })
    if (result.isError) return trouble(s.lang, result.text)
    found.push(...hits(result.text).filter(({ text }) => amount.test(text)))
  }
  const isOwn = ({ text }: Hit) => german.test(text) === (s.lang === 'de')
  const places = Map.groupBy(found, ({ page, table, uid }) => `${table === 'news' ? uid : page}`)
  const lines = [...places.values()].flatMap((own) => {
    const hit = own.find(isOwn) ?? own[0]
    if (!hit) return []
    const [sum = ''] = hit.text.match(amount) ?? []
    const [title, uid] = hit.table === 'news' || !hit.place ? [hit.title, hit.uid] : [hit.place, hit.page]
    return [`- ${named(s.lang, title)} [${uid}]: **${sum}**`]
  })
  const head = s.say`${lines.length} places that you may see name a price:`
  const rest = lines.length - mostLines
  const more = s.say`- … and ${rest} more`
  const note = s.remark`I list the amounts that stand on the pages. A model would compare them.`
  return [head, [...lines.slice(0, mostLines), ...(rest > 0 ? [more] : [])].join('\n'), note].join('\n\n')
}

/** Lists the records of the site, or of a table, that contain one of the first three words of a subject. */
export function* searched(s: Situation, subject: string, table?: 'news'): Script {
  if (!table && prices.test(subject)) return yield* pricesOf(s)
  const queries = subject.split(/\s+/).map((word) => word.replace(/[^\p{L}\p{N}-]/gu, ''))
  const found = new Map<string, Hit>()
  for (const query of queries.filter((word) => word.length > 1).slice(0, 3)) {
    const result = yield* call('search_records', { query, ...(table && { table }), limit: 10 })
    if (result.isError) return trouble(s.lang, result.text)
    for (const hit of hits(result.text)) {
      const key = `${hit.table} ${hit.uid}`
      found.set(key, found.get(key) ?? hit)
    }
  }
  return reportHits(s, queries, [...found.values()], table)
}

/** Says which records have the words, or that none has. */
function reportHits(s: Situation, queries: string[], found: Hit[], table: 'news' | undefined): string {
  const list = queries.map((word) => named(s.lang, word)).join(', ')
  if (found.length === 0)
    return pickWords(s.lang, {
      en: `No ${table ?? 'record'} that you may see ${table ? 'have' : 'has'} the words ${list}.`,
      de: `${table ? 'Keine Meldung, die' : 'Kein Datensatz, den'} Sie sehen dürfen, enthält ${list}.`,
      fr: `${table ? 'Aucune actualité' : 'Aucun enregistrement'} que vous pouvez voir ne contient ${list}.`,
    })
  const head = pickWords(s.lang, {
    en: `The ${table ?? 'records'} with ${list}, newest change first:`,
    de: `Die ${table ? 'Meldungen' : 'Datensätze'} mit ${list}, neueste Änderung zuerst:`,
    fr: `Les ${table ? 'actualités' : 'enregistrements'} avec ${list}, de la plus récente à la plus ancienne modification\u202f:`,
  })
  const note = s.remark`${pickWords(s.lang, {
    en: `I searched for the words. A model would tell what the ${table ?? 'site'} says.`,
    de: `Ich habe die Wörter gesucht. Ein Modell würde sagen, was ${table ? 'in den Meldungen' : 'auf der Website'} steht.`,
    fr: `J’ai cherché les mots. Un modèle dirait ce que ${table ? 'contiennent les actualités' : 'contient le site'}.`,
  })}`
  const lines = found.slice(0, mostLines).map((hit) => line(s, hit))
  return [head, lines.join('\n'), note].join('\n\n')
}
