import * as z from 'zod'
import type { Actor } from '../../base/actor.ts'
import type { Cms } from '../../cms/cms.ts'
import { missing, nameOf, when } from '../format.ts'
import { recordLines } from '../page-path.ts'
import { Limit, TableName, Uid } from '../schema.ts'
import { reads } from '../tool.ts'

/** `list_records`: records of a table, paginated. */
export const listRecords = reads({
  name: 'list_records',
  sign: 'list',
  source: 'list',
  words: { en: { title: 'List of records', did: 'Listed records', doing: 'Listing records' } },
  description:
    'The records of a table, or those of it on one page, with uid, title, language, state, page and time of change.',
  parameters: z.strictObject({
    table: TableName,
    page: Uid.optional(),
    limit: Limit,
    offset: z.int().min(0).max(100_000).default(0).describe('How many to skip'),
  }),
  dataClass: 'internal',
  adminOnly: false,
  async run({ table, page, limit, offset }, { actor, cms }) {
    const [found, languages] = await Promise.all([
      cms.list(actor, { table, ...(page && { page }), limit, offset }),
      cms.languages(),
    ])
    if (!found)
      throw missing(`The table ${table}${page ? ` on page ${page}` : ''}`, await tableHint(cms, actor))
    const { records, total } = found
    const where = page ? ` on page [${page}]` : ''
    if (total === 0) return `The table ${table} has no records${where} that the user may see.`
    if (records.length === 0)
      return `The table ${table} has ${total} records${where}; offset ${offset} is behind the last.`
    const line = await recordLines(cms, actor, records, languages)
    const last = offset + records.length
    const lines = records.map((record) => `- ${line(record)}, changed ${when(record.changedAt)}`)
    if (last < total) lines.push(`There are more: call again with offset ${last}.`)
    const head = `Table ${table}${where}, records ${offset + 1} to ${last} of ${total}:`
    return { text: [head, ...lines].join('\n'), records: records.map(nameOf) }
  },
})

/** Lists the tables that the actor may read, for a model that guessed a wrong name. */
async function tableHint(cms: Cms, actor: Actor): Promise<string> {
  const tables = await cms.tables(actor)
  return `Tables that the user may read: ${tables.map(({ name }) => name).join(', ') || 'none'}.`
}
