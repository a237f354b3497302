import type { RecordId } from '../../conversation/schema.ts'
import { outcome, readRecord, update } from './change.ts'
import { type Element, inLanguageOf, type PageContent, pageContent, sentences } from './reading.ts'
import { call, type Script } from './script.ts'
import { unknownTarget } from './show.ts'
import type { Situation } from './situation.ts'
import { asScript, brief, named, quote, say, trouble } from './speech.ts'
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
    return say(s.lang, {
      en: `There is no text on ${named('en', content.title)} [${content.uid}].`,
      de: `Auf ${named('de', content.title)} [${content.uid}] steht kein Text.`,
      fr: `Il n’y a pas de texte sur ${named('fr', content.title)} [${content.uid}].`,
    })
  const head = say(s.lang, {
    en: `${named('en', content.title)} [${content.uid}] in its own sentences:`,
    de: `${named('de', content.title)} [${content.uid}] in eigenen Sätzen der Seite:`,
    fr: `${named('fr', content.title)} [${content.uid}] dans ses propres phrases\u202f:`,
  })
  const note = asScript(s.lang, {
    en: 'I took the first sentences of its elements. A model would put the page into words of its own.',
    de: 'Ich habe die ersten Sätze ihrer Elemente genommen. Ein Modell würde die Seite in eigene Worte fassen.',
    fr: 'J’ai pris les premières phrases de ses éléments. Un modèle résumerait la page avec ses propres mots.',
  })
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
  return say(s.lang, {
    en: `No element of ${named('en', content.title)} [${content.uid}] has more than one sentence: there is nothing to leave out.`,
    de: `Kein Element von ${named('de', content.title)} [${content.uid}] hat mehr als einen Satz: Es gibt nichts wegzulassen.`,
    fr: `Aucun élément de ${named('fr', content.title)} [${content.uid}] n’a plus d’une phrase\u202f: il n’y a rien à retirer.`,
  })
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

function notYours({ lang }: Situation, { title, uid }: PageContent): string {
  return say(lang, {
    en: `You may not change the texts on ${named('en', title)} [${uid}], so I propose nothing. An administrator can give you the right.`,
    de: `Sie dürfen die Texte auf ${named('de', title)} [${uid}] nicht ändern, deshalb schlage ich nichts vor. Ein Administrator kann Ihnen das Recht geben.`,
    fr: `Vous ne pouvez pas modifier les textes de ${named('fr', title)} [${uid}], je ne propose donc rien. Un administrateur peut vous en donner le droit.`,
  })
}

function other({ lang }: Situation, { header, uid, type }: Element): string {
  const name = named(lang, header || type)
  return say(lang, {
    en: `The first element has one sentence alone. This was ${name} [${uid}].`,
    de: `Das erste Element hat nur einen Satz. Dies war ${name} [${uid}].`,
    fr: `Le premier élément n’a qu’une phrase. Celui-ci est ${name} [${uid}].`,
  })
}

function note({ lang }: Situation): string {
  return asScript(lang, {
    en: 'I leave out what holds no number or address. A model would write a shorter text.',
    de: 'Ich lasse weg, was keine Zahl und keine Adresse enthält. Ein Modell würde einen kürzeren Text schreiben.',
    fr: 'Je retire ce qui ne contient ni chiffre ni adresse. Un modèle écrirait un texte plus court.',
  })
}

/** Runs the script on the page that the question names, else on the open one; says so if there is none. */
export function* onPage(s: Situation, script: (s: Situation, page: RecordId) => Script): Script {
  const page = yield* pageMeant(s)
  return page === undefined ? unknownTarget(s) : yield* script(s, page)
}
