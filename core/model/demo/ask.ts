import type { RecordId } from '../../conversation/schema.ts'
import * as Reading from './reading.ts'
import { calling, type Result, read, type Script, type ScriptedCall } from './script.ts'
import type { Situation } from './situation.ts'
import { brief, paragraphs, quote, trouble, untagged } from './speech.ts'
import type { Target } from './target.ts'
import { asksPrice, contentWords, inSiteWords, overlap, queries } from './terms.ts'

/** Answers a question about the site: searches, reads the best hits and quotes the sentences that match the words. */

/** A sentence; `own` counts its words that are in the question but not in its title. */
type Passage = { text: string; own: number; score: number; element?: Reading.Element }
type Source = { title: string; uid: RecordId; isPage: boolean; path: string; passages: Passage[] }
type Question = { s: Situation; words: string[]; wantsPrice: boolean }

const mostSentences = 3

/** Tries one query after the other, then the open page; if all fail, names the words that it searched for. */
export function* ask(s: Situation): Script {
  const question = { s, words: contentWords(inSiteWords(s.question)), wantsPrice: asksPrice.test(s.question) }
  const open = s.page && s.tools.includes('get_page_content') ? [reads(s.page.uid)] : []
  const seen: Reading.Hit[] = []
  for (const query of queries(inSiteWords(s.question))) {
    const list = Reading.hits(yield* read(s, 'search_records', { query }))
    seen.push(...list)
    if (list.length === 0) continue
    const answer = answerFrom(yield* calling(...distinct([...best(list, question), ...open])), question)
    if (answer) return answer
  }
  const answer = open.length > 0 && answerFrom(yield* calling(...open), question)
  return answer || nothing(s, seen)
}

/** Answers with the first sentences of one record. */
export function* about(s: Situation, { table, uid }: Target): Script {
  const text = yield* read(s, 'get_record', { table, uid })
  const source = sourceOf({ text, isError: false }, { s, words: [], wantsPrice: false })
  return (source && beginning(source, s)) ?? trouble(s.lang, text)
}

const reads = (page: RecordId): ScriptedCall => ({ name: 'get_page_content', arguments: { page } })

/** Returns the calls that read the two hits that match the question best by name or content. */
function best(list: Reading.Hit[], question: Question): ScriptedCall[] {
  const ranked = list.map((hit) => ({ hit, score: rank(hit, question) })).sort((a, b) => b.score - a.score)
  return distinct(ranked.map(({ hit }) => readingOf(hit, question.s))).slice(0, 2)
}

const distinct = (calls: ScriptedCall[]) => [
  ...new Map(calls.map((call) => [JSON.stringify(call), call])).values(),
]

function rank({ table, title, text }: Reading.Hit, { s: { tables }, words, wantsPrice }: Question): number {
  const isOnPage = table === tables.pages || table === tables.content
  const hasPrice = wantsPrice && Reading.amount.test(text)
  const spare = title.split(' ').length / 10
  return 3 * overlap(words, title) + overlap(words, text) + Number(isOnPage) + 2 * Number(hasPrice) - spare
}

function readingOf(hit: Reading.Hit, s: Situation): ScriptedCall {
  const page = hit.table === s.tables.pages ? hit.uid : hit.page
  if (hit.table !== 'news' && page && s.tools.includes('get_page_content')) return reads(page)
  return { name: 'get_record', arguments: { table: hit.table, uid: hit.uid } }
}

function answerFrom(results: Result[], question: Question): string | undefined {
  const { s, words, wantsPrice } = question
  const sources = results.flatMap((result) => sourceOf(result, question) ?? [])
  const [top] = sources.sort((a, b) => worth(b, question) - worth(a, question))
  if (top && highest(top) > 0) return wantsPrice ? price(top, s) : quotation(top, s)
  const called = sources.find(({ title }) => !wantsPrice && overlap(words, title) > 0)
  return called && beginning(called, s)
}

/**
 * Prefers the open page among equal sources. For a price it prefers pages to news, because news may name an old price.
 */
function worth(source: Source, { s, wantsPrice }: Question): number {
  const isOpen = source.uid === s.page?.uid && source.isPage
  const isPriced = wantsPrice && source.isPage && highest(source) > 0
  return highest(source) + (isOpen ? 1 : 0) + (isPriced ? 8 : 0)
}

const highest = ({ passages }: Source) => Math.max(0, ...passages.map(({ score }) => score))

function sourceOf(
  { text, isError }: Pick<Result, 'text' | 'isError'>,
  question: Question,
): Source | undefined {
  const page = isError ? undefined : Reading.pageContent(text)
  if (page) {
    const passages = Reading.inLanguageOf(question.s.lang, page.elements).flatMap((element) =>
      passagesOf(element.text || element.header, `${page.title} ${element.header}`, question).map(
        (passage) => ({ ...passage, element }),
      ),
    )
    return { title: page.title, uid: page.uid, isPage: true, path: page.path, passages }
  }
  const stored = isError ? undefined : Reading.record(text)
  if (!stored) return undefined
  const { title, uid, table, fields } = stored
  const passages = passagesOf(untagged([...fields.values()].join('\n')), title, question)
  return { title, uid, isPage: false, path: `${table} [${uid}]`, passages }
}

/**
 * Returns the sentences of a text with their scores. Words of the question count; words that are missing from the title
 * count most. If the question is about a price, the sentence itself must contain a price.
 */
function passagesOf(text: string, title: string, { words, wantsPrice }: Question): Passage[] {
  const specific = words.filter((word) => overlap([word], title) === 0)
  const around = overlap(words, title)
  return Reading.sentences(text).map((sentence) => {
    const own = overlap(specific, sentence)
    const all = overlap(words, sentence)
    const isAnswer = wantsPrice ? Reading.amount.test(sentence) && all + around > 0 : all > 0
    return { text: sentence, own, score: isAnswer ? 4 * own + 2 * all + around : 0 }
  })
}

const byScore = (passages: Passage[]) => [...passages].sort((a, b) => b.score - a.score)

function price(source: Source, s: Situation): string {
  const [found] = byScore(source.passages)
  const [sum = ''] = found?.text.match(Reading.amount) ?? []
  const head = s.say`${s.named(source.title)} [${source.uid}] names **${sum}**:`
  return paragraphs(head, quote([brief(found?.text ?? '')]), origin(source, found, s))
}

function quotation(source: Source, s: Situation): string {
  const ranked = byScore(source.passages.filter(({ score }) => score > 0))
  const isSpecific = ranked.some(({ own }) => own > 0)
  const chosen = ranked.filter(({ own }) => own > 0 || !isSpecific).slice(0, mostSentences)
  const inOrder = source.passages.filter((passage) => chosen.includes(passage))
  const head = s.say`${s.named(source.title)} [${source.uid}] says:`
  const lines = [...new Set(inOrder.map(({ text }) => brief(text)))]
  return paragraphs(head, quote(lines), origin(source, chosen[0], s))
}

/** Returns the beginning of a record whose title matches the question although no sentence has its words. */
function beginning(source: Source, s: Situation): string | undefined {
  const passages = source.passages.slice(0, mostSentences).map((passage) => ({ ...passage, score: 1 }))
  return passages.length > 0 ? quotation({ ...source, passages }, s) : undefined
}

function origin({ path }: Source, passage: Passage | undefined, { say }: Situation): string {
  const element = passage?.element ? `, ${passage.element.table} [${passage.element.uid}]` : ''
  return `${say`Source`}: ${path}${element}`
}

function nothing({ named, question, say }: Situation, seen: Reading.Hit[]): string {
  const tried = queries(question).map(named).join(', ')
  const places = Reading.eachOnce(seen).slice(0, 5)
  const list = places.map((hit) => `- ${named(hit.title)}: ${hit.table} [${hit.uid}]`).join('\n')
  return list
    ? say`I searched for ${tried} and found no sentence that answers this. These records have the words:\n\n${list}`
    : say`I searched for ${tried} and found nothing that you may see. This demo looks for the words of the question as they stand: it is a fixed script, no AI model.`
}
