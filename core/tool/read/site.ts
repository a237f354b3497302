import * as z from 'zod'
import type { CmsRecord } from '../../cms/schema.ts'
import { count, missing, moreLines, nameOf, recordLine } from '../format.ts'
import { Limit, TableName, Uid } from '../schema.ts'
import { leadsTo, searchReferences } from '../site.ts'
import { reads } from '../tool.ts'

/** `where_used`: finds the records that refer to a record by a relation, a file or a link. */
export const whereUsed = reads({
  name: 'where_used',
  sign: 'search',
  source: 'named',
  en: {
    title: 'Where a record is used',
    did: 'Looked where it is used',
    doing: 'Looking where it is used',
  },
  description:
    'The records that point at a record, page or file: by a relation, by a picture or file, or by a link in their text.',
  guidance: 'Call where_used before something is deleted, renamed or taken out of sight.',
  parameters: z.strictObject({ table: TableName, uid: Uid, limit: Limit }),
  async run({ table, uid, limit }, context) {
    const { actor, cms } = context
    const [record, tables, website] = await Promise.all([
      cms.record(actor, { table, uid }),
      cms.tables(actor),
      cms.capabilities(),
    ])
    if (!record) throw missing(`Record ${table} [${uid}]`)
    const users: { user: CmsRecord; ways: string[] }[] = []
    const bound = await searchReferences(context, tables, website, (user, references) => {
      const leading = references.filter(({ target }) => leadsTo(target, record))
      const ways = [...new Set(leading.map(({ way }) => way))]
      if (ways.length > 0) users.push({ user, ways })
    })
    if (users.length === 0)
      return `No record that the user may see points at ${table} ${recordLine(record)}.${bound}`
    const shown = users.slice(0, limit)
    const lines = [
      `${count(users.length, 'record')} ${users.length === 1 ? 'points' : 'point'} at ${table} ${recordLine(record)}:${bound}`,
      ...shown.map(
        ({ user, ways }) => `- ${user.table} ${recordLine(user)}, page [${user.pid}]: ${ways.join('; ')}`,
      ),
      ...moreLines(users.length > limit, limit),
    ]
    return { text: lines.join('\n'), records: shown.map(({ user }) => nameOf(user)) }
  },
})

const checks = ['title', 'description', 'links', 'age', 'headings', 'translation'] as const

/** A check; the model's schema leaves out `translation` for a CMS without languages. */
const Check = z.enum(checks).meta({ of: 'check' })

/** `check_site`: finds problems that editors often fix on many pages, by fixed rules. */
export const checkSite = reads({
  name: 'check_site',
  sign: 'search',
  source: 'named',
  en: { title: 'Check of the site', did: 'Checked the site', doing: 'Checking the site' },
  description:
    'Looks over the pages for what editors usually mend, each with its uid. links: they lead to no page; age: nothing changed for a year; headings: a level is left out.',
  parameters: z.strictObject({
    checks: z.array(Check).min(1).optional().describe('absent: all'),
    below: Uid.optional().describe('Only this page and those below it'),
  }),
  suits: ({ tree }) => tree !== null,
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
