import type { CmsRecord, Language } from '../cms/schema.ts'
import type { RecordId } from '../conversation/schema.ts'
import type { RecordName } from '../transcript/schema.ts'
import { marks, nameOf, quoted, when } from './format.ts'
import { addressOf, linksIn, listed, pathOf, textsOf } from './site.ts'
import type { ToolContext } from './tool.ts'

/** The rules of `check_site`, apart from the tool, because few turns need them and every start of a function has the tool. */

type Check = 'title' | 'description' | 'links' | 'age' | 'headings' | 'translation'

/** What the rules know of a page and its elements: facts, and no texts, so that a site of any size fits. */
type PageFacts = {
  name: RecordName
  /** The page above it. */
  above: RecordId
  hidden: boolean
  address: string | undefined
  lacksDescription: boolean
  /** ISO 8601, of the page or of an element on it. */
  changedAt: string
  /** Links within the site, and the record that each is in. */
  links: { href: string; in: string }[]
  /** Headings that leave out a level, in words. */
  jumps: string[]
  /** The languages of the elements that are shown. */
  languages: Set<number>
}

/** What the rules look at. */
export type Site = {
  pages: PageFacts[]
  languages: Language[]
  hasElements: boolean
  now: number
}

/** The facts that only the elements of a page say. */
const needsElements: ReadonlySet<Check> = new Set(['links', 'age', 'headings', 'translation'])

/**
 * Reads the pages that the actor may see, and their elements where a check needs them, and tells after each request how
 * far it is. `left`: so many records were not read, because there was no time.
 */
export async function readSite(
  { cms, actor, signal, progress, hasTime }: ToolContext,
  tables: { pages: string; content: string | undefined },
  checks: readonly Check[],
): Promise<{ pages: Map<RecordId, PageFacts>; left: number }> {
  const pages = new Map<RecordId, PageFacts>()
  const content = checks.some((check) => needsElements.has(check)) ? tables.content : undefined
  const elements = content && (await cms.list(actor, { table: content, limit: 1, offset: 0 }))
  const total = { pages: 0, elements: elements ? elements.total : 0 }
  let read = 0
  for (const table of ['pages', 'elements'] as const) {
    const name = table === 'pages' ? tables.pages : content
    if (name === undefined) continue
    for await (const found of listed(cms, actor, name, signal)) {
      total[table] = found.total
      for (const record of found.records) {
        if (table === 'pages') pages.set(record.uid, factsOf(record))
        else look(pages.get(record.pid), record)
      }
      read += found.records.length
      await progress?.(read, total.pages + total.elements)
      if (hasTime?.() === false) return { pages, left: total.pages + total.elements - read }
    }
  }
  return { pages, left: 0 }
}

/** The page and all below it, each behind the one above it; none where the page is not among them. */
export function branch(pages: Map<RecordId, PageFacts>, root: RecordId): PageFacts[] {
  const top = pages.get(root)
  const below = Map.groupBy(pages.values(), ({ above }) => above)
  const found = new Set(top && [top])
  // The loop also meets the pages that it adds. A set takes each page once, so that a circle of pages ends.
  for (const { name } of found) for (const page of below.get(name.uid) ?? []) found.add(page)
  return [...found]
}

function factsOf(page: CmsRecord): PageFacts {
  const { fields, hidden, changedAt } = page
  const description = ['description', 'meta_description', 'excerpt'].find((field) => field in fields)
  const facts: PageFacts = {
    name: nameOf(page),
    above: page.pid,
    hidden,
    address: addressOf(page),
    lacksDescription: description !== undefined && isEmpty(fields[description]),
    changedAt,
    links: [],
    jumps: [],
    languages: new Set(),
  }
  lookAtTexts(facts, page)
  return facts
}

/** Adds what an element says of its page; an element of a page that the actor may not see says nothing. */
function look(page: PageFacts | undefined, element: CmsRecord): void {
  if (!page) return
  if (element.changedAt > page.changedAt) page.changedAt = element.changedAt
  if (!element.hidden) page.languages.add(element.language)
  lookAtTexts(page, element)
}

function lookAtTexts(page: PageFacts, record: CmsRecord): void {
  const place = `${record.table} [${record.uid}]`
  const texts = textsOf(record).map(({ text }) => text)
  for (const href of texts.flatMap(linksIn)) if (isInternal(href)) page.links.push({ href, in: place })
  const jump = texts.map(jumpIn).find(Boolean)
  if (jump) page.jumps.push(`${jump} in ${place}`)
}

/** What is wrong with a page, as words behind its name; undefined: nothing. */
type Rule = (page: PageFacts, site: Site) => string | undefined

/** The most findings of one kind that are listed. */
const mostListed = 50

const yearMs = 365 * 24 * 60 * 60 * 1_000

const titles: Record<Check, string> = {
  title: 'Without a title',
  description: 'Without a description',
  links: 'With internal links that lead to no page that the user may see',
  age: 'Unchanged for a year',
  headings: 'With headings that leave out a level',
  translation: 'Without an element in a language of the site',
}

/** What a rule finds on these pages, as a part of the answer, and the pages that it names. */
export function section(check: Check, pages: PageFacts[], site: Site): { text: string; pages: PageFacts[] } {
  const rule = check === 'links' ? deadLinks(site) : rules[check]
  const found = pages.flatMap((page) => {
    const words = rule(page, site)
    return words === undefined ? [] : [{ page, words }]
  })
  if (found.length === 0) return { text: `${titles[check]}: none.`, pages: [] }
  const lines = found
    .slice(0, mostListed)
    .map(
      ({ page: { name, hidden }, words }) =>
        `- ${quoted(name.title)} [${name.uid}]${marks(['hidden', hidden])}${words}`,
    )
  if (found.length > mostListed)
    lines.push(`… and ${found.length - mostListed} more; name a page with below.`)
  return {
    text: [`${titles[check]} (${found.length}):`, ...lines].join('\n'),
    pages: found.map(({ page }) => page),
  }
}

const isEmpty = (value: unknown) => typeof value !== 'string' || value.trim() === ''

const rules: Record<Exclude<Check, 'links'>, Rule> = {
  title: ({ name: { title, uid } }) => (title === `[${uid}]` || title.trim() === '' ? '' : undefined),
  description: ({ lacksDescription }) => (lacksDescription ? '' : undefined),
  age: ({ changedAt }, { now }) =>
    now - Date.parse(changedAt) > yearMs ? `, last changed ${when(changedAt)}` : undefined,
  headings: ({ jumps }) => (jumps.length > 0 ? `: ${jumps.join('; ')}` : undefined),
  translation: ({ languages: own }, { languages, hasElements }) => {
    if (!hasElements || own.size === 0 || own.has(-1)) return undefined
    const lacking = languages.filter(({ id }) => !own.has(id))
    return lacking.length > 0 ? `: ${lacking.map(({ title }) => title).join(', ')}` : undefined
  },
}

/** The first heading that is more than one level below the one before it. */
function jumpIn(text: string): string | undefined {
  const levels = [...text.matchAll(/<h([1-6])\b/gi)].map(([, level]) => Number(level))
  const at = levels.findIndex((level, index) => index > 0 && level > (levels[index - 1] ?? 0) + 1)
  return at > 0 ? `h${levels[at]} follows h${levels[at - 1]}` : undefined
}

const pageLink = /^t3:\/\/page\?uid=([\w.~-]+)/i

/** Whether a link names a page of the site. A last part with a dot is a file. */
const isInternal = (href: string) =>
  pageLink.test(href) || (/^\/(?!\/)/.test(href) && !/\.[a-z0-9]{1,5}(?:[?#]|$)/i.test(href))

function deadLinks({ pages }: Site): Rule {
  const known = new Set(pages.flatMap(({ address }) => address ?? []))
  const uids = new Set(pages.map(({ name }) => String(name.uid)))
  const isDead = (href: string) => {
    const [, uid] = href.match(pageLink) ?? []
    return uid ? !uids.has(uid) : !known.has(pathOf(href))
  }
  return ({ links }) => {
    const found = links.filter(({ href }) => isDead(href)).map((link) => `${link.href} in ${link.in}`)
    return found.length > 0 ? `: ${[...new Set(found)].slice(0, 10).join('; ')}` : undefined
  }
}
