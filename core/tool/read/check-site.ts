import * as z from 'zod'
import { count, missing } from '../format.ts'
import { Uid } from '../schema.ts'
import { reads } from '../tool.ts'

const checks = ['title', 'description', 'links', 'age', 'headings', 'translation'] as const

/** `check_site`: problems that editors often fix on many pages, found by fixed rules. */
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
  suits: ({ tree }) => tree !== null,
  adminOnly: false,
  async run({ checks: wanted, below }, context) {
    const { cms, now } = context
    const website = await cms.capabilities()
    if (!website.tree) throw missing('A type of pages')
    const { branch, readSite, section } = await import('../site-rules.ts')
    const chosen = checks.filter((check) => !wanted || wanted.includes(check))
    const tables = { pages: website.tree.pages, content: website.tree.content ?? undefined }
    const [read, languages] = await Promise.all([readSite(context, website, tables, chosen), cms.languages()])
    const all = [...read.pages.values()]
    const pages = below === undefined ? all : branch(read.pages, below)
    if (pages.length === 0) throw missing(below === undefined ? 'Any page' : `Page ${below}`)
    const site = { places: read.places, languages, hasElements: tables.content !== undefined, now }
    const findings = chosen.map((check) => section(check, pages, site))
    const head = `Checked ${count(pages.length, 'page')}${read.left === 0 ? '' : `, not the whole site: there was no time for the last ${count(read.left, 'record')}`}.`
    const records = [...new Set(findings.flatMap(({ pages }) => pages))].map(({ name }) => name)
    return { text: [head, ...findings.map(({ text }) => text)].join('\n\n'), records }
  },
})
