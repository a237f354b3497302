import { own } from '../../base/json.ts'
import * as Answers from './answers.ts'
import { about, ask } from './ask.ts'
import { change } from './change.ts'
import { places, searched } from './find.ts'
import { exception, health, recentErrors } from './health.ts'
import { intents } from './intent.ts'
import * as Proposals from './proposals.ts'
import data from './rules.json' with { type: 'json' }
import type { Script } from './script.ts'
import type { Situation } from './situation.ts'
import { pageOf, type Target, tableNamed, unknownTarget } from './target.ts'
import { contentWords } from './terms.ts'
import words from './words.json' with { type: 'json' }

/** Chooses the script: the first rule that matches the user's last text. No rule looks at any other text. */

/** The reaction to a question; a text is an answer that needs no tool. */
type Reaction = Script | string

/** A rule of `rules.json`: the words that it matches, the tools that it needs, and its answer. */
type Rule = Partial<Answers.Recorded> & {
  answer: string
  words?: string
  tools?: string[]
  /** True for a rule that knows only the states and words of the product's own CMS. */
  own?: boolean
}

/** A rule that fits: the first group that matched, without quotes, and the rule itself. */
type Match = { group: string; rule: Rule }

/** Each pattern looks at no more than the length of a sentence: a question of thousands of words matches no pattern. */
const rules = (data as Rule[]).map((rule) => ({ rule, words: new RegExp(rule.words ?? '', 'iu') }))

/** Returns the script for the situation; if no rule matches, the answer explains that this is a script. */
export function choose(s: Situation): Reaction {
  for (const { rule, words } of rules) {
    const match = s.question.match(words)
    if (!match || (rule.own && !s.isOwn)) continue
    const missing = rule.tools?.find((tool) => !s.tools.includes(tool))
    if (missing) return s.without(missing)
    const [, ...groups] = match
    const group = (groups.find(Boolean) ?? '').replace(/["“”„'‘’«»]/g, '').trim()
    const reaction = own(answers, rule.answer)?.(s, { group, rule })
    if (reaction) return reaction
  }
  return Answers.help(s)
}

/** The answers by their names in the rules; if an answer returns undefined, the next rule gets the question. */
const answers: Record<string, (s: Situation, match: Match) => Reaction | undefined> = {
  newPage: Proposals.newPage,
  one: (s, { group, rule: { tools = [], arguments: more } }) =>
    Proposals.changeOne(s, tools[0] ?? '', group, more),
  change(s) {
    const wanted = intents(s.question)
    return wanted.length > 0 ? change(s, wanted) : undefined
  },
  attachments: (s) => s.attachments.map((attachment) => Answers.describeFile(s, attachment)).join('\n\n'),
  help: Answers.help,
  // The script chooses the page.
  translation: (s) =>
    /\b(?:a page that|eine seite,|une page qui)/i.test(s.question)
      ? Proposals.firstTranslation(s)
      : Proposals.onPage(s, Proposals.translation),
  description: Proposals.description,
  summaryOfRecord(s) {
    const record = namedRecord(s)
    if (!record) return undefined
    return s.tools.includes('get_record') ? about(s, record) : s.without('get_record')
  },
  summary: (s) => Proposals.onPage(s, Proposals.summary),
  shorten: (s) => Proposals.onPage(s, Proposals.shorten),
  pictures: Proposals.alternativeTexts,
  places: (s, { group }) => places(s, group),
  searched: (s, { group, rule }) => searched(s, group, rule.arguments),
  exception,
  recentErrors,
  health,
  overview: Answers.overview,
  newest: Answers.newestRecord,
  history: Answers.showHistory,
  list: (s, { rule }) => Answers.recorded(s, listOf(rule)),
  tree(s, { rule }) {
    const isPart = /\b(?:below|under|of|unter|unterhalb|von)\b|sub-?pages|unterseiten/i.test(s.question)
    const root = isPart ? pageOf(s, s.question) : undefined
    return Answers.recorded(s, { ...listOf(rule), arguments: root ? { root } : {} })
  },
  recordsElsewhere: (s, { group }) =>
    !s.isOwn && s.tools.includes('list_records') ? recordsElsewhere(s, group) : undefined,
  records(s, { group }) {
    const table = s.isOwn ? group.toLowerCase() : group
    const page = pageOf(s, s.question)
    return recordsOf(s, { table, ...(page && { page }) })
  },
  page: thisPage,
  cannot: ({ say }) =>
    say`That I cannot: this demo is a fixed script, and a sentence like this needs a model. Nothing was changed. Ask “What can you do?” for the changes that the script knows.`,
  question(s) {
    if (contentWords(s.question).length === 0) return undefined
    return s.tools.includes('search_records') ? ask(s) : s.without('search_records')
  },
}

const listOf = ({ tools = [], head = '', ...more }: Rule): Answers.Recorded => ({
  ...more,
  tool: tools[0] ?? '',
  head,
})

const recordsOf = (s: Situation, args: { table: string }) =>
  Answers.recorded(
    s,
    { tool: 'list_records', arguments: args, head: 'Records of the table {1}:' },
    args.table,
  )

/**
 * Answers “List the articles” with the records of a table by its name or label; without such a table, searches for the
 * words.
 */
function* recordsElsewhere(s: Situation, name: string): Script {
  const table = yield* tableNamed(s, name)
  if (table !== undefined) return yield* recordsOf(s, { table })
  return s.tools.includes('search_records') ? yield* ask(s) : unknownTarget(s)
}

/** Returns the record that the user named or has open, unless it is a page with elements. */
function namedRecord({ mentioned, page, tables }: Situation): Target | undefined {
  if (mentioned && mentioned.table !== tables.pages) return mentioned
  const isAlone = tables.pages !== null && tables.content === null
  return page && isAlone ? { table: tables.pages ?? '', ...page } : undefined
}

const wholePage = new RegExp(words.wholePage, 'iu')

/** Shows the page; searches for an answer instead if the question has words that are no part of such a request. */
function thisPage(s: Situation): Reaction {
  const page = pageOf(s, s.question)
  if (!page) return unknownTarget(s)
  const own = contentWords(s.question).filter((word) => !wholePage.test(word) && !/^\d+$/.test(word))
  const isOpen = page === s.page?.uid
  return own.length > 0 && isOpen && s.tools.includes('search_records') ? ask(s) : Answers.showPage(s, page)
}
