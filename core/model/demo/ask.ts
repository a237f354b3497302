import type { RecordId } from '../../conversation/schema.ts'
import {
  amount,
  type Element,
  type Hit,
  hits,
  inLanguageOf,
  pageContent,
  record,
  sentences,
} from './reading.ts'
import { call, calling, type Result, type Script, type ScriptedCall } from './script.ts'
import type { Situation } from './situation.ts'
import { brief, named, quote, say, trouble } from './speech.ts'
import type { Target } from './target.ts'
import { asksPrice, contentWords, inSiteWords, overlap, queries } from './terms.ts'

/** Answers a question about the site: searches, reads the best hits and quotes the sentences that match the words. */

/** A sentence; `own` counts the question's words that it has and its title does not. */
type Passage = { text: string; own: number; score: number; element?: Element }
type Source = { title: string; uid: RecordId; isPage: boolean; path: string; passages: Passage[] }
type Question = { s: Situation; words: string[]; wantsPrice: boolean }

const mostSentences = 3

/** Tries one query after the other, then the open page; if all fail, it names the words it searched for. */
export function* ask(s: Situation): Script {
  const question = { s, words: contentWords(inSiteWords(s.question)), wantsPrice: asksPrice.test(s.question) }
  const seen: Hit[] = []
  for (const query of queries(inSiteWords(s.question))) {
    const found = yield* call('search_records', { query })
    if (found.isError) return trouble(s.lang, found.text)
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

/** The first sentences of one record. */
export function* about(s: Situation, { table, uid }: Target): Script {
  const result = yield* call('get_record', { table, uid })
  const source = sourceOf(result, { s, words: [], wantsPrice: false })
  return (source && beginning(source, s)) ?? trouble(s.lang, result.text)
}

const reads = (page: RecordId): ScriptedCall => ({ name: 'get_page_content', arguments: { page } })

/** The calls that read hits: at most two that match the question by name or content, and the open page. */
function best(list: Hit[], question: Question): ScriptedCall[] {
  if (list.length === 0) return []
  const { page, tools } = question.s
  const ranked = list
    .map((hit) => ({ hit, score: rank(hit, question) }))
    .sort((a, b) => b.score - a.score)
    .map(({ hit }) => readingOf(hit, question.s))
  const open = page && tools.includes('get_page_content') ? [reads(page.uid)] : []
  const chosen = [...distinct(ranked).slice(0, 2), ...open]
  return distinct(chosen)
}

function distinct(calls: ScriptedCall[]): ScriptedCall[] {
  return [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()]
}

function rank(hit: Hit, { s: { tables }, words, wantsPrice }: Question): number {
  const isOnPage = hit.table === tables.pages || hit.table === tables.content
  const hasPrice = wantsPrice && amount.test(hit.text)
  const spare = hit.title.split(' ').length / 10
  return (
    3 * overlap(words, hit.title) + overlap(words, hit.text) + Number(isOnPage) + 2 * Number(hasPrice) - spare
  )
}

function readingOf(hit: Hit, s: Situation): ScriptedCall {
  const page = hit.table === s.tables.pages ? hit.uid : hit.page
  if (hit.table !== 'news' && page && s.tools.includes('get_page_content')) return reads(page)
  return { name: 'get_record', arguments: { table: hit.table, uid: hit.uid } }
}

function answerFrom(results: Result[], question: Question): string | undefined {
  const sources = results.flatMap((result) => sourceOf(result, question) ?? [])
  const [top] = sources.sort((a, b) => worth(b) - worth(a))
  if (top && highest(top) > 0)
    return question.wantsPrice ? price(top, question.s) : quotation(top, question.s)
  const called = sources.find(({ title }) => !question.wantsPrice && overlap(question.words, title) > 0)
  return called && beginning(called, question.s)

  /** Prefers the open page among equal sources, and for a price pages to news. */
  function worth(source: Source): number {
    const isOpen = source.uid === question.s.page?.uid && source.isPage
    // The page of a product says what it costs, news what it once did.
    const isPriced = question.wantsPrice && source.isPage && highest(source) > 0
    return highest(source) + (isOpen ? 1 : 0) + (isPriced ? 8 : 0)
  }
}

const highest = ({ passages }: Source) => Math.max(0, ...passages.map(({ score }) => score))

function sourceOf(result: Result, question: Question): Source | undefined {
  const page = result.isError ? undefined : pageContent(result.text)
  if (page) {
    const passages = inLanguageOf(question.s.lang, page.elements).flatMap((element) =>
      passagesOf(element.text || element.header, `${page.title} ${element.header}`, question).map(
        (passage) => ({ ...passage, element }),
      ),
    )
    return { title: page.title, uid: page.uid, isPage: true, path: page.path, passages }
  }
  const stored = result.isError ? undefined : record(result.text)
  if (!stored) return undefined
  const { title, uid, table, fields } = stored
  const text = [...fields.values()].join('\n').replace(/<[^<>]*>/g, ' ')
  return { title, uid, isPage: false, path: `${table} [${uid}]`, passages: passagesOf(text, title, question) }
}

/**
 * The sentences of a text with their scores. Words of the question count; words that are missing from the title count
 * most. For a question about a price, the sentence itself must contain one.
 */
function passagesOf(text: string, title: string, { words, wantsPrice }: Question): Passage[] {
  const specific = words.filter((word) => overlap([word], title) === 0)
  const around = overlap(words, title)
  return sentences(text).map((sentence) => {
    const own = overlap(specific, sentence)
    const all = overlap(words, sentence)
    const isAnswer = wantsPrice ? amount.test(sentence) && all + around > 0 : all > 0
    return { text: sentence, own, score: isAnswer ? 4 * own + 2 * all + around : 0 }
  })
}

function price(source: Source, { lang, say }: Situation): string {
  const [found] = [...source.passages].sort((a, b) => b.score - a.score)
  const text = found?.text ?? ''
  const [sum = ''] = text.match(amount) ?? []
  const head = say`${named(lang, source.title)} [${source.uid}] names **${sum}**:`
  return `${head}\n\n${quote([brief(text)])}\n\n${origin(source, found, lang)}`
}

function quotation(source: Source, { lang, say }: Situation): string {
  const ranked = source.passages.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score)
  const isSpecific = ranked.some(({ own }) => own > 0)
  const chosen = ranked.filter(({ own }) => own > 0 || !isSpecific).slice(0, mostSentences)
  const inOrder = source.passages.filter((passage) => chosen.includes(passage))
  const lines = [...new Set(inOrder.map(({ text }) => brief(text)))]
  const head = say`${named(lang, source.title)} [${source.uid}] says:`
  return `${head}\n\n${quote(lines)}\n\n${origin(source, chosen[0], lang)}`
}

/** The beginning of a record whose name matches the question, although no sentence has its words. */
function beginning(source: Source, s: Situation): string | undefined {
  const passages = source.passages.slice(0, mostSentences).map((passage) => ({ ...passage, score: 1 }))
  return passages.length > 0 ? quotation({ ...source, passages }, s) : undefined
}

function origin({ path }: Source, passage: Passage | undefined, lang: Situation['lang']): string {
  const element = passage?.element ? `, ${passage.element.table} [${passage.element.uid}]` : ''
  return `${say(lang)`Source`}: ${path}${element}`
}

function nothing({ lang, question, say }: Situation, seen: Hit[]): string {
  const tried = queries(question)
    .map((query) => named(lang, query))
    .join(', ')
  const places = [...new Map(seen.map((hit) => [`${hit.table} ${hit.uid}`, hit])).values()].slice(0, 5)
  if (places.length > 0) {
    const list = places.map((hit) => `- ${named(lang, hit.title)}: ${hit.table} [${hit.uid}]`).join('\n')
    return say`I searched for ${tried} and found no sentence that answers this. These records have the words:\n\n${list}`
  }
  return say`I searched for ${tried} and found nothing that you may see. This demo looks for the words of the question as they stand: it is a fixed script, no AI model.`
}
