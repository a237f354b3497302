import { own } from '../../base/json.ts'
import type { RecordId } from '../../conversation/schema.ts'
import { outcome } from './change.ts'
import prepared from './prepared.json' with { type: 'json' }
import { idIn, inLanguageOf, sentences } from './reading.ts'
import { call, calling, type Part, read, readPage, readRecord, type Script } from './script.ts'
import type { Situation } from './situation.ts'
import { brief, paragraphs, quote, trouble, untagged } from './speech.ts'
import { find, pageMeant } from './target.ts'

/**
 * Handles the suggestions of the interface: summaries, shorter texts, prepared texts of the seeded site, a new page.
 */

/** Runs the script on the page that the question names, else on the open page. */
export function* onPage(s: Situation, script: (s: Situation, page: RecordId) => Script): Script {
  return yield* script(s, yield* pageMeant(s))
}

/** Quotes three sentences of the page: the first of each element, then the second. */
export function* summary(s: Situation, page: RecordId): Script {
  const content = yield* readPage(s, page)
  const { title, uid, elements } = content
  const texts = inLanguageOf(s.lang, elements).map(({ text }) => sentences(text))
  const inTurn = [0, 1, 2].flatMap((at) => texts.flatMap((list) => list[at] ?? []))
  const ranked = [...inTurn.filter(isWhole), ...inTurn.filter((text) => !isWhole(text))]
  const chosen = [...new Set(ranked)].slice(0, 3)
  const inOrder = [...new Set(texts.flat())].filter((text) => chosen.includes(text))
  if (inOrder.length === 0) return s.say`There is no text on ${s.named(title)} [${uid}].`
  const head = s.say`${s.named(title)} [${uid}] in its own sentences:`
  const note = s.remark`I took the first sentences of its elements. A model would put the page into words of its own.`
  return paragraphs(head, quote(inOrder.map((text) => brief(text))), note)
}

/** True for a full sentence, not for a heading or a list item. */
const isWhole = (text: string) => /[.!?]$/.test(text) && text.split(' ').length > 3

/** Proposes a shorter form of the named element, or of the first text with more than one sentence. */
export function* shorten(s: Situation, page: RecordId): Script {
  const content = yield* readPage(s, page)
  const [title, uid] = [s.named(content.title), content.uid]
  const isMeant = s.mentioned && s.mentioned.table === s.tables.content
  const meant = content.elements.filter(({ uid }) => !isMeant || uid === s.mentioned?.uid)
  for (const element of meant.filter(({ text }) => sentences(text).length > 1)) {
    const stored = yield* readRecord(s, element.table, element.uid)
    if (!stored.mayEdit)
      return s.say`You may not change the texts on ${title} [${uid}], so I propose nothing. An administrator can give you the right.`
    const body = stored.fields.get('body') ?? ''
    const shorter = half(body)
    if (shorter === body) continue
    const { table, uid: at } = element
    const result = yield* call('update_record', { table, uid: at, fields: { body: shorter } })
    const other = s.say`The first element has one sentence alone. This was ${s.named(element.header || element.type)} [${element.uid}].`
    const note = s.remark`I leave out what holds no number or address. A model would write a shorter text.`
    return paragraphs(outcome(s, result), element === meant[0] ? '' : other, note)
  }
  return s.say`No element of ${title} [${uid}] has more than one sentence: there is nothing to leave out.`
}

/** Amounts, numbers and addresses: a shorter text must not lose them. */
const fact = /\d|@/
const clause = /^(.{20,300}?)[,;:] [^,;:]{1,300}([.!?])$/

/**
 * Shortens a text and keeps its markup: removes the sentences of its second half that hold no fact. If each of them
 * holds a fact, removes the last clause of a sentence if that clause holds no fact. Returns the same text if nothing
 * can be removed.
 */
function half(html: string): string {
  const all = sentences(untagged(html, '\n'))
  const gone = all.slice(Math.ceil(all.length / 2)).filter((sentence) => !fact.test(sentence))
  if (gone.length > 0) return tidy(gone.reduce((text, sentence) => text.replace(sentence, ''), html))
  const long = all.find((sentence) => !fact.test(sentence) && clause.test(sentence))
  return long ? html.replace(long, long.replace(clause, '$1$2')) : html
}

function tidy(html: string): string {
  return html
    .replace(/<p[^>]*>\s*<\/p>\n?/g, '')
    .replace(/ +(?=<\/p>|$)/gm, '')
    .replace(/(?<=\S) {2,}/g, ' ')
    .replace(/\n{2,}/g, '\n')
    .trim()
}

/** Proposes the prepared translation of a page if the page still has the original values. */
export function* translation(s: Situation, uid: RecordId): Script {
  const table = s.tables.pages ?? ''
  const stored = yield* readRecord(s, table, uid)
  const known = prepared.translations.find(
    ({ uid, from }) =>
      uid === stored.uid && Object.entries(from).every(([field, text]) => stored.fields.get(field) === text),
  )
  if (known)
    return outcome(s, yield* call('translate_record', { table, uid, locale: 'de', fields: known.to }))
  const pages = prepared.translations.map(({ from }) => s.named(from.title)).join(', ')
  const words = s.say`I have no translation of ${s.named(stored.title)}. Prepared are those of ${pages}, as they are in the beginning, into German.`
  return `${words}\n\n${s.remark`A model translates any text into each language of the site.`}`
}

/** Proposes the first prepared translation that its page does not have yet. */
export function* firstTranslation(s: Situation): Script {
  const checked = yield* call('check_site', { checks: ['translation'] })
  const lacking = checked.isError ? [] : idsIn(checked.text)
  const [first] = prepared.translations.filter(({ uid }) => lacking.includes(uid))
  return yield* translation(s, first?.uid ?? prepared.translations[1]?.uid ?? 0)
}

const idsIn = (text: string): RecordId[] =>
  [...text.matchAll(/^- “.*?” \[([^\]\s]+)\]/gm)].map(([, uid = '']) => idIn(uid))

/** Proposes the prepared description of the first page that has no description and that the user may change. */
export function* description(s: Situation): Script {
  const checked = yield* read(s, 'check_site', { checks: ['description'] })
  const table = s.tables.pages ?? ''
  for (const uid of idsIn(checked)) {
    const text = own<string>(prepared.descriptions, String(uid))
    if (!text || !s.isOwn) continue
    const stored = yield* readRecord(s, table, uid)
    if (!stored.mayEdit) continue
    return outcome(s, yield* call('update_record', { table, uid, fields: { description: text } }))
  }
  return s.say`There is no page without a description that you may change and for which I have a prepared one. A model would write it.`
}

/**
 * Finds pictures without an alternative text, views the pictures for which a text is prepared, and proposes all texts
 * together.
 */
export function* alternativeTexts(s: Situation): Script {
  const found = yield* read(s, 'find_media', { missing_alternative: true, limit: 100 })
  const all = [...found.matchAll(/^- (\w+) \[(\d+)\] “.*”, (\S+), no alternative text$/gm)]
  const known = all.flatMap(([, table = '', uid, file = '']) => {
    const alternative = own<string>(prepared.alternatives, file)
    return alternative ? [{ table, uid: Number(uid), alternative }] : []
  })
  const looks = known.map(({ table, uid }) => ({ name: 'view_image', arguments: { table, uid } }))
  const seen = known.length > 0 ? yield* calling(...looks) : []
  const shown = known.filter((_, at) => seen[at]?.isError === false)
  const [first] = shown
  const [refused] = seen
  if (!first && refused) return trouble(s.lang, refused.text)
  const changes = shown.map(({ uid, alternative }) => ({ uid, fields: { alternative } }))
  const words = first
    ? outcome(s, yield* call('update_records', { table: first.table, changes }))
    : s.say`There is no picture without an alternative text that I have a text for: prepared are those of the pictures of this site as they are in the beginning.`
  return `${words}\n\n${s.remark`The texts come with it: it does not see the pictures. A model with vision writes them by what it sees.`}`
}

/** The uid of the home page. */
const top = 1

/** Asks the user for the place and the name of a new page, and proposes the page. */
export function* newPage(s: Situation): Script {
  const parent = yield* place(s)
  const title = yield* answerTo({ question: s.say`What is the page called?` })
  if (!title) return s.say`Without a name I propose no page.`
  return outcome(s, yield* call('create_page_draft', { parent, title }))
}

/** Asks the user for the place: below the open page or at the top. */
function* place({ named, page, say }: Situation): Part<RecordId> {
  if (!page || page.uid === top) return top
  const below = say`Below ${named(page.title)}`
  const choices = [below, say`At the top of the site`]
  const answer = yield* answerTo({ question: say`Where does the new page go?`, choices, freeText: false })
  return answer === below ? page.uid : top
}

/** Returns the user's answer; empty if they skip the question. */
function* answerTo(question: Record<string, unknown>): Part<string> {
  const { text } = yield* call('ask_user', question)
  return /^The user answers: ([\s\S]*)$/.exec(text)?.[1]?.trim() ?? ''
}

/** Deletes, restores, publishes or hides one named record. */
export function* changeOne(s: Situation, tool: string, target: string, more = {}): Script {
  const { table, uid } = yield* find(s, target)
  return outcome(s, yield* call(tool, { table, uid, ...more }))
}
