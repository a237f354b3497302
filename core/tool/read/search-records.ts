import * as z from 'zod'
import type { TextOf } from '../../base/html-text.ts'
import type { CmsRecord } from '../../cms/schema.ts'
import { count, cut, nameOf, quoted, when } from '../format.ts'
import { recordLines } from '../page-path.ts'
import { Limit, TableName } from '../schema.ts'
import { reads } from '../tool.ts'

/** `search_records`: records whose text contains the words. */
export const searchRecords = reads({
  name: 'search_records',
  sign: 'search',
  source: 'named',
  words: { en: { title: 'Search', did: 'Searched records', doing: 'Searching records' } },
  description:
    'Finds records whose text contains every word of the query, newest change first: table, uid, language, state, page and a passage of the text. One or two distinctive words find most.',
  parameters: z.strictObject({
    query: z.string().trim().min(1).max(200),
    table: TableName.optional(),
    limit: Limit,
  }),
  dataClass: 'internal',
  adminOnly: false,
  async run({ query, table, limit }, { actor, cms }) {
    const [found, languages] = await Promise.all([
      cms.search(actor, { text: query, ...(table && { table }), limit: limit + 1 }),
      cms.languages(),
    ])
    const where = table ? ` in the table ${table}` : ''
    if (found.length === 0)
      return `Nothing${where} that the user may see contains ${quoted(query)}. Try a single, shorter word.`
    const hits = found.slice(0, limit)
    const line = await recordLines(cms, actor, hits, languages)
    const more = found.length > limit
    const head = `${more ? `The first ${limit} records` : count(hits.length, 'record')}${where} with ${quoted(query)}, newest change first:`
    const { textOf } = await import('../../base/html-text.ts')
    const lines = hits.map((hit) => {
      const text = passage(hit, query, textOf)
      return `- ${hit.table} ${line(hit)}, changed ${when(hit.changedAt)}${text && `\n  ${text}`}`
    })
    if (more)
      lines.push('There are more: raise limit (at most 100), name a table, or use a more exact query.')
    return { text: [head, ...lines].join('\n'), records: hits.map(nameOf) }
  },
})

/** The text around the first match of the query, or of one of its words, in the record's fields without its title. */
function passage(record: CmsRecord, query: string, textOf: TextOf): string {
  const wanted = [query, ...query.split(/\s+/)].map((word) => word.toLowerCase())
  for (const value of Object.values(record.fields)) {
    if (typeof value !== 'string' || value === record.title) continue
    const text = textOf(value).replace(/\s+/g, ' ')
    const at = wanted.map((word) => text.toLowerCase().indexOf(word)).find((place) => place >= 0)
    if (at === undefined) continue
    const from = Math.max(0, at - 80)
    return `${from > 0 ? '…' : ''}${cut(text.slice(from), 240)}`
  }
  return ''
}
