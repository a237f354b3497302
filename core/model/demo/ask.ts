import { amount, type Element, type Hit, hits, pageContent, record, sentences } from './reading.ts'
import { type Call, call, calling, type Result, type Script } from './script.ts'
import type { Situation } from './situation.ts'
import { brief, named, quote, say, trouble } from './speech.ts'
import { asksPrice, contentWords, overlap, queries } from './terms.ts'

/** Answers a question about the site: searches, reads the best hits and quotes the sentences that fit the words. */

type Passage = { text: string; score: number; element?: Element }
type Source = { title: string; uid: number; path: string; passages: Passage[] }
type Question = { s: Situation; words: string[]; wantsPrice: boolean }

const mostSentences = 3

/** Tries one query after the other; then the open page; then says what it looked for. */
export function* ask(s: Situation): Script {
  const question = { s, words: contentWords(s.question), wantsPrice: asksPrice.test(s.question) }
  const seen: Hit[] = []
  for (const query of queries(s.question)) {
    const found = yield* call('search_records', { query })
    if (found.isError) return trouble(s.lang, found.name, found.text)
    const list = hits(found.text)
    seen.push(...list)
    const readings = best(list, question)
    if (readings.length === 0) continue
    const answer = answerFrom(yield* calling(...readings), question)
    if (answer) return answer
  }
  if (s.page && s.tools.includes('get_page_content')) {
    const answer = answerFrom(yield* calling(reads(s.page.uid)), question)
    if (answer) return answer
  }
  return nothing(s, seen)
}

const reads = (page: number): Call => ({ name: 'get_page_content', arguments: { page } })

/** At most two things to read: what is named like the question, and says what it asks for. */
function best(list: Hit[], question: Question): Call[] {
  const ranked = list
    .map((hit) => ({ hit, score: rank(hit, question) }))
    .sort((a, b) => b.score - a.score)
    .map(({ hit }) => readingOf(hit, question.s))
  const distinct = new Map(ranked.map((reading) => [JSON.stringify(reading), reading]))
  return [...distinct.values()].slice(0, 2)
}

function rank(hit: Hit, { words, wantsPrice }: Question): number {
  const isOnPage = hit.table === 'pages' || hit.table === 'content'
  const hasPrice = wantsPrice && amount.test(hit.text)
  const spare = hit.title.split(' ').length / 10
  return (
    3 * overlap(words, hit.title) + overlap(words, hit.text) + Number(isOnPage) + 2 * Number(hasPrice) - spare
  )
}

function readingOf(hit: Hit, s: Situation): Call {
  const page = hit.table === 'pages' ? hit.uid : hit.page
  if (hit.table !== 'news' && page && s.tools.includes('get_page_content')) return reads(page)
  return { name: 'get_record', arguments: { table: hit.table, uid: hit.uid } }
}

function answerFrom(results: Result[], question: Question): string | undefined {
  const sources = results.flatMap((result) => sourceOf(result, question) ?? [])
  const top = sources.sort((a, b) => highest(b) - highest(a))[0]
  if (!top || highest(top) <= 0) return undefined
  return question.wantsPrice ? price(top, question.s) : quotation(top, question.s)
}

const highest = ({ passages }: Source) => Math.max(0, ...passages.map(({ score }) => score))

function sourceOf(result: Result, question: Question): Source | undefined {
  const page = result.isError ? undefined : pageContent(result.text)
  if (page) {
    const around = overlap(question.words, page.title)
    const passages = page.elements.flatMap((element) =>
      sentences(`${element.header}\n${element.text}`).map((text) => ({
        text,
        element,
        score: score(text, around + overlap(question.words, element.header), question),
      })),
    )
    return { title: page.title, uid: page.uid, path: page.path, passages }
  }
  const stored = result.isError ? undefined : record(result.text)
  if (!stored) return undefined
  const text = [...stored.fields.values()].join('\n').replace(/<[^>]*>/g, ' ')
  const around = overlap(question.words, stored.title)
  return {
    ...stored,
    path: `${stored.table} [${stored.uid}]`,
    passages: sentences(text).map((text) => ({ text, score: score(text, around, question) })),
  }
}

/** A price must be in the sentence itself; other sentences must share a word with the question. */
function score(sentence: string, around: number, { words, wantsPrice }: Question): number {
  const own = overlap(words, sentence)
  if (wantsPrice) return amount.test(sentence) && own + around > 0 ? 2 * own + around : 0
  return own > 0 ? 2 * own + around : 0
}

function price(source: Source, { lang }: Situation): string {
  const [found] = [...source.passages].sort((a, b) => b.score - a.score)
  const text = found?.text ?? ''
  const [sum = ''] = text.match(amount) ?? []
  const head = say(lang, {
    en: `${named(lang, source.title)} [${source.uid}] names **${sum}**:`,
    de: `${named(lang, source.title)} [${source.uid}] nennt **${sum}**:`,
  })
  return `${head}\n\n${quote([brief(text)])}\n\n${origin(source, found, lang)}`
}

function quotation(source: Source, { lang }: Situation): string {
  const top = highest(source)
  const chosen = source.passages
    .filter(({ score }) => score > 0 && score >= top / 2)
    .sort((a, b) => b.score - a.score)
    .slice(0, mostSentences)
  const inOrder = source.passages.filter((passage) => chosen.includes(passage))
  const lines = [...new Set(inOrder.map(({ text }) => brief(text)))]
  const head = say(lang, {
    en: `${named(lang, source.title)} [${source.uid}] says:`,
    de: `In ${named(lang, source.title)} [${source.uid}] steht:`,
  })
  return `${head}\n\n${quote(lines)}\n\n${origin(source, chosen[0], lang)}`
}

function origin({ path }: Source, passage: Passage | undefined, lang: Situation['lang']): string {
  const element = passage?.element ? `, ${passage.element.table} [${passage.element.uid}]` : ''
  return `${say(lang, { en: 'Source', de: 'Quelle' })}: ${path}${element}`
}

function nothing({ lang, question }: Situation, seen: Hit[]): string {
  const tried = queries(question)
    .map((query) => named(lang, query))
    .join(', ')
  const places = [...new Map(seen.map((hit) => [`${hit.table} ${hit.uid}`, hit])).values()].slice(0, 5)
  if (places.length > 0) {
    const list = places.map((hit) => `- ${named(lang, hit.title)}: ${hit.table} [${hit.uid}]`).join('\n')
    return say(lang, {
      en: `I searched for ${tried} and found no sentence that answers this. These records have the words:\n\n${list}`,
      de: `Ich habe nach ${tried} gesucht und keinen Satz gefunden, der das beantwortet. Diese Datensätze enthalten die Wörter:\n\n${list}`,
    })
  }
  return say(lang, {
    en: `I searched for ${tried} and found nothing that you may see. This demo looks for the words of the question as they stand: it is a fixed script, no AI model.`,
    de: `Ich habe nach ${tried} gesucht und nichts gefunden, was Sie sehen dürfen. Diese Demo sucht die Wörter der Frage, wie sie dastehen: Sie ist ein festes Skript, kein KI-Modell.`,
  })
}
