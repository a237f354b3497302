import * as z from 'zod'
import { TableName } from '../../core/tool/schema.ts'
import { reads } from '../../core/tool/tool.ts'

export const countRecords = reads({
  name: 'count_records',
  sign: 'list',
  source: 'list',
  en: { title: 'Number of records', did: 'Counted records', doing: 'Counting records' },
  description: 'How many records of a table the user may see. Use it for questions about numbers.',
  parameters: z.strictObject({ table: TableName }),
  async run({ table }, { actor, cms }) {
    const list = await cms.list(actor, { table, limit: 1, offset: 0 })
    if (!list) return `There is no table ${table}.`
    return { text: `${list.total} records in ${table}`, records: list.records, count: list.total }
  },
})
