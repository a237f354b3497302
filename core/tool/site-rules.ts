import type { CmsRecord, Language } from '../cms/schema.ts'
import type { RecordId } from '../conversation/schema.ts'
import { marks, quoted, when } from './format.ts'
import { addressOf, linksIn, pathOf, textsOf } from './site.ts'

/** The rules of `check_site`, apart from the tool, because few turns need them and every start of a function has the tool. */

type Check = 'title' | 'description' | 'links' | 'age' | 'headings' | 'translation'

/** The most findings of one kind that are listed. */
const mostListed = 50

const yearMs = 365 * 24 * 60 * 60 * 1_000

/** What the rules look at. */
export type Site = {
  pages: CmsRecord[]
  /** The elements by their page. */
  on: Map<RecordId, CmsRecord[]>
  languages: Language[]
  hasElements: boolean
  now: number
}
/** What is wrong with a page, as words behind its name; undefined: nothing. */
type Rule = (page: CmsRecord, site: Site) => string | undefined

const titles: Record<Check, string> = {
  title: 'Without a title',
  description: 'Without a description',
  links: 'With internal links that lead to no page that the user may see',
  age: 'Unchanged for a year',
  headings: 'With headings that leave out a level',
  translation: 'Without an element in a language of the site',
}

/** What a rule finds on these pages, as a part of the answer, and the pages that it names. */
export function section(
  check: Check,
  pages: CmsRecord[],
  site: Site,
): { text: string; records: CmsRecord[] } {
  const rule = ruleOf(check, site)
  const found = pages.flatMap((page) => {
    const words = rule(page, site)
    return words === undefined ? [] : [{ page, words }]
  })
  if (found.length === 0) return { text: `${titles[check]}: none.`, records: [] }
  const lines = found
    .slice(0, mostListed)
    .map(
      ({ page, words }) => `- ${quoted(page.title)} [${page.uid}]${marks(['hidden', page.hidden])}${words}`,
    )
  if (found.length > mostListed)
    lines.push(`… and ${found.length - mostListed} more; name a page with below.`)
  return {
    text: [`${titles[check]} (${found.length}):`, ...lines].join('\n'),
    records: found.map(({ page }) => page),
  }
}

function ruleOf(check: Check, site: Site): Rule {
  if (check === 'links') return deadLinks(site)
  return rules[check]
}

const isEmpty = (value: unknown) => typeof value !== 'string' || value.trim() === ''

const rules: Record<Exclude<Check, 'links'>, Rule> = {
  title: ({ title, uid }) => (title === `[${uid}]` || title.trim() === '' ? '' : undefined),
  description: ({ fields }) => {
    const name = ['description', 'meta_description', 'excerpt'].find((field) => field in fields)
    return name && isEmpty(fields[name]) ? '' : undefined
  },
  age: (page, { on, now }) => {
    const last =
      [page, ...(on.get(page.uid) ?? [])]
        .map(({ changedAt }) => changedAt)
        .sort()
        .at(-1) ?? ''
    return now - Date.parse(last) > yearMs ? `, last changed ${when(last)}` : undefined
  },
  headings: (page, site) => {
    const found = [page, ...(site.on.get(page.uid) ?? [])].flatMap((record) => {
      const jump = textsOf(record)
        .map(({ text }) => jumpIn(text))
        .find(Boolean)
      return jump ? [`${jump} in ${record.table} [${record.uid}]`] : []
    })
    return found.length > 0 ? `: ${found.join('; ')}` : undefined
  },
  translation: (page, { on, languages, hasElements }) => {
    const own = (on.get(page.uid) ?? []).filter(({ hidden }) => !hidden)
    if (!hasElements || own.length === 0 || own.some(({ language }) => language === -1)) return undefined
    const lacking = languages.filter(({ id }) => !own.some(({ language }) => language === id))
    return lacking.length > 0 ? `: ${lacking.map(({ title }) => title).join(', ')}` : undefined
  },
}

/** The first heading that is more than one level below the one before it. */
function jumpIn(text: string): string | undefined {
  const levels = [...text.matchAll(/<h([1-6])\b/gi)].map(([, level]) => Number(level))
  const at = levels.findIndex((level, index) => index > 0 && level > (levels[index - 1] ?? 0) + 1)
  return at > 0 ? `h${levels[at]} follows h${levels[at - 1]}` : undefined
}

function deadLinks({ pages }: Site): Rule {
  const known = new Set(pages.flatMap((page) => addressOf(page) ?? []))
  const uids = new Set(pages.map(({ uid }) => String(uid)))
  const isDead = (href: string) => {
    const [, uid] = href.match(/^t3:\/\/page\?uid=([\w.~-]+)/i) ?? []
    if (uid) return !uids.has(uid)
    // A last part with a dot is a file, and no page of the site.
    return /^\/(?!\/)/.test(href) && !/\.[a-z0-9]{1,5}(?:[?#]|$)/i.test(href) && !known.has(pathOf(href))
  }
  return (page, { on }) => {
    const found = [page, ...(on.get(page.uid) ?? [])].flatMap((record) =>
      textsOf(record)
        .flatMap(({ text }) => linksIn(text))
        .filter(isDead)
        .map((href) => `${href} in ${record.table} [${record.uid}]`),
    )
    return found.length > 0 ? `: ${[...new Set(found)].slice(0, 10).join('; ')}` : undefined
  }
}
