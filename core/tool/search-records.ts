import { z } from 'zod'
import type { CmsRecord } from '../cms/cms.ts'
import { textOf } from './markup.ts'
import { Limit, TableName } from './parameter.ts'
import { placesOf } from './place.ts'
import { reads } from './tool.ts'
import { count, cut, quoted, recordLine, when } from './words.ts'

export const searchRecords = reads({
  name: 'search_records',
  title: { en: 'Search', de: 'Suche' },
  description:
    'Finds records whose text contains the query, in all tables that the user may read or in one. Each hit has its table, uid, page and a passage of its text. Use short queries: one distinctive word finds most.',
  parameters: z.strictObject({
    query: z.string().trim().min(1).max(200).describe('Text to look for'),
    table: TableName.optional(),
    limit: Limit,
  }),
  dataClass: 'internal',
  adminOnly: false,
  async run({ query, table, limit }, { actor, cms }) {
    const found = await cms.search(actor, { text: query, ...(table && { table }), limit: limit + 1 })
    const where = table ? ` in the table ${table}` : ''
    if (found.length === 0)
      return `Nothing${where} that the user may see contains ${quoted(query)}. Try one shorter word.`
    const hits = found.slice(0, limit)
    const places = await placesOf(cms, actor, hits)
    const more = found.length > limit
    const head = `${more ? `The first ${limit} records` : count(hits.length, 'record')}${where} with ${quoted(query)}, newest change first:`
    const lines = hits.map((hit) => {
      const text = passage(hit, query)
      return `- ${hit.table} ${recordLine(hit)}, ${places(hit)}, changed ${when(hit.changedAt)}${text && `\n  ${text}`}`
    })
    if (more)
      lines.push('There are more: raise limit (at most 100), name a table, or use a more exact query.')
    return [head, ...lines].join('\n')
  },
})

/** The surroundings of the first place where the query stands in the record. */
function passage(record: CmsRecord, query: string): string {
  const wanted = query.toLowerCase()
  for (const value of Object.values(record.fields)) {
    if (typeof value !== 'string' || value === record.title) continue
    const text = textOf(value).replace(/\s+/g, ' ')
    const at = text.toLowerCase().indexOf(wanted)
    if (at < 0) continue
    const from = Math.max(0, at - 80)
    return `${from > 0 ? '…' : ''}${cut(text.slice(from), 240)}`
  }
  return ''
}
