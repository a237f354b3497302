import * as z from 'zod'
import { TableName } from '../../core/tool/schema.ts'
import { reads } from '../../core/tool/tool.ts'

export const countRecords = reads({
  name: 'count_records',
  title: { en: 'Number of records', de: 'Anzahl der Datensätze' },
  description: 'How many records of a table the user may see.',
  parameters: z.strictObject({ table: TableName }),
  dataClass: 'internal',
  adminOnly: false,
  async run({ table }, { actor, cms }) {
    const list = await cms.list(actor, { table, limit: 1, offset: 0 })
    return list ? `${list.total} records in ${table}` : `There is no table ${table}.`
  },
})
