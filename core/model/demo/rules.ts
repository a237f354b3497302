import { ask } from './ask.ts'
import { aboutAttachments } from './attachment.ts'
import { binned, published } from './bin.ts'
import { change } from './change.ts'
import { cannot, help } from './help.ts'
import { intents } from './intent.ts'
import { newPage } from './new-page.ts'
import { proposed, type Reaction, type Rule, refusal, when } from './proposed.ts'
import type { Script } from './script.ts'
import { quoteResult, showHistory, showPage, unknownTarget } from './show.ts'
import type { Situation } from './situation.ts'
import { tableNamed } from './tables.ts'
import { pageOf } from './target.ts'
import { contentWords } from './terms.ts'

/** Chooses the script: the first rule that matches the user's last text. No rule looks at any other text. */

/** The script for the situation; if no rule matches, the answer explains that this is a script. */
export function choose(s: Situation): Reaction {
  for (const rule of rules) {
    const reaction = rule(s)
    if (reaction) return reaction
  }
  return help(s)
}

const rules: Rule[] = [
  newPage,
  binned,
  published,
  (s) => {
    const wanted = intents(s.question)
    return wanted.length > 0 ? change(s, wanted) : undefined
  },
  (s) => (s.attachments.length > 0 ? aboutAttachments(s) : undefined),
  (s) =>
    /\b(?:who are you|what can you do|what are you|help|wer bist du|was kannst du|hilfe|aide)\b/i.test(
      s.question,
    )
      ? help(s)
      : undefined,
  ...proposed,
  when(
    /\b(?:who|wer)\b.{0,200}\b(?:changed?|edited|geändert|bearbeitet)\b|\bhistory (?:of|for)\b|\b(?:change history|verlauf|änderungsverlauf)\b|\bqui a modifié/i,
    'get_record_history',
    showHistory,
  ),
  when(
    /\b(?:logs|log entries|(?:the|system) log)\b|\berrors\b|\bprotokoll|\bfehler\b|\bjournal\b|\berreurs\b/i,
    'fetch_logs',
    (s) =>
      quoteResult(
        s,
        {
          en: 'The newest entries of the log:',
          de: 'Die neuesten Einträge im Protokoll:',
          fr: 'Les entrées les plus récentes du journal\u202f:',
        },
        'fetch_logs',
        /errors?|fehler|erreurs/i.test(s.question) ? { level: 'error' } : {},
      ),
  ),
  when(/\b(?:backend[ -])?(?:users|benutzer|accounts|konten|utilisateurs)\b/i, 'list_backend_users', (s) =>
    quoteResult(
      s,
      { en: 'The backend users:', de: 'Die Backend-Benutzer:', fr: 'Les utilisateurs du backend\u202f:' },
      'list_backend_users',
    ),
  ),
  when(
    /\b(?:my|list|show|which|meine|zeige|welche|mes)\b.{0,200}\b(?:files|dateien|uploads|fichiers)\b/i,
    'list_files',
    (s) =>
      quoteResult(s, { en: 'Your files:', de: 'Ihre Dateien:', fr: 'Vos fichiers\u202f:' }, 'list_files'),
  ),
  when(
    /page ?tree|site ?map|seitenbaum|arborescence|\b(?:which|what|all|list|show) (?:the )?pages\b|\b(?:welche|alle|liste|zeige) (?:die )?seiten\b|sub-?pages|unterseiten/i,
    'get_page_tree',
    pageTree,
  ),
  (s) =>
    !s.isOwn && s.tools.includes('list_records') && listing.test(s.question)
      ? recordsElsewhere(s)
      : undefined,
  (s) => (ofMany.test(s.question) ? cannot(s) : undefined),
  when(recordsOf(), 'list_records', records),
  when(
    /\b(?:page|seite) \[?\d+|\b(?:the|this|open|current|selected) page\b|\b(?:der|die|diese[rn]?|aktuelle[nr]?) seite\b|\bcette page\b/i,
    'get_page_content',
    thisPage,
  ),
  (s) => (wish.test(s.question) ? cannot(s) : undefined),
  (s) => {
    if (!isQuestion(s)) return undefined
    return s.tools.includes('search_records') ? ask(s) : refusal(s, 'search_records')
  },
]

const verbs =
  'set|change|update|rewrite|rephrase|improve|make|publish|move|fix|add|write|setze|ändere|formuliere|verbessere|mache?|schreibe?|verschiebe|ergänze|fixer|changer|modifier|réécrire|reformuler|améliorer|rendre|écrire|déplacer|ajouter'
/** Orders for many records at once. */
const ofMany = new RegExp(
  `^(?:please |bitte )?(?:${verbs})\\b.{0,200}\\b(?:all|every|each|alle[nr]?|jede[nrs]?|tou(?:s|tes)|chaque)\\b`,
  'i',
)
/** Other orders, and wishes for another text. */
const wish = new RegExp(
  `^(?:please |bitte |(?:can|could|would) you (?:please )?|(?:kannst|könntest) du |(?:peux|pouvez|pourriez)[- ](?:tu|vous) )?(?:(?:${verbs})\\b|.{0,100}\\b(?:friendlier|nicer|freundlicher|schöner|umformulieren|umschreiben|verbessern|plus (?:amical|clair|aimable)))`,
  'i',
)

function pageTree(s: Situation): Script {
  const root = /\b(?:below|under|of|unter|unterhalb|von)\b|sub-?pages|unterseiten/i.test(s.question)
    ? pageOf(s, s.question)
    : undefined
  return quoteResult(
    s,
    { en: 'The page tree:', de: 'Der Seitenbaum:', fr: 'L’arborescence des pages\u202f:' },
    'get_page_tree',
    root ? { root } : {},
  )
}

function recordsOf(): RegExp {
  return /\b(?:list|show|all|liste|zeige|alle|lister)\b.{0,200}?\b(?:records of (?:the )?(?:table )?(\w+)|datensätze (?:von|der|aus) (?:(?:der )?tabelle )?(\w+)|(news|content|pages))\b/i
}

function records(s: Situation): Script {
  const [, ...names] = s.question.match(recordsOf()) ?? []
  const word = names.find(Boolean) ?? ''
  const table = s.isOwn ? word.toLowerCase() : word
  const page = pageOf(s, s.question)
  return quoteResult(s, recordsIntro(table), 'list_records', { table, ...(page && { page }) })
}

const recordsIntro = (table: string) => ({
  en: `Records of the table ${table}:`,
  de: `Datensätze der Tabelle ${table}:`,
  fr: `Enregistrements de la table ${table}\u202f:`,
})

/** “List the articles”: the name of the list has at most three words. */
const listing =
  /^(?:(?:please|bitte),? )?(?:list|show|liste|zeige?|lister|affiche[rz]?)(?: me| mir)?(?: all| alle| tous| toutes)?(?: the| die| les)? (\p{L}[\p{L}\p{N}_-]*(?: [\p{L}\p{N}_-]+){0,2}?)(?: auf)?[.!]?$/iu

/** Lists the records of a table by its name or label; searches for the words if there is no such table. */
function* recordsElsewhere(s: Situation): Script {
  const table = yield* tableNamed(s, s.question.match(listing)?.[1] ?? '')
  if (table !== undefined) return yield* quoteResult(s, recordsIntro(table), 'list_records', { table })
  return s.tools.includes('search_records') ? yield* ask(s) : unknownTarget(s)
}

const wholePage =
  /^(?:about|summari[sz]e|describe|read|open|stands?|content|contains?|contents|inhalt|enthält|zusammen|fasse|zusammenfassung|beschreibe|lies|öffne|this|is|it|worum|geht|text|texts|summary|contient|afficher)$/i

/** The page as a whole, or a question about it if the text has words that are no part of such a request. */
function thisPage(s: Situation): Reaction {
  const page = pageOf(s, s.question)
  if (!page) return unknownTarget(s)
  const own = contentWords(s.question).filter((word) => !wholePage.test(word) && !/^\d+$/.test(word))
  const isOpen = page === s.page?.uid
  return own.length > 0 && isOpen && s.tools.includes('search_records') ? ask(s) : showPage(s, page)
}

const opening =
  /^(?:what|who|whom|whose|where|when|why|which|how|is|are|does|do|did|has|have|can|tell|find|search|look|show|list|explain|was|wer|wen|wem|wo|wann|warum|wieso|welche[rsmn]?|wie|wie ?viel|ist|sind|hat|haben|gibt|kann|finde|suche|zeige?|nenne|erkläre|sag)\b/i

/** True if the text is a question or a request to find something, and has a word to search for. */
function isQuestion({ question }: Situation): boolean {
  const isAsked = /\?\s*$/.test(question) || opening.test(question.replace(/^(?:please|bitte),? /i, ''))
  return isAsked && contentWords(question).length > 0
}
