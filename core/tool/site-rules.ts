import type { Capabilities } from '../cms/capabilities.ts'
import type { CmsRecord, Language } from '../cms/schema.ts'
import type { RecordId } from '../conversation/schema.ts'
import type { RecordName } from '../conversation/transcript/schema.ts'
import { marks, nameOf, quoted, when } from './format.ts'
import { linksIn, listed, parametersIn, placeOf, type Target, targetOf, textsOf } from './site.ts'
import type { ToolContext } from './tool.ts'

/** The rules of `check_site`, in their own file because few turns need them, while every cold start loads the tool. */

type Check = 'title' | 'description' | 'links' | 'age' | 'headings' | 'translation'

/**
 * The facts about a page and its elements for the rules. They contain no texts, so that a large site fits in memory.
 */
type PageFacts = {
  name: RecordName
  /** The uid of the parent page. */
  above: RecordId
  hidden: boolean
  lacksDescription: boolean
  /** The last change of the page or of an element on it, in ISO 8601. */
  changedAt: string
  /** Links within the site, each with its target and the record that contains it. */
  links: { href: string; target: Target; in: string }[]
  /** Descriptions of headings that skip a level. */
  jumps: string[]
  /** The languages of the visible elements. */
  languages: Set<number>
}

/** All valid targets of internal links; undefined if not all of them are known. */
export type Places = { addresses: Set<string>; uids: Map<string, Set<string>> } | undefined

/** The facts about the whole site for the rules. */
export type Site = {
  places: Places
  languages: Language[]
  hasElements: boolean
  now: number
}

/** The checks that read the elements of pages. */
const needsElements: ReadonlySet<Check> = new Set(['links', 'age', 'headings', 'translation'])

/**
 * Reads the pages that the actor may see, and the other records that the checks need: elements, and records with an
 * address. Reports progress after each request. `left` counts the records that it could not read in time.
 */
export async function readSite(
  context: ToolContext,
  website: Capabilities,
  tables: { pages: string; content: string | undefined },
  checks: readonly Check[],
): Promise<{ pages: Map<RecordId, PageFacts>; places: Places; left: number }> {
  const pages = new Map<RecordId, PageFacts>()
  const places = { addresses: new Set<string>(), uids: new Map<string, Set<string>>() }
  const content = checks.some((check) => needsElements.has(check)) ? tables.content : undefined
  const linked = checks.includes('links') ? (website.addresses?.types ?? []) : []
  const names = [...new Set([tables.pages, ...linked, ...(content ? [content] : [])])]
  const totals = await totalsOf(context, names.slice(1))
  const take = (record: CmsRecord): void => {
    if (record.table === tables.pages) pages.set(record.uid, factsOf(record, website))
    else if (record.table === content) look(pages.get(record.pid), record, website)
    add(places, record)
  }
  let read = 0
  for (const name of names) {
    for await (const found of listed(context, name)) {
      totals.set(name, found.total)
      for (const record of found.records) take(record)
      read += found.records.length
      const total = [...totals.values()].reduce((sum, each) => sum + each, 0)
      await context.progress?.(read, total)
      if (context.hasTime?.() === false) return { pages, places: undefined, left: total - read }
    }
  }
  return { pages, places: website.addresses ? places : undefined, left: 0 }
}

/** Returns the number of records of each type before they are read. */
async function totalsOf({ cms, actor }: ToolContext, tables: string[]): Promise<Map<string, number>> {
  const found = await Promise.all(tables.map((table) => cms.list(actor, { table, limit: 1, offset: 0 })))
  return new Map(tables.map((table, at) => [table, found[at]?.total ?? 0]))
}

/** Adds a record to the valid link targets. */
function add({ addresses, uids }: NonNullable<Places>, record: CmsRecord): void {
  for (const address of record.addresses) addresses.add(address)
  const known = uids.get(record.table) ?? new Set()
  uids.set(record.table, known.add(String(record.uid)))
}

/** Returns the page and its descendants, each after its parent; empty if the page is missing. */
export function branch(pages: Map<RecordId, PageFacts>, root: RecordId): PageFacts[] {
  const top = pages.get(root)
  const below = Map.groupBy(pages.values(), ({ above }) => above)
  const found = new Set(top && [top])
  // The loop also visits pages that it adds. The set holds each page once, so the loop ends even if pages form a cycle.
  for (const { name } of found) for (const page of below.get(name.uid) ?? []) found.add(page)
  return [...found]
}

function factsOf(page: CmsRecord, website: Capabilities): PageFacts {
  const { fields, hidden, changedAt } = page
  const description = ['description', 'meta_description', 'excerpt'].find((field) => field in fields)
  const facts: PageFacts = {
    name: nameOf(page),
    above: page.pid,
    hidden,
    lacksDescription: description !== undefined && isEmpty(fields[description]),
    changedAt,
    links: [],
    jumps: [],
    languages: new Set(),
  }
  lookAtTexts(facts, page, website)
  return facts
}

/** Adds the facts of an element to its page; skips elements of pages that the actor may not see. */
function look(page: PageFacts | undefined, element: CmsRecord, website: Capabilities): void {
  if (!page) return
  if (element.changedAt > page.changedAt) page.changedAt = element.changedAt
  if (!element.hidden) page.languages.add(element.language)
  lookAtTexts(page, element, website)
}

function lookAtTexts(page: PageFacts, record: CmsRecord, website: Capabilities): void {
  const place = `${record.table} [${record.uid}]`
  const texts = textsOf(record).map(({ text }) => text)
  for (const href of texts.flatMap(linksIn)) {
    const target = targetOf(website, href)
    if (target && !isFile(target, href)) page.links.push({ href, target, in: place })
  }
  const jump = texts.map(jumpIn).find(Boolean)
  if (jump) page.jumps.push(`${jump} in ${place}`)
}

/** Returns the details of a page's problem, as words after the name of the page; undefined if there is no problem. */
type Rule = (page: PageFacts, site: Site) => string | undefined

/** The maximum number of findings of one kind in the answer. */
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

/** Applies a rule to these pages. Returns a section of the tool's answer, and the pages in it. */
export function section(check: Check, pages: PageFacts[], site: Site): { text: string; pages: PageFacts[] } {
  const rule = check === 'links' ? deadLinks(site) : rules[check]
  if (!rule)
    return { text: `${titles[check]}: not checked, the addresses of the site are not known.`, pages: [] }
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

/** Describes the first heading that is more than one level below the heading before it. */
function jumpIn(text: string): string | undefined {
  const levels = [...text.matchAll(/<h([1-6])\b/gi)].map(([, level]) => Number(level))
  const at = levels.findIndex((level, index) => index > 0 && level > (levels[index - 1] ?? 0) + 1)
  return at > 0 ? `h${levels[at]} follows h${levels[at - 1]}` : undefined
}

/** True if the last part of the path has a file extension. */
const isFile = (target: Target, href: string) =>
  'address' in target && /\.[a-z0-9]{1,5}(?:[?#]|$)/i.test(href)

function deadLinks({ places }: Site): Rule | undefined {
  if (!places) return undefined
  const addresses = [...places.addresses]
  const parameters = parametersIn(addresses)
  const known = new Set(addresses.map((address) => placeOf(address, parameters)))
  const isDead = (target: Target) => {
    if ('address' in target) return !known.has(placeOf(target.address, parameters))
    return places.uids.get(target.type ?? '')?.has(target.uid) === false
  }
  return ({ links }) => {
    const found = links.filter(({ target }) => isDead(target)).map((link) => `${link.href} in ${link.in}`)
    return found.length > 0 ? `: ${[...new Set(found)].slice(0, 10).join('; ')}` : undefined
  }
}
