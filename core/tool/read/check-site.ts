import * as z from 'zod'
import { count, missing } from '../format.ts'
import { Uid } from '../schema.ts'
import { reads } from '../tool.ts'

const checks = ['title', 'description', 'links', 'age', 'headings', 'translation'] as const

/** The model's schema has no check of translations for a CMS without languages. */
const Check = z.enum(checks).meta({ of: 'check' })

/** `check_site`: problems that editors often fix on many pages, found by fixed rules. */
export const checkSite = reads({
  name: 'check_site',
  sign: 'search',
  source: 'named',
  words: { en: { title: 'Check of the site', did: 'Checked the site', doing: 'Checking the site' } },
  description:
    'Looks over the pages for what editors usually mend, each with its uid. links: they lead to no page; age: nothing changed for a year; headings: a level is left out.',
  parameters: z.strictObject({
    checks: z.array(Check).min(1).optional().describe('absent: all'),
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
