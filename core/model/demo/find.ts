import { type Hit, hits } from './reading.ts'
import { call, type Script } from './script.ts'
import type { Situation } from './situation.ts'
import { asScript, brief, type Lang, named, say, trouble } from './speech.ts'

/** Answers the proposed searches: all places with a name, and the texts of the site or its news about a subject. */

const mostLines = 20

const kinds: Record<string, Record<Lang, string>> = {
  pages: { en: 'Pages', de: 'Seiten', fr: 'Pages' },
  content: { en: 'Content elements', de: 'Inhaltselemente', fr: 'Éléments de contenu' },
  news: { en: 'News', de: 'Nachrichten', fr: 'Actualités' },
}

/** Lists every record that contains the words, by kind, each with the passage. */
export function* places(s: Situation, words: string): Script {
  const found = yield* call('search_records', { query: words, limit: 100 })
  if (found.isError) return trouble(s.lang, found.name, found.text)
  const list = hits(found.text)
  if (list.length === 0)
    return say(s.lang, {
      en: `No record that you may see names ${named('en', words)}.`,
      de: `Kein Datensatz, den Sie sehen dürfen, nennt ${named('de', words)}.`,
      fr: `Aucun enregistrement que vous pouvez voir ne cite ${named('fr', words)}.`,
    })
  const head = say(s.lang, {
    en: `${named('en', words)} stands in ${list.length === 1 ? 'one record' : `${list.length} records`} that you may see:`,
    de: `${named('de', words)} steht in ${list.length === 1 ? 'einem Datensatz, den' : `${list.length} Datensätzen, die`} Sie sehen dürfen:`,
    fr: `${named('fr', words)} figure dans ${list.length === 1 ? 'un enregistrement' : `${list.length} enregistrements`} que vous pouvez voir\u202f:`,
  })
  const groups = [...Map.groupBy(list.slice(0, mostLines), ({ table }) => table)]
  const parts = groups.map(([table, own]) => {
    const kind = Object.hasOwn(kinds, table) ? kinds[table] : undefined
    const title = kind ? say(s.lang, kind) : table
    return `**${title}**\n\n${own.map((hit) => line(s, hit)).join('\n')}`
  })
  const rest = list.length - mostLines
  const more = say(s.lang, {
    en: `… and ${rest} more`,
    de: `… und ${rest} weitere`,
    fr: `… et ${rest} de plus`,
  })
  return [head, ...parts, ...(rest > 0 ? [more] : [])].join('\n\n')
}

function line({ lang }: Situation, { title, uid, text }: Hit): string {
  return `- ${named(lang, title)} [${uid}]${text && `: ${brief(text, 120)}`}`
}

/** The words by which the site names the subjects of the proposed questions. */
const known: [pattern: RegExp, queries: string[]][] = [[/pric|preis|prix/i, ['price', 'Preis', 'EUR']]]

/** Lists the records of the site, or of a table, that contain one of the first three words of a subject. */
export function* searched(s: Situation, subject: string, table?: 'news'): Script {
  const own = subject.split(/\s+/).map((word) => word.replace(/[^\p{L}\p{N}-]/gu, ''))
  const queries = known.find(([pattern]) => pattern.test(subject))?.[1] ?? own
  const found = new Map<string, Hit>()
  for (const query of queries.filter((word) => word.length > 1).slice(0, 3)) {
    const result = yield* call('search_records', { query, ...(table && { table }), limit: 10 })
    if (result.isError) return trouble(s.lang, result.name, result.text)
    for (const hit of hits(result.text)) {
      const key = `${hit.table} ${hit.uid}`
      if (!found.has(key)) found.set(key, hit)
    }
  }
  const list = queries.map((word) => named(s.lang, word)).join(', ')
  if (found.size === 0)
    return say(s.lang, {
      en: `No ${table ?? 'record'} that you may see ${table ? 'have' : 'has'} the words ${list}.`,
      de: `${table ? 'Keine Meldung, die' : 'Kein Datensatz, den'} Sie sehen dürfen, enthält ${list}.`,
      fr: `${table ? 'Aucune actualité' : 'Aucun enregistrement'} que vous pouvez voir ne contient ${list}.`,
    })
  const head = say(s.lang, {
    en: `The ${table ?? 'records'} with ${list}, newest change first:`,
    de: `Die ${table ? 'Meldungen' : 'Datensätze'} mit ${list}, neueste Änderung zuerst:`,
    fr: `Les ${table ? 'actualités' : 'enregistrements'} avec ${list}, de la plus récente à la plus ancienne modification\u202f:`,
  })
  const note = asScript(s.lang, {
    en: `I searched for the words. A model would tell what the ${table ?? 'site'} says.`,
    de: `Ich habe die Wörter gesucht. Ein Modell würde sagen, was ${table ? 'in den Meldungen' : 'auf der Website'} steht.`,
    fr: `J’ai cherché les mots. Un modèle dirait ce que ${table ? 'contiennent les actualités' : 'contient le site'}.`,
  })
  const lines = [...found.values()].slice(0, mostLines).map((hit) => line(s, hit))
  return [head, lines.join('\n'), note].join('\n\n')
}
