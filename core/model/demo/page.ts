import type { RecordId } from '../../conversation/schema.ts'
import { outcome, readRecord, update } from './change.ts'
import { type Element, inLanguageOf, type PageContent, pageContent, sentences } from './reading.ts'
import { call, type Script } from './script.ts'
import { unknownTarget } from './show.ts'
import type { Situation } from './situation.ts'
import { brief, named, quote, trouble } from './speech.ts'
import { type Part, pageMeant } from './target.ts'

/** Answers the proposals for a page: a summary in three sentences, and a shorter text for its first element. */

const three = 3

/** Quotes three sentences of the page: the first of each element, then the second. */
export function* summary(s: Situation, page: RecordId): Script {
  const content = yield* read(s, page)
  if (typeof content === 'string') return content
  const texts = inLanguageOf(s.lang, content.elements).map(({ text }) => sentences(text))
  const inTurn = [0, 1, 2].flatMap((at) => texts.flatMap((list) => list[at] ?? []))
  const ranked = [...inTurn.filter(isWhole), ...inTurn.filter((text) => !isWhole(text))]
  const chosen = [...new Set(ranked)].slice(0, three)
  const inOrder = texts.flat().filter((text, at, all) => chosen.includes(text) && all.indexOf(text) === at)
  if (inOrder.length === 0)
    return s.say`There is no text on ${named(s.lang, content.title)} [${content.uid}].`
  const head = s.say`${named(s.lang, content.title)} [${content.uid}] in its own sentences:`
  const note = s.remark`I took the first sentences of its elements. A model would put the page into words of its own.`
  return [head, quote(inOrder.map((text) => brief(text))), note].join('\n\n')
}

/** True for a sentence; a heading or a line of a list is none. */
const isWhole = (text: string): boolean => /[.!?]$/.test(text) && text.split(' ').length > 3

/** Proposes a shorter form of the first text that has more than one sentence, or of the element that the user named. */
export function* shorten(s: Situation, page: RecordId): Script {
  const content = yield* read(s, page)
  if (typeof content === 'string') return content
  const meant =
    s.mentioned && s.mentioned.table === s.tables.content
      ? content.elements.filter(({ uid }) => uid === s.mentioned?.uid)
      : content.elements
  const long = meant.filter(({ text }) => sentences(text).length > 1)
  for (const element of long) {
    const stored = yield* readRecord(s, element.table, element.uid)
    if ('problem' in stored) return stored.problem
    if (!stored.mayEdit) return notYours(s, content)
    const body = stored.fields.get('body') ?? ''
    const shorter = half(body)
    if (shorter === body) continue
    const result = yield* call('update_record', update(stored, { body: shorter }).call.arguments)
    return [outcome(s, result), ...(element === meant[0] ? [] : [other(s, element)]), note(s)].join('\n\n')
  }
  return s.say`No element of ${named(s.lang, content.title)} [${content.uid}] has more than one sentence: there is nothing to leave out.`
}

function* read(s: Situation, page: RecordId): Part<PageContent | string> {
  const result = yield* call('get_page_content', { page })
  const content = result.isError ? undefined : pageContent(result.text)
  return content ?? trouble(s.lang, result.text)
}

/** Amounts, numbers and addresses: a shorter text must not lose them. */
const fact = /\d|@/

/**
 * A text with its markup, without the sentences of its second half that hold no fact; if each holds one, without the
 * last clause of a sentence that has none. The text itself if nothing can go.
 */
function half(html: string): string {
  const all = sentences(html.replace(/<[^<>]*>/g, '\n'))
  const gone = all.slice(Math.ceil(all.length / 2)).filter((sentence) => !fact.test(sentence))
  if (gone.length > 0) return tidy(gone.reduce((text, sentence) => text.replace(sentence, ''), html))
  const long = all.find((sentence) => !fact.test(sentence) && clause.test(sentence))
  return long ? html.replace(long, long.replace(clause, '$1$2')) : html
}

const clause = /^(.{20,300}?)[,;:] [^,;:]{1,300}([.!?])$/

function tidy(html: string): string {
  return html
    .replace(/<p[^>]*>\s*<\/p>\n?/g, '')
    .replace(/ +(?=<\/p>|$)/gm, '')
    .replace(/(?<=\S) {2,}/g, ' ')
    .replace(/\n{2,}/g, '\n')
    .trim()
}

function notYours({ lang, say }: Situation, { title, uid }: PageContent): string {
  return say`You may not change the texts on ${named(lang, title)} [${uid}], so I propose nothing. An administrator can give you the right.`
}

function other({ lang, say }: Situation, { header, uid, type }: Element): string {
  const name = named(lang, header || type)
  return say`The first element has one sentence alone. This was ${name} [${uid}].`
}

function note({ remark }: Situation): string {
  return remark`I leave out what holds no number or address. A model would write a shorter text.`
}

/** Runs the script on the page that the question names, else on the open one; says so if there is none. */
export function* onPage(s: Situation, script: (s: Situation, page: RecordId) => Script): Script {
  const page = yield* pageMeant(s)
  return page === undefined ? unknownTarget(s) : yield* script(s, page)
}
