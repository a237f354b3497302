import * as z from 'zod'
import { count, missing, nameOf } from './format.ts'
import { Uid } from './schema.ts'
import { pageTables, recordsOf } from './site.ts'
import { reads } from './tool.ts'

const checks = ['title', 'description', 'links', 'age', 'headings', 'translation'] as const

/** The most pages and elements that one call looks at. */
const mostPages = 1_000
const mostElements = 5_000

/** `check_site`: what editors usually mend on many pages, found by fixed rules. */
export const checkSite = reads({
  name: 'check_site',
  sign: 'search',
  source: 'named',
  words: {
    en: { title: 'Check of the site', did: 'Checked the site', doing: 'Checking the site' },
    de: { title: 'Prüfung der Website', did: 'Website geprüft', doing: 'Prüft die Website' },
  },
  description:
    'Looks over the pages that the user may see for what editors usually mend: title (missing), description (missing), links (internal links that lead to no page), age (page and elements unchanged for a year), headings (a level is left out), translation (no element in a language of the site). Names each page with its uid.',
  parameters: z.strictObject({
    checks: z.array(z.enum(checks)).min(1).optional().describe('What to look for; everything when absent'),
    below: Uid.optional().describe('Only this page and those below it'),
  }),
  dataClass: 'internal',
  adminOnly: false,
  async run({ checks: wanted, below }, { actor, cms, now, signal }) {
    const names = await pageTables(cms)
    if (!names.pages) throw missing('A type of pages')
    const [all, elements, languages, inside] = await Promise.all([
      recordsOf(cms, actor, names.pages, mostPages, signal),
      names.content ? recordsOf(cms, actor, names.content, mostElements, signal) : undefined,
      cms.languages(),
      below === undefined ? undefined : cms.pageTree(actor, { root: below, depth: 10, limit: mostPages }),
    ])
    const uids = inside && new Set([below, ...inside.map(({ uid }) => uid)])
    const pages = all.records.filter(({ uid }) => !uids || uids.has(uid))
    if (pages.length === 0) throw missing(below === undefined ? 'Any page' : `Page ${below}`)
    const { section } = await import('./site-rules.ts')
    const on = Map.groupBy(elements?.records ?? [], ({ pid }) => pid)
    const site = { pages: all.records, on, languages, hasElements: elements !== undefined, now }
    const findings = checks
      .filter((check) => !wanted || wanted.includes(check))
      .map((check) => section(check, pages, site))
    const isWhole = all.isWhole && (elements?.isWhole ?? true)
    const head = `Checked ${count(pages.length, 'page')}${isWhole ? '' : ', not the whole site: it is too large for one check'}.`
    const records = [...new Set(findings.flatMap(({ records }) => records))].map(nameOf)
    return { text: [head, ...findings.map(({ text }) => text)].join('\n\n'), records }
  },
})
