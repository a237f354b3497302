import { own } from '../../base/json.ts'
import type { RecordId } from '../../conversation/schema.ts'
import { pageContent, record, sentences } from './reading.ts'
import { call, type Script } from './script.ts'
import type { Situation } from './situation.ts'
import { brief, inWords, type Lang, named, pickWords, quote, trouble } from './speech.ts'
import { find, type Part, quotedOf, type Target } from './target.ts'
import { contentWords } from './terms.ts'

/** Shows the text of one tool: the lines that it lists, under a sentence in the user's language. */

const mostLines = 20

type Intro = Record<Lang, string>

/** Calls a tool and quotes its lines. */
export function* quoteResult(
  s: Situation,
  intro: Intro,
  name: string,
  args: Record<string, unknown> = {},
): Script {
  const result = yield* call(name, args)
  return result.isError ? trouble(s.lang, result.text) : listing(s, intro, result.text)
}

function listing(s: Situation, intro: Intro, text: string): string {
  const lines = text.split('\n')
  const items = lines
    .filter((line) => /^\s*(?:- |\S+:$)/.test(line))
    .map((line) => inWords(s.lang, line).replace(/^(\S+:)$/, '\n**$1**\n'))
  if (!items.some((line) => line.includes('- '))) {
    return `${pickWords(s.lang, intro)}\n\n${quote(lines.slice(0, mostLines).map((line) => brief(inWords(s.lang, line))))}`
  }
  const rest = items.length - mostLines
  const more = s.say`… and ${rest} more`
  return [
    `${pickWords(s.lang, intro)}\n`,
    ...items.slice(0, mostLines),
    ...(rest > 0 ? [`- ${more}`] : []),
  ].join('\n')
}

/** A summary of a page: its state, and the beginning of each element. */
export function* showPage(s: Situation, page: RecordId): Script {
  const result = yield* call('get_page_content', { page })
  const content = result.isError ? undefined : pageContent(result.text)
  if (!content) return trouble(s.lang, result.text)
  const count = content.elements.length
  const hidden = content.isHidden ? s.say` The page is hidden.` : ''
  const head = pickWords(s.lang, {
    en: `The page ${named('en', content.title)} [${content.uid}] has ${count} content ${count === 1 ? 'element' : 'elements'}.${hidden}`,
    de: `Die Seite ${named('de', content.title)} [${content.uid}] hat ${count} ${count === 1 ? 'Inhaltselement' : 'Inhaltselemente'}.${hidden}`,
    fr: `La page ${named('fr', content.title)} [${content.uid}] a ${count} ${count === 1 ? 'élément' : 'éléments'} de contenu.${hidden}`,
  })
  const items = content.elements.slice(0, mostLines).map(({ header, type, uid, text }) => {
    const first = sentences(text).slice(0, 2).join(' ')
    return `- **${header || type}** [${uid}]${first && `: ${brief(first)}`}`
  })
  const source = `${s.say`Source`}: ${content.path}`
  return [head, ...(items.length > 0 ? [items.join('\n')] : []), source].join('\n\n')
}

/**
 * The author and the fields of a record's last change, then the changes before. The record is the open page, or one by
 * uid or title.
 */
export function* showHistory(s: Situation): Script {
  const target = yield* historyTarget(s)
  if (!target) return unknownTarget(s)
  const { table, uid, title } = target
  const result = yield* call('get_record_history', { table, uid })
  if (result.isError) return trouble(s.lang, result.text)
  // A record that the user names by its number has a title all the same.
  const stored = /^\w+ \[?\d+\]?$/.test(title)
    ? record((yield* call('get_record', { table, uid })).text)
    : { title }
  const what = stored?.title ? `${named(s.lang, stored.title)} [${uid}]` : `[${uid}]`
  const changes = changesFrom(result.text)
  const [last, ...before] = changes.map((change) => changeLine(s, change))
  if (!last) return s.say`No change of ${what} is recorded.`
  const head = s.say`The last change of ${what}:`
  const earlier = s.say`Before it:`
  const rest = before.length > 0 ? [`${earlier}\n\n${before.slice(0, mostLines).join('\n')}`] : []
  return [`${head}\n\n${last}`, ...rest].join('\n\n')
}

type ShownChange = { at: string; user: string; action: string; fields: string[] }

/** Actions in the history tool's text, in the languages of the script. */
const actions: Record<string, Record<Lang, string>> = {
  'created it': { en: 'created it', de: 'hat den Datensatz angelegt', fr: 'a créé l’enregistrement' },
  'changed it': { en: 'changed it', de: 'hat ihn geändert', fr: 'l’a modifié' },
  'moved it': { en: 'moved it', de: 'hat ihn verschoben', fr: 'l’a déplacé' },
  'deleted it': { en: 'deleted it', de: 'hat ihn gelöscht', fr: 'l’a supprimé' },
  'restored it': { en: 'restored it', de: 'hat ihn wiederhergestellt', fr: 'l’a restauré' },
}

function changesFrom(text: string): ShownChange[] {
  const blocks = text.split(/\n(?=- )/).slice(1)
  return blocks.flatMap((block) => {
    const [head = '', ...fields] = block.split('\n')
    const [, at = '', user = '', action = ''] =
      head.match(/^- (.*? UTC): (.*) ((?:created|changed|moved|deleted|restored) it)/) ?? []
    return at ? [{ at, user, action, fields: fields.filter((line) => line.includes(' → ')) }] : []
  })
}

function changeLine({ lang }: Situation, { at, user, action, fields }: ShownChange): string {
  const did = own(actions, action)?.[lang] ?? action
  const parts = fields.map(
    (line) => `  - ${brief(inWords(lang, line.replace(/^ *\w+ \((.*?)\)/, '$1')), 200)}`,
  )
  return [`- ${inWords(lang, at)}: **${user}** ${did}`, ...parts].join('\n')
}

const aboutHistory =
  /^(?:who|wer|changed?|history|verlauf|änderung(?:en)?|geändert|edit(?:ed)?|last|zuletzt|bearbeitet|versions?|record|datensatz|enregistrement|modifié|dernier)$/i

function* historyTarget(s: Situation): Part<Target | undefined> {
  const quoted = quotedOf(s)
  if (quoted) return quoted
  const [, kind, uid] =
    s.question.match(/\b(pages?|seite|content|news|element|inhaltselement) \[?(\d+)\]?/i) ?? []
  if (kind && uid) return yield* find(s, `${kind.replace(/^pages$/i, 'page')} ${uid}`)
  const [pointed] = s.isOwn ? [] : (s.question.match(/\b(?:this|dies\p{L}*|cet|cette|ce) [\p{L}_-]+/iu) ?? [])
  if (pointed) return yield* find(s, pointed)
  const words = contentWords(s.question).filter((word) => !aboutHistory.test(word))
  return yield* find(s, words.join(' '))
}

/** The answer if no record is open or named, or if the named record does not exist. */
export function unknownTarget({ isOwn, say }: Situation): string {
  if (!isOwn)
    return say`I did not find the record that you mean. Name it by its title, or by its table and uid, or open it first.`
  return say`I did not find the record that you mean. Name it by its uid, such as “page 3”, or open the page first.`
}
