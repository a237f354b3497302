import { alternativeTexts } from './alternative.ts'
import { about } from './ask.ts'
import { places, searched } from './find.ts'
import { exception, health, recentErrors } from './health.ts'
import { deadLinks, newestRecord, overview, withoutDescription } from './overview.ts'
import { onPage, shorten, summary } from './page.ts'
import type { Script } from './script.ts'
import type { Situation } from './situation.ts'
import { withoutTool } from './speech.ts'
import type { Target } from './target.ts'
import { description, firstTranslation, translation } from './translation.ts'

/** The reaction to a question; a text is an answer that needs no tool. */
export type Reaction = Script | string
export type Rule = (s: Situation) => Reaction | undefined

/** A rule that matches the question and needs a tool; without the tool, the answer gives the reason. */
export function when(words: RegExp, tool: string, script: (s: Situation) => Reaction): Rule {
  return (s) => {
    if (!words.test(s.question)) return undefined
    return s.tools.includes(tool) ? script(s) : refusal(s, tool)
  }
}

/** The reason why this user does not have the tool. */
export function refusal({ lang, refusals }: Situation, tool: string): string {
  return withoutTool(lang, refusals.get(tool))
}

/** Each pattern looks at most at the length of a sentence: a question of thousands of words matches none of them. */
const naming =
  /\b(?:places?|records?) that (?:names?|mentions?) (?:the )?(.{1,300}?)[.?!]?$|\bstellen?,? (?:die|an denen|an der) (.{1,300}?) (?:nenn(?:t|en)|erwähn(?:t|en)|vorkommt)[.?!]?$|\b(?:endroits|enregistrements) qui (?:citent|mentionnent) (.{1,300}?)[.?!]?$/i
const news =
  /\b(?:what does|what do|does|do) the news say about (.{1,300}?)\??$|\bwas (?:sagen|schreiben) die (?:meldungen|news|nachrichten) über (.{1,300}?)\??$|\bque disent les actualités sur (.{1,300}?)\??$/i
const site =
  /\bwhat does the site say about (.{1,300}?)\??$|\bwas sagt die website über (.{1,300}?)\??$|\bque dit le site sur (.{1,300}?)\??$/i

/** The first group that matched, without quotes. */
function named(words: RegExp, { question }: Situation): string {
  const [, ...groups] = question.match(words) ?? []
  return (groups.find(Boolean) ?? '').replace(/["“”„'‘’«»]/g, '').trim()
}

/** Asks for the translation of a page that the script chooses. */
const anyPage = /\b(?:a page that|eine seite,|une page qui)\b|\beine seite, die\b/i

const summarise = /\bsummar(?:y|i[sz]e)\b|\bfasse?\b.{0,200}\bzusammen\b|\bzusammenfassung\b|\brésum/i

/** Summarises the named or open record. */
const summaryOf = (s: Situation, record: Target) => when(summarise, 'get_record', () => about(s, record))(s)

/** The named or open thing, unless it is a page with elements. */
function summarised({ mentioned, page, tables }: Situation): Target | undefined {
  if (mentioned && mentioned.table !== tables.pages) return mentioned
  return page && tables.pages !== null && tables.content === null
    ? { table: tables.pages, ...page }
    : undefined
}

/** Rules for the prompts that the interface proposes before the first message, in each language. */
export const proposed: Rule[] = [
  when(
    /\btranslat(?:e|ion)\b|übersetz(?:en?|ung)\b|\btradui(?:re|s|sez)\b|\btraduction\b/i,
    'translate_record',
    (s) => (anyPage.test(s.question) ? firstTranslation(s) : onPage(s, translation)),
  ),
  when(
    /\bdescription for a page\b|\bbeschreibung für eine seite\b|\bdescription pour une page\b/i,
    'update_record',
    description,
  ),
  (s) => {
    const record = summarised(s)
    return record && summaryOf(s, record)
  },
  when(summarise, 'get_page_content', (s) => onPage(s, summary)),
  when(
    /\bshort(?:er|en)\b.{0,200}\b(?:text|element|page|it)\b|\b(?:kürze(?:re[nr]?|)|kürzer)\b.{0,200}\b(?:text|element|seite|ihn)\b|\bplus courte?\b|\braccourci(?:r|s|ssez)\b/i,
    'update_record',
    (s) => onPage(s, shorten),
  ),
  when(
    /\b(?:alternative|alt) texts?\b|\b(?:alternativ|alt)-?texte?\b|\btextes? alternatifs?\b/i,
    'view_image',
    alternativeTexts,
  ),
  when(naming, 'search_records', (s) => places(s, named(naming, s))),
  when(news, 'search_records', (s) => searched(s, named(news, s), 'news')),
  when(site, 'search_records', (s) => searched(s, named(site, s))),
  when(
    /\b(?:last|latest|newest|letzten?|neueste)\b.{0,200}\b(?:exceptions?|ausnahme)|\b(?:show|zeige?|explain|erkläre?).{0,200}(?:exceptions?|ausnahme)|stack ?trace|\bdernière exception/i,
    'get_last_exception',
    exception,
  ),
  when(
    /\berrors\b.{0,200}\bsince\b|\bfehler\b.{0,200}\bseit\b|\berreurs\b.{0,200}\bdepuis\b/i,
    'fetch_logs',
    recentErrors,
  ),
  when(
    /\bsystem ?status\b|\bstate of the system|\bzustand des systems|\bqueue\b|\bwarteschlange|\b(?:system|chat)\b.{0,200}\b(?:healthy|well|gut|gesund)\b|état du système|\bsystème fonctionne/i,
    'get_system_status',
    health,
  ),
  when(
    /\bpages?\b.{0,60}\b(?:no|without)\b.{0,60}\bdescription|\bseiten?\b.{0,60}\b(?:keine|ohne)\b.{0,60}\bbeschreibung|\bpages\b.{0,60}\b(?:pas|sans)\b.{0,60}\bdescription/i,
    'check_site',
    withoutDescription,
  ),
  when(
    /\b(?:dead|broken) links?\b|\b(?:tot|kaputt|defekt)e[nr]? links?\b|\bliens? (?:morts?|cassés?|brisés?)/i,
    'check_site',
    deadLinks,
  ),
  when(
    /\boverview of the pages\b|überblick über die seiten\b|\baperçu des pages\b/i,
    'get_page_tree',
    overview,
  ),
  when(
    /\b(?:explain|describe) the (?:newest|latest) record\b|\berkläre den (?:neuesten|letzten) datensatz\b|\bexpliquer l[’']enregistrement le plus récent/i,
    'list_records',
    newestRecord,
  ),
]
