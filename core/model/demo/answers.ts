import type { RecordId } from '../../conversation/schema.ts'
import offers from './offers.json' with { type: 'json' }
import { type Hit, hits, record, sentences, treePages } from './reading.ts'
import { call, calling, type Part, read, readPage, readRecord, type Script } from './script.ts'
import type { Attachment, Situation } from './situation.ts'
import { brief, inWords, itemized, paragraphs, quote, translate, untagged } from './speech.ts'
import { find, quotedOf, type Target, unknownTarget } from './target.ts'
import { contentWords, fitting } from './terms.ts'
import words from './words.json' with { type: 'json' }

/** Answers that read: what a tool lists, a page, the history of a record, an overview. */

const mostLines = 20

/**
 * An answer of a sentence and, below it, a list from the result of one tool. `item` matches the lines of the list;
 * `none` is the answer if the list is empty.
 */
export type Recorded = {
  tool: string
  arguments?: Record<string, unknown>
  head: string
  item?: string
  none?: string
}

/** Calls a tool and lists its matching lines; `value` fills the sentence above them. */
export function* recorded(
  s: Situation,
  { tool, arguments: args = {}, head, item, none = '' }: Recorded,
  value = '',
): Script {
  const text = yield* read(s, tool, args)
  if (!item) return lines(s, translate(s.lang, head, [value]), text)
  const [, checked = '0'] = text.match(/^Checked (\d+) pages?/) ?? []
  const items = [...text.matchAll(new RegExp(item, 'gm'))].map(([, line = '']) =>
    inWords(s.lang, `- ${line}`),
  )
  if (items.length === 0) return translate(s.lang, none, [checked])
  return paragraphs(translate(s.lang, head, [checked, items.length]), items.join('\n'))
}

function lines(s: Situation, head: string, text: string): string {
  const all = text.split('\n').map((line) => inWords(s.lang, line))
  const items = all
    .filter((line) => /^\s*(?:- |\S+:$)/.test(line))
    .map((line) => line.replace(/^(\S+:)$/, '\n**$1**\n'))
  if (!items.some((line) => line.includes('- ')))
    return `${head}\n\n${quote(all.slice(0, mostLines).map((line) => brief(line)))}`
  return `${head}\n\n${itemized(s.lang, items)}`
}

/** Answers with a summary of a page: its state, and the beginning of each element. */
export function* showPage(s: Situation, page: RecordId): Script {
  const content = yield* readPage(s, page)
  const { elements, uid } = content
  const [title, count] = [s.named(content.title), elements.length]
  const head =
    count === 1
      ? s.say`The page ${title} [${uid}] has 1 content element.`
      : s.say`The page ${title} [${uid}] has ${count} content elements.`
  const items = elements.map(({ header, type, uid, text }) => {
    const first = sentences(text).slice(0, 2).join(' ')
    return `- **${header || type}** [${uid}]${first && `: ${brief(first)}`}`
  })
  const hidden = content.isHidden ? s.say` The page is hidden.` : ''
  return paragraphs(`${head}${hidden}`, itemized(s.lang, items), `${s.say`Source`}: ${content.path}`)
}

/**
 * Answers with the author and the fields of a record's last change, then the earlier changes. The record is the open
 * page, or a record that the user names by uid or title.
 */
export function* showHistory(s: Situation): Script {
  const { table, uid, title } = yield* historyTarget(s)
  const text = yield* read(s, 'get_record_history', { table, uid })
  // Reads the title of a record that the user names by its number.
  const stored = /^\w+ \[?\d+\]?$/.test(title)
    ? record((yield* call('get_record', { table, uid })).text)
    : { title }
  const what = stored?.title ? `${s.named(stored.title)} [${uid}]` : `[${uid}]`
  const blocks = text.split(/\n(?=- )/).slice(1)
  const [last, ...before] = blocks.flatMap((block) => changeIn(s, block))
  if (!last) return s.say`No change of ${what} is recorded.`
  const earlier = before.length > 0 ? [s.say`Before it:`, itemized(s.lang, before)] : []
  return paragraphs(s.say`The last change of ${what}:`, last, ...earlier)
}

const didSo = new RegExp(`^- (.*? UTC): (.*) (${words.did.join('|')})`)

/** Returns the lines of one change, from a block in the text of the history tool. */
function changeIn({ lang }: Situation, block: string): string[] {
  const [head = '', ...fields] = block.split('\n')
  const [, at, user, did = ''] = head.match(didSo) ?? []
  if (!at) return []
  const parts = fields
    .filter((line) => line.includes(' → '))
    .map((line) => `  - ${brief(inWords(lang, line.replace(/^ *\w+ \((.*?)\)/, '$1')), 200)}`)
  return [[`- ${inWords(lang, at)}: **${user}** ${translate(lang, did)}`, ...parts].join('\n')]
}

const aboutHistory = new RegExp(words.history, 'iu')

function* historyTarget(s: Situation): Part<Target> {
  const quoted = quotedOf(s)
  if (quoted) return quoted
  const [, kind, uid] =
    s.question.match(/\b(pages?|seite|content|news|element|inhaltselement) \[?(\d+)\]?/i) ?? []
  if (kind && uid) return yield* find(s, `${kind.replace(/^pages$/i, 'page')} ${uid}`)
  const [pointed] = s.isOwn ? [] : (s.question.match(/\b(?:this|dies\p{L}*|cet|cette|ce) [\p{L}_-]+/iu) ?? [])
  const own = contentWords(s.question).filter((word) => !aboutHistory.test(word))
  return yield* find(s, pointed ?? own.join(' '))
}

/**
 * Answers with the number of pages, and the pages directly below the home page, each with its number of descendants.
 */
export function* overview(s: Situation): Script {
  const pages = treePages(yield* read(s, 'get_page_tree', { depth: 10 }))
  const top = Math.min(...pages.map(({ depth }) => depth))
  const sections = pages.flatMap(({ depth, title, uid }, at) => {
    if (depth !== top) return []
    const name = `- **${title}** [${uid}]`
    const next = pages.findIndex((page, other) => other > at && page.depth <= depth)
    const below = (next < 0 ? pages.length : next) - at - 1
    return [below > 0 ? `${name}${s.say`, ${below} below`}` : name]
  })
  const head = s.say`You may see ${pages.length} pages below the home page. Its sections:`
  const note = s.remark`I counted the page tree. A model would tell what the site is about.`
  return paragraphs(head, sections.join('\n'), note)
}

/** Answers with the most recently changed record of the open list, field by field. */
export function* newestRecord(s: Situation): Script {
  const place = s.page ? { page: s.page.uid } : {}
  // In a connected CMS the script knows only the table of the open record.
  const open = s.mentioned ? [s.mentioned.table] : []
  const tables = s.isOwn ? ['news', 'content'] : open
  if (tables.length === 0) return unknownTarget(s)
  const results = yield* calling(
    ...tables.map((table) => ({ name: 'list_records', arguments: { table, ...place, limit: 100 } })),
  )
  const all = results.flatMap(({ text, isError, arguments: { table } }) =>
    isError ? [] : hits(text).map((hit) => ({ ...hit, table: String(table), at: changedAt(text, hit) })),
  )
  const [newest] = all.sort((a, b) => b.at.localeCompare(a.at))
  if (!newest) return s.say`The open list has no news and no content elements that you may see.`
  const stored = yield* readRecord(s, newest.table, newest.uid)
  const head = s.say`The newest record of this list is ${s.named(newest.title)} [${newest.uid}], changed ${inWords(s.lang, newest.at)}. It says:`
  const shown = [...stored.fields].filter(([, value]) => !['', 'false', '0'].includes(value))
  const list = shown.map(
    ([name, value]) => `- **${stored.labels.get(name) ?? name}:** ${brief(untagged(value))}`,
  )
  return paragraphs(head, list.join('\n'), s.remark`I show what is stored. A model would explain it.`)
}

function changedAt(text: string, { uid }: Hit): string {
  const line = text.split('\n').find((each) => each.startsWith('- ') && each.includes(`[${uid}] “`))
  return line?.match(/, changed (.*)$/)?.[1] ?? ''
}

/** Describes an attachment without understanding it: its length, its beginning, matching sentences. */
export function describeFile({ named, question, say }: Situation, attachment: Attachment): string {
  if ('about' in attachment)
    return say`The attachment is ${attachment.about}. This demo is a fixed script and does not see what it shows.`
  const name = named(attachment.name)
  if ('missing' in attachment) return say`${name} was not handed on: ${attachment.missing}.`
  const length = [...attachment.text].length
  const lines = attachment.text.split('\n').filter((line) => line.trim() !== '')
  const head =
    lines.length === 1
      ? say`The text of ${name} has ${length} characters in 1 line. It begins:`
      : say`The text of ${name} has ${length} characters in ${lines.length} lines. It begins:`
  const shown = (some: string[]) => quote(some.map((line) => brief(line)))
  const also = fitting(sentences(attachment.text), question)
  const matching = also.length > 0 ? [say`These sentences share words with your message:`, shown(also)] : []
  return paragraphs(head, shown(lines.slice(0, 3)), ...matching)
}

/** Explains the demo, and lists what it can do with the tools that this user has. */
export function help({ lang, tools, isOwn, say }: Situation): string {
  const other = isOwn ? 'connected' : 'own'
  const list = offers
    .filter(({ tool, cms }) => cms !== other && tools.includes(tool))
    .map(({ text }) => `- ${translate(lang, text)}`)
    .join('\n')
  const head = say`This is the demo mode: I am a fixed script, not an AI model, and understand only certain sentences.`
  return list ? `${head} ${say`I can:`}\n\n${list}` : head
}
