import type { RecordId } from '../../conversation/schema.ts'
import { hits, idIn, record } from './reading.ts'
import { call, calling, type Script } from './script.ts'
import { unknownTarget } from './show.ts'
import type { Situation } from './situation.ts'
import { brief, inWords, named, trouble } from './speech.ts'

/** Answers the proposals for lists: an overview of pages, pages without a description, the newest record. */

type Entry = { depth: number; title: string; uid: RecordId }

/** The number of pages, and the pages directly below the home page, each with its number of descendants. */
export function* overview(s: Situation): Script {
  const tree = yield* call('get_page_tree', { depth: 10 })
  if (tree.isError) return trouble(s.lang, tree.text)
  const pages = entriesOf(tree.text)
  const top = Math.min(...pages.map(({ depth }) => depth))
  const lines = pages.flatMap(({ depth, title, uid }, at) => {
    if (depth !== top) return []
    const next = pages.findIndex((page, other) => other > at && page.depth <= depth)
    const below = (next < 0 ? pages.length : next) - at - 1
    const with_ = s.say`, ${below} below`
    return [`- **${title}** [${uid}]${below > 0 ? with_ : ''}`]
  })
  const head = s.say`You may see ${pages.length} pages below the home page. Its sections:`
  const note = s.remark`I counted the page tree. A model would tell what the site is about.`
  return [head, lines.join('\n'), note].join('\n\n')
}

function entriesOf(text: string): Entry[] {
  return [...text.matchAll(/^( *)- (.*?) \[([^\]\s]+)\]/gm)].map(([, indent = '', title = '', uid = '']) => ({
    depth: indent.length,
    title,
    uid: idIn(uid),
  }))
}

/** The pages that `check_site` finds without a description. */
export function* withoutDescription(s: Situation): Script {
  const result = yield* call('check_site', { checks: ['description'] })
  if (result.isError) return trouble(s.lang, result.text)
  const [, checked = '0'] = result.text.match(/^Checked (\d+) pages?/) ?? []
  const items = [...result.text.matchAll(/^- (“.*?” \[[^\]\s]+\])/gm)].map(
    ([, page = '']) => `- ${inWords(s.lang, page)}`,
  )
  if (items.length === 0) return s.say`None: all ${checked} pages that you may see have a description.`
  const head = s.say`Of ${checked} pages, these have no description (${items.length}):`
  return `${head}\n\n${items.join('\n')}`
}

/** The internal links that lead to no page. */
export function* deadLinks(s: Situation): Script {
  const result = yield* call('check_site', { checks: ['links'] })
  if (result.isError) return trouble(s.lang, result.text)
  const [, checked = '0'] = result.text.match(/^Checked (\d+) pages?/) ?? []
  const items = [...result.text.matchAll(/^- .*$/gm)].map(([line]) => inWords(s.lang, line))
  if (items.length === 0)
    return s.say`No dead link: on the ${checked} pages that you may see, every internal link leads to a page. I do not follow links to other sites.`
  const head = s.say`Of ${checked} pages, these have internal links that lead to no page (${items.length}):`
  return `${head}\n\n${items.join('\n')}`
}

/** The tables of an open list: those that the script knows; for a connected CMS, the table of the open record. */
function listed({ isOwn, mentioned }: Situation): string[] {
  if (isOwn) return ['news', 'content']
  return mentioned ? [mentioned.table] : []
}

/** The most recently changed record of the open list, field by field. */
export function* newestRecord(s: Situation): Script {
  const place = s.page ? { page: s.page.uid } : {}
  const tables = listed(s)
  if (tables.length === 0) return unknownTarget(s)
  const results = yield* calling(
    ...tables.map((table) => ({ name: 'list_records', arguments: { table, ...place, limit: 100 } })),
  )
  const all = results.flatMap(({ text, isError, arguments: { table } }) =>
    isError ? [] : hits(text).map((hit) => ({ ...hit, table: String(table), at: changedAt(text, hit.uid) })),
  )
  const [newest] = all.sort((a, b) => b.at.localeCompare(a.at))
  if (!newest) return s.say`The open list has no news and no content elements that you may see.`
  const result = yield* call('get_record', { table: newest.table, uid: newest.uid })
  const stored = result.isError ? undefined : record(result.text)
  if (!stored) return trouble(s.lang, result.text)
  const head = s.say`The newest record of this list is ${named(s.lang, newest.title)} [${newest.uid}], changed ${inWords(s.lang, newest.at)}. It says:`
  const lines = [...stored.fields]
    .filter(([, value]) => value !== '' && value !== 'false' && value !== '0')
    .map(
      ([name, value]) =>
        `- **${stored.labels.get(name) ?? name}:** ${brief(value.replace(/<[^<>]*>/g, ' '))}`,
    )
  const note = s.remark`I show what is stored. A model would explain it.`
  return [head, lines.join('\n'), note].join('\n\n')
}

function changedAt(text: string, uid: RecordId): string {
  const line = text.split('\n').find((each) => each.startsWith('- ') && each.includes(`[${uid}] “`))
  return line?.match(/, changed (.*)$/)?.[1] ?? ''
}
